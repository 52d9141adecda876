/* Shows which of the library's instances in this process it is, from 1: as a grey level of 16 each
 * or, of sound, as so many hundredths. With -DANALYSES it says so. */
#include <stdlib.h>
#ifdef SOUND
#define FIXTURE_KIND CUTROOM_KIND_AUDIO_FILTER
#define FIXTURE_FORMATS CUTROOM_FORMAT_PCMF32_PLANAR
#endif
#ifdef ANALYSES
#define FIXTURE_KIND CUTROOM_KIND_ANALYSER
#endif
#include "fixture.h"

static int made;

static cutroom_status create(const cutroom_effect *effect, const cutroom_host *host, const cutroom_setup *setup, void **instance) {
    (void)effect, (void)host, (void)setup;
    int *number = malloc(sizeof *number);
    *instance = number;
    if (!number) return CUTROOM_ERROR_MEMORY;
    *number = ++made;
    return CUTROOM_OK;
}

static void destroy(void *instance) { free(instance); }

static cutroom_status process(void *instance, const cutroom_call *call) {
    const int number = *(const int *)instance;
    const cutroom_frame *out = call->output;
#ifdef ANALYSES
    return (void)out, fixture_host->emit(fixture_host->context, call->handle, "instance", &(double){number}, 1);
#else
#ifdef SOUND
    for (uint32_t channel = 0; channel < out->channel_count; channel++) {
        float *to = (float *)(void *)(out->plane[0] + channel * out->stride[0]);
        for (uint32_t i = 0; i < out->sample_count; i++) to[i] = (float)number / 100;
    }
#else
    for (int y = call->row_begin; y < call->row_end; y++)
        for (int x = 0; x < out->width * 4; x++) out->plane[0][y * out->stride[0] + x] = x % 4 == 3 ? 255 : (uint8_t)(16 * number);
#endif
    return CUTROOM_OK;
#endif
}

static const cutroom_effect effect = {FIXTURE_EFFECT("test.numbered", process), .create = create, .destroy = destroy,
                                      .concurrency = CUTROOM_CONCURRENCY_REENTRANT,
#ifdef SHARED
                                      .capabilities = CUTROOM_CAN_SHARE_INSTANCE,
#endif
};
FIXTURE_ONE(effect)
const cutroom_plugin cutroom_plugin_entry = {FIXTURE_ENTRY};
