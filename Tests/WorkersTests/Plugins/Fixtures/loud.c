/* An audio filter that divides by its one parameter, which may be 0. With -DBUFFERS it does so in
 * memory for the longest block, and with -DLOOKS does not where a block is longer (nor, with
 * -DSULKS, ever after); with -DREADS_MASK it counts on speakers that an older host does not name.
 */
#define FIXTURE_KIND CUTROOM_KIND_AUDIO_FILTER
#define FIXTURE_FORMATS CUTROOM_FORMAT_PCMF32_PLANAR
#include "fixture.h"

static const cutroom_param params[] = {
    {.type = CUTROOM_PARAM_DOUBLE, .id = "by", .label = "By", .unit = "", .help = "Divides.", .maximum = 2, .initial = {1}},
};

typedef struct { uint32_t max; float samples[]; } buffer;

static cutroom_status create(const cutroom_effect *effect, const cutroom_host *host, const cutroom_setup *setup, void **instance) {
    (void)effect;
    fixture_host = host;
    if (setup->format != CUTROOM_FORMAT_PCMF32_PLANAR) return CUTROOM_ERROR_FORMAT;
    buffer *made = host->alloc(host->context, sizeof *made + 4 * setup->max_samples, 4);
    if (!made) return CUTROOM_ERROR_MEMORY;
    made->max = setup->max_samples;
    *instance = made;
    return CUTROOM_OK;
}
static void destroy(void *instance) { fixture_host->release(fixture_host->context, instance); }

static cutroom_status process(void *instance, const cutroom_call *call) {
    const cutroom_frame *in = cutroom_current(call, 0), *out = call->output;
    (void)instance;
#ifdef READS_MASK
    if (in->channel_mask == 0) return CUTROOM_PASS;
#endif
    for (uint32_t channel = 0; channel < out->channel_count; channel++) {
        const float *from = (const float *)(const void *)(in->plane[0] + channel * in->stride[0]);
        float *to = (float *)(void *)(out->plane[0] + channel * out->stride[0]);
#ifdef BUFFERS
        buffer *kept = instance;
#ifdef LOOKS
        if (out->sample_count > kept->max) {
#ifdef SULKS
            kept->max = 0;
#endif
            return CUTROOM_ERROR_FORMAT;
        }
#endif
        memcpy(kept->samples, from, 4 * out->sample_count);
        from = kept->samples;
#endif
        for (uint32_t i = 0; i < out->sample_count; i++) to[i] = from[i] * from[i] / (float)call->values[0].n[0];
    }
    return CUTROOM_OK;
}

static const cutroom_effect effect = {FIXTURE_EFFECT("test.loud", process), FIXTURE_PARAMS(params), .create = create, .destroy = destroy};
FIXTURE_ONE(effect)
const cutroom_plugin cutroom_plugin_entry = {FIXTURE_ENTRY};
