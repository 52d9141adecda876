/*
 * What the analysers of this library share: luma for OpenCV, and a border that no exception
 * crosses.
 *
 * OpenCV computes in one thread here (cv::setNumThreads in entry.cpp), so that its sums come in one
 * order; it chooses its code by the processor, which is why the analysers declare
 * CUTROOM_DETERMINISM_MACHINE.
 */
#ifndef VISION_H
#define VISION_H

#include <cutroom/plugin.h>
#include <exception>
#include <new>
#include <opencv2/core.hpp>

extern const cutroom_effect vision_faces, vision_camera_motion;

/* 4:2:0 has its luma as it is; of RGBA it is computed. */
inline constexpr cutroom_format vision_formats[] = {CUTROOM_FORMAT_YUV420P8, CUTROOM_FORMAT_RGBA8};

namespace vision {

/* What all of them say of themselves; a frame before comes with the call, so that none has a
 * history. */
inline cutroom_effect analyser(const char *id, const char *name, const char *help) {
    cutroom_effect effect = {};
    effect.struct_size = sizeof effect;
    effect.kind = CUTROOM_KIND_ANALYSER;
    effect.capabilities = CUTROOM_IGNORES_TIMELINE;
    effect.state = CUTROOM_STATE_PURE;
    effect.determinism = CUTROOM_DETERMINISM_MACHINE;
    effect.format_count = sizeof vision_formats / sizeof *vision_formats;
    effect.formats = vision_formats;
    effect.id = id;
    effect.version = "1.0.0";
    effect.name = name;
    effect.vendor = "Cutroom";
    effect.license = "MIT";
    effect.help = help;
    effect.param_stride = sizeof(cutroom_param);
    return effect;
}

/* A copy of a frame's luma, BT.709 where it is RGBA. */
cv::Mat luma(const cutroom_frame &frame);

/* Says why, and returns `status`. */
cutroom_status fail(const cutroom_host *host, void *handle, cutroom_status status, const char *why);

/* Runs `body`; what it throws becomes a status with a sentence. */
template <class Body>
cutroom_status guarded(const cutroom_host *host, void *handle, Body body) noexcept {
    try {
        return body();
    } catch (const std::bad_alloc &) {
        return CUTROOM_ERROR_MEMORY;
    } catch (const cv::Exception &error) {
        if (error.code == cv::Error::StsNoMem) return CUTROOM_ERROR_MEMORY;
        return fail(host, handle, CUTROOM_ERROR_FATAL, ("OpenCV: " + error.err).c_str());
    } catch (const std::exception &error) {
        return fail(host, handle, CUTROOM_ERROR_FATAL, error.what());
    } catch (...) {
        return fail(host, handle, CUTROOM_ERROR_FATAL, "an unknown exception");
    }
}

} // namespace vision

#endif
