/* The life of a sound effect. */
#include "sound.h"

const cutroom_format sound_formats[1] = {CUTROOM_FORMAT_PCMF32_PLANAR};

typedef struct instance {
    const sound_effect *effect;
    const cutroom_host *host;
    void *state;
} instance;

void *sound_alloc(const cutroom_host *host, size_t count, size_t size) {
    void *memory = host->alloc(host->context, count * size, 64);
    return memory ? memset(memory, 0, count * size) : NULL;
}

static void end(instance *one) {
    if (one->state && one->effect->dispose) one->effect->dispose(one->state, one->host);
    one->host->release(one->host->context, one->state);
    one->host->release(one->host->context, one);
}

cutroom_status sound_create(const cutroom_effect *abi, const cutroom_host *host, const cutroom_setup *setup, void **result) {
    const sound_effect *effect = (const sound_effect *)(const void *)abi;
    if (setup->format != CUTROOM_FORMAT_PCMF32_PLANAR || setup->channel_count > SOUND_CHANNELS || setup->sample_rate < 1)
        return CUTROOM_ERROR_FORMAT;
    instance *made = sound_alloc(host, 1, sizeof *made);
    if (!made) return CUTROOM_ERROR_MEMORY;
    *made = (instance){effect, host, sound_alloc(host, 1, effect->size + 1)};
    cutroom_status status = made->state ? CUTROOM_OK : CUTROOM_ERROR_MEMORY;
    if (status == CUTROOM_OK && effect->prepare) status = effect->prepare(made->state, host, setup);
    if (status != CUTROOM_OK) return end(made), status;
    return *result = made, CUTROOM_OK;
}

void sound_destroy(void *memory) { end(memory); }

cutroom_status sound_process(void *memory, const cutroom_call *call) {
    instance *one = memory;
    if (call->flags & CUTROOM_CALL_DISCONTINUITY) sound_reset(one);
    return one->effect->run(one->state, call);
}

cutroom_status sound_reset(void *memory) {
    instance *one = memory;
    if (one->effect->clear) one->effect->clear(one->state);
    return CUTROOM_OK;
}
