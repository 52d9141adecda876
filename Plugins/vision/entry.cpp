/* The library of analysers of pictures, on OpenCV. */
#include "vision.h"

static const cutroom_effect *const effects[] = {&vision_faces, &vision_camera_motion};

static cutroom_status init(const cutroom_host *host, const char *) {
    return vision::guarded(host, nullptr, [] {
        cv::setNumThreads(0);
        return CUTROOM_OK;
    });
}

static uint32_t effect_count() { return sizeof effects / sizeof *effects; }
static const cutroom_effect *effect(uint32_t index) { return index < effect_count() ? effects[index] : nullptr; }

static cutroom_plugin describe() {
    cutroom_plugin plugin = {};
    plugin.magic = CUTROOM_MAGIC;
    plugin.struct_size = sizeof plugin;
    plugin.abi_major = CUTROOM_ABI_MAJOR;
    plugin.abi_minor = CUTROOM_ABI_MINOR;
    plugin.name = "Vision";
    plugin.version = "1.0.0";
    plugin.init = init;
    plugin.effect_count = effect_count;
    plugin.effect = effect;
    return plugin;
}

extern const cutroom_plugin cutroom_plugin_entry = describe();
