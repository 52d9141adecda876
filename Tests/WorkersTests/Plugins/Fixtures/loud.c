/* An audio filter that divides by its one parameter, which may be 0. */
#define FIXTURE_KIND CUTROOM_KIND_AUDIO_FILTER
#define FIXTURE_FORMATS CUTROOM_FORMAT_PCMF32_PLANAR
#include "fixture.h"

static const cutroom_param params[] = {
    {.type = CUTROOM_PARAM_DOUBLE, .id = "by", .label = "By", .unit = "", .help = "Divides.", .maximum = 2, .initial = {1}},
};

static cutroom_status process(void *instance, const cutroom_call *call) {
    (void)instance;
    const cutroom_frame *in = cutroom_current(call, 0), *out = call->output;
    for (uint32_t channel = 0; channel < out->channel_count; channel++) {
        const float *from = (const float *)(const void *)(in->plane[0] + channel * in->stride[0]);
        float *to = (float *)(void *)(out->plane[0] + channel * out->stride[0]);
        for (uint32_t i = 0; i < out->sample_count; i++) to[i] = from[i] * from[i] / (float)call->values[0].n[0];
    }
    return CUTROOM_OK;
}

static const cutroom_effect effect = {FIXTURE_EFFECT("test.loud", process), FIXTURE_PARAMS(params)};
FIXTURE_ONE(effect)
const cutroom_plugin cutroom_plugin_entry = {FIXTURE_ENTRY};
