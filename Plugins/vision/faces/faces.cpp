/*
 * org.cutroom.faces: where faces are, and whether they smile. Cascades of Haar-like features (Viola
 * and Jones 2001; Lienhart and Maydt 2002) that come with OpenCV; a smile is looked for in the
 * lower half of a face.
 *
 * Emits `faces`: left, top, width and height of each, in 0…1 of the picture, the largest first; and
 * where it is asked for `smiles`: for each face 0…1, 0.5 and more for a smile.
 */
#include "../vision.h"
#include <algorithm>
#include <memory>
#include <opencv2/imgproc.hpp>
#include <opencv2/objdetect.hpp>
#include <string>
#include <unistd.h>

namespace {

enum { MIN_SIZE, NEIGHBORS, SMILE, SMILE_NEIGHBORS, CASCADE, PARAM_COUNT };

const cutroom_param *params() {
    static cutroom_param list[PARAM_COUNT];
    const auto number = [](int index, cutroom_param_type type, const char *id, const char *label, double low, double high,
                           double start, const char *help) {
        cutroom_param &param = list[index];
        param.type = type;
        param.id = id;
        param.label = label;
        param.unit = "";
        param.help = help;
        param.minimum = low;
        param.maximum = high;
        param.initial[0] = start;
    };
    number(MIN_SIZE, CUTROOM_PARAM_DOUBLE, "min_size", "Smallest face", 0.02, 1, 0.1,
           "The smallest face that is looked for, as a share of the picture's shorter side; smaller ones take longer.");
    number(NEIGHBORS, CUTROOM_PARAM_INT, "neighbors", "Neighbours", 1, 100, 3,
           "How many detections in one place make a face: more miss some, fewer find faces where there are none.");
    number(SMILE, CUTROOM_PARAM_BOOL, "smile", "Smiles", 0, 1, 0, "Also looks for smiles.");
    list[SMILE].flags = CUTROOM_PARAM_SETUP_ONLY;
    number(SMILE_NEIGHBORS, CUTROOM_PARAM_INT, "smile_neighbors", "Smile's neighbours", 1, 500, 20,
           "How many detections in one place make a smile.");
    number(CASCADE, CUTROOM_PARAM_PATH, "cascade", "Cascade", 0, 0, 0,
           "A cascade file of OpenCV that finds other objects. Without it, frontal faces are found.");
    list[CASCADE].flags = CUTROOM_PARAM_SETUP_ONLY;
    return list;
}

struct Instance {
    const cutroom_host *host;
    cv::CascadeClassifier face, smile;
    bool looks_for_smiles;
};

/* Where OpenCV's data may lie: the package opencv-data, and OpenCV as it installs itself. */
const char *const folders[] = {"/usr/share/opencv4/haarcascades/", "/usr/local/share/opencv4/haarcascades/",
                               "/usr/share/opencv/haarcascades/"};

/* Empty where there is none. */
std::string installed(const char *name) {
    for (const char *folder : folders)
        if (const std::string path = std::string(folder) + name; access(path.c_str(), R_OK) == 0) return path;
    return "";
}

bool load(cv::CascadeClassifier &cascade, const std::string &path) {
    try {
        return cascade.load(path) && !cascade.empty();
    } catch (const cv::Exception &) { /* what is no cascade may be no XML either */
        return false;
    }
}

cutroom_status missing(const cutroom_host *host, void *handle, const char *name) {
    return vision::fail(host, handle, CUTROOM_ERROR_UNSUPPORTED,
                        (std::string("OpenCV's data is missing: there is no readable ") + name + " in " + folders[0] + " or " +
                         folders[1] + "; install the package opencv-data")
                            .c_str());
}

cutroom_status create(const cutroom_effect *, const cutroom_host *host, const cutroom_setup *setup, void **result) {
    return vision::guarded(host, setup->handle, [&] {
        if (setup->format != CUTROOM_FORMAT_YUV420P8 && setup->format != CUTROOM_FORMAT_RGBA8) return CUTROOM_ERROR_FORMAT;
        auto one = std::make_unique<Instance>();
        one->host = host;
        one->looks_for_smiles = setup->values[SMILE].n[0] != 0;
        const char *own = setup->values[CASCADE].text;
        constexpr const char *usual = "haarcascade_frontalface_alt2.xml", *smile = "haarcascade_smile.xml";
        const std::string path = own && *own ? own : installed(usual);
        if (path.empty()) return missing(host, setup->handle, usual);
        if (!load(one->face, path))
            return vision::fail(host, setup->handle, CUTROOM_ERROR_PARAM, ("‘" + path + "’ is not a cascade of OpenCV's").c_str());
        if (one->looks_for_smiles) {
            const std::string second = installed(smile);
            if (second.empty() || !load(one->smile, second)) return missing(host, setup->handle, smile);
        }
        *result = one.release();
        return CUTROOM_OK;
    });
}

void destroy(void *instance) { delete static_cast<Instance *>(instance); }

/* 0…1, 0.5 where as many detections lie in one place as make a smile. */
double smile_in(Instance &one, const cv::Mat &face, int needed) {
    /* A mouth is wide and in the lower half. A face is made as large as those that the cascade was
     * trained with. */
    const cv::Mat lower = face.rowRange(face.rows / 2, face.rows);
    cv::Mat mouth;
    constexpr int width = 160;
    cv::resize(lower, mouth, cv::Size(width, std::max(1, width * lower.rows / std::max(1, lower.cols))), 0, 0, cv::INTER_LINEAR);
    std::vector<cv::Rect> found;
    std::vector<int> counts;
    one.smile.detectMultiScale(mouth, found, counts, 1.1, 1, 0, cv::Size(width / 4, width / 8));
    const int most = counts.empty() ? 0 : *std::max_element(counts.begin(), counts.end());
    return std::min(1.0, most / (2.0 * needed));
}

cutroom_status process(void *instance, const cutroom_call *call) {
    Instance &one = *static_cast<Instance *>(instance);
    return vision::guarded(one.host, call->handle, [&] {
        const cutroom_frame &in = *cutroom_current(call, 0);
        const double w = in.width, h = in.height;
        cv::Mat gray = vision::luma(in);
        cv::equalizeHist(gray, gray);
        std::vector<cv::Rect> found;
        const int side = std::max(1, (int)(call->values[MIN_SIZE].n[0] * std::min(w, h)));
        if (std::min(in.width, in.height) >= std::max(one.face.getOriginalWindowSize().width, one.face.getOriginalWindowSize().height))
            one.face.detectMultiScale(gray, found, 1.1, (int)call->values[NEIGHBORS].n[0], 0, cv::Size(side, side));
        /* Of two that are alike the upper one, then the left one: an order that nothing else
         * decides. */
        std::sort(found.begin(), found.end(), [](const cv::Rect &a, const cv::Rect &b) {
            if (a.area() != b.area()) return a.area() > b.area();
            return a.y != b.y ? a.y < b.y : a.x < b.x;
        });
        found.resize(std::min<size_t>(found.size(), 256));
        std::vector<double> faces, smiles;
        for (const cv::Rect &face : found) {
            for (const double number : {face.x / w, face.y / h, face.width / w, face.height / h}) faces.push_back(number);
            if (one.looks_for_smiles) smiles.push_back(smile_in(one, gray(face), (int)call->values[SMILE_NEIGHBORS].n[0]));
        }
        const cutroom_host *host = one.host;
        const cutroom_status status = host->emit(host->context, call->handle, "faces", faces.data(), (uint32_t)faces.size());
        if (status != CUTROOM_OK || !one.looks_for_smiles) return status;
        return host->emit(host->context, call->handle, "smiles", smiles.data(), (uint32_t)smiles.size());
    });
}

cutroom_effect describe() {
    cutroom_effect effect = vision::analyser(
        "org.cutroom.faces", "Faces",
        "Finds faces that look at the camera, and whether they smile.");
    effect.concurrency = CUTROOM_CONCURRENCY_INSTANCE;
    effect.capabilities |= CUTROOM_NEEDS_FILES; /* opencv-data */
    effect.params = params();
    effect.param_count = PARAM_COUNT;
    effect.create = create;
    effect.destroy = destroy;
    effect.process = process;
    return effect;
}

} // namespace

extern const cutroom_effect vision_faces = describe();
