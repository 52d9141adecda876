/*
 * org.cutroom.camera_motion: how the picture moved since the frame before, as a whole. Corners (Shi
 * and Tomasi 1994) are followed from frame to frame (Lucas and Kanade 1981, in a pyramid after
 * Bouguet 2000), and of all moves, turns and enlargements the one is taken that most of them agree
 * to (RANSAC, Fischler and Bolles 1981; OpenCV seeds it with a constant).
 *
 * Emits `motion`: dx, dy (the picture's centre, in widths and heights, to the right and down),
 * angle (degrees, clockwise) and scale; 0, 0, 0, 1 where nothing is known: in the first frame, at a
 * cut, in a picture without corners. And `trust`: the share of the corners that agree, 0 where
 * nothing is known.
 */
#include "../vision.h"
#include <algorithm>
#include <cmath>
#include <opencv2/calib3d.hpp>
#include <opencv2/imgproc.hpp>
#include <opencv2/video/tracking.hpp>

namespace {

enum { POINTS, PARAM_COUNT };
/* Pixels of the picture that is looked at: corners that are off by more do not agree. */
constexpr double tolerance = 1;
/* With fewer corners, or a smaller share of them that agree, it is not the same scene. */
constexpr size_t fewest = 8;
constexpr double least_trust = 0.25;

const cutroom_param *params() {
    static cutroom_param points = {};
    points.type = CUTROOM_PARAM_INT;
    points.id = "points";
    points.label = "Points";
    points.unit = "";
    points.help = "The maximum number of corners that are followed.";
    points.minimum = 20;
    points.maximum = 2000;
    points.initial[0] = 300;
    return &points;
}

struct Motion {
    double numbers[4] = {0, 0, 0, 1};
    double trust = 0;
};

Motion motion(const cv::Mat &before, const cv::Mat &now, int points) {
    Motion result;
    const int side = std::min(before.cols, before.rows);
    if (side < 32) return result;
    std::vector<cv::Point2f> from, to;
    cv::goodFeaturesToTrack(before, from, points, 0.01, std::max(4.0, side / 40.0));
    if (from.size() < fewest) return result;
    std::vector<uchar> is_found;
    std::vector<float> error;
    cv::calcOpticalFlowPyrLK(before, now, from, to, is_found, error, cv::Size(21, 21), 4);
    /* About the centre, so that its move is what is left when turn and scale are taken off. */
    const cv::Point2f centre((float)(before.cols - 1) / 2, (float)(before.rows - 1) / 2);
    size_t count = 0;
    for (size_t i = 0; i < from.size(); i++) {
        if (!is_found[i]) continue;
        from[count] = from[i] - centre;
        to[count++] = to[i] - centre;
    }
    const size_t all = from.size();
    if (count < fewest) return result;
    from.resize(count);
    to.resize(count);
    std::vector<uchar> agrees;
    const cv::Mat map = cv::estimateAffinePartial2D(from, to, agrees, cv::RANSAC, tolerance, 2000, 0.995, 10);
    if (map.empty()) return result;
    const double trust = (double)std::count(agrees.begin(), agrees.end(), 1) / (double)all;
    const double a = map.at<double>(0, 0), b = map.at<double>(1, 0), scale = std::hypot(a, b);
    /* From one frame to the next no camera does more than that. */
    if (trust < least_trust || !(scale > 0.5 && scale < 2)) return result;
    result.trust = trust;
    result.numbers[0] = map.at<double>(0, 2) / before.cols;
    result.numbers[1] = map.at<double>(1, 2) / before.rows;
    result.numbers[2] = std::atan2(b, a) * 180 / CV_PI;
    result.numbers[3] = scale;
    return result;
}

/* The host is all that an instance is. */
cutroom_status create(const cutroom_effect *, const cutroom_host *host, const cutroom_setup *setup, void **result) {
    if (setup->format != CUTROOM_FORMAT_YUV420P8 && setup->format != CUTROOM_FORMAT_RGBA8) return CUTROOM_ERROR_FORMAT;
    *result = const_cast<cutroom_host *>(host);
    return CUTROOM_OK;
}
void destroy(void *) {}

cutroom_status process(void *instance, const cutroom_call *call) {
    const cutroom_host *host = static_cast<const cutroom_host *>(instance);
    return vision::guarded(host, call->handle, [&] {
        const cutroom_frame *before = call->inputs[0]->frames[0];
        Motion found;
        if (before) found = motion(vision::luma(*before), vision::luma(*cutroom_current(call, 0)), (int)call->values[POINTS].n[0]);
        const cutroom_status status = host->emit(host->context, call->handle, "motion", found.numbers, 4);
        return status == CUTROOM_OK ? host->emit(host->context, call->handle, "trust", &found.trust, 1) : status;
    });
}

cutroom_effect describe() {
    cutroom_effect effect = vision::analyser(
        "org.cutroom.camera_motion", "Camera motion",
        "Measures how the whole picture moves, turns and grows from frame to frame.");
    effect.concurrency = CUTROOM_CONCURRENCY_REENTRANT;
    effect.reach_before = 1;
    effect.params = params();
    effect.param_count = PARAM_COUNT;
    effect.create = create;
    effect.destroy = destroy;
    effect.process = process;
    return effect;
}

} // namespace

extern const cutroom_effect vision_camera_motion = describe();
