/* A transition: the left part, as wide as `progress` says, is the new picture, lighter by `lift`;
 * the rest is the old one. */
#define FIXTURE_KIND CUTROOM_KIND_TRANSITION
#define FIXTURE_FORMATS CUTROOM_FORMAT_YUV420P8, CUTROOM_FORMAT_RGBA8
#include "fixture.h"

static const cutroom_param params[] = {
    {.type = CUTROOM_PARAM_DOUBLE, .flags = CUTROOM_PARAM_ANIMATABLE, .id = "lift", .label = "Lift", .unit = "",
     .help = "Added to the new picture's luma.", .minimum = 0, .maximum = 100, .initial = {0}},
};

static cutroom_status process(void *instance, const cutroom_call *call) {
    (void)instance;
    const cutroom_frame *out = call->output;
    for (int p = 0; p < 3; p++) {
        const int width = p ? (out->width + 1) / 2 : out->width, height = p ? (out->height + 1) / 2 : out->height;
        const int edge = (int)(call->progress * width);
        for (int y = 0; y < height; y++)
            for (int x = 0; x < width; x++) {
                const cutroom_frame *in = cutroom_current(call, x < edge ? 1 : 0);
                int value = in->plane[p][y * in->stride[p] + x] + (p == 0 && x < edge ? (int)call->values[0].n[0] : 0);
                out->plane[p][y * out->stride[p] + x] = (uint8_t)(value > 235 ? 235 : value);
            }
    }
    return CUTROOM_OK;
}

static const cutroom_effect effect = {FIXTURE_EFFECT("test.split", process), FIXTURE_PARAMS(params)};
FIXTURE_ONE(effect)
const cutroom_plugin cutroom_plugin_entry = {FIXTURE_ENTRY};
