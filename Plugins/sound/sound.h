/*
 * What the sound effects share: a life in which an effect has a zeroed state of its own, and its
 * block of samples.
 *
 * They are written here and not taken from a library. What is small (gain, filters, echo) is
 * shorter than a filter graph around it, takes a new value with each block and is exact to the
 * sample. Among the large ones, FFmpeg 5.1's rubberband was measured to put clicks 8 to 16 ms off
 * and to smear them, and its graphs hold back samples by amounts that depend on their settings.
 */
#ifndef SOUND_H
#define SOUND_H

#include <cutroom/plugin.h>
#include <math.h>
#include <portable_math.h>

/* A canvas of sound has 1, 2 or 6 channels. */
#define SOUND_CHANNELS 8

typedef struct sound_effect {
    cutroom_effect abi; /* first, so that create finds the rest */
    size_t size;        /* of the state, in bytes */
    /* Gets a zeroed state. What it allocates with `sound_alloc`, `dispose` gives back, after a
     * failure too. Both may be null. */
    cutroom_status (*prepare)(void *state, const cutroom_host *host, const cutroom_setup *setup);
    void (*dispose)(void *state, const cutroom_host *host);
    /* Forgets what was heard. Null for pure effects. */
    void (*clear)(void *state);
    cutroom_status (*run)(void *state, const cutroom_call *call);
} sound_effect;

extern const sound_effect sound_compressor, sound_ducking, sound_echo, sound_equalizer, sound_gain, sound_noise_reduction, sound_pitch;

/* Zeroed; null where there is no memory. */
void *sound_alloc(const cutroom_host *host, size_t count, size_t size);

cutroom_status sound_create(const cutroom_effect *abi, const cutroom_host *host, const cutroom_setup *setup, void **instance);
void sound_destroy(void *instance);
cutroom_status sound_process(void *instance, const cutroom_call *call);
cutroom_status sound_reset(void *instance);

extern const cutroom_format sound_formats[1];

/* Arithmetic alone, in a fixed order (portable_math.h): the same bytes on every machine. */
#define SOUND_EFFECT(the_state, the_capabilities, the_id, the_name, the_help, the_params)                                                 \
    .struct_size = sizeof(cutroom_effect), .kind = CUTROOM_KIND_AUDIO_FILTER, .capabilities = CUTROOM_IGNORES_TIMELINE | (the_capabilities), \
    .concurrency = CUTROOM_CONCURRENCY_INSTANCE, .state = the_state, .determinism = CUTROOM_DETERMINISM_EXACT,                \
    .format_count = 1, .formats = sound_formats, .id = the_id, .version = "1.0.0", .name = the_name, .vendor = "Cutroom",     \
    .license = "MIT", .help = the_help, .params = the_params, .param_count = sizeof the_params / sizeof *the_params,          \
    .param_stride = sizeof *the_params, .create = sound_create, .destroy = sound_destroy, .process = sound_process,           \
    .reset = sound_reset

#define SOUND_PARAM(the_flags, the_id, the_label, the_unit, low, high, start, the_help)                                       \
    {.type = CUTROOM_PARAM_DOUBLE, .flags = the_flags, .id = the_id, .label = the_label, .unit = the_unit, .help = the_help,  \
     .minimum = low, .maximum = high, .initial = {start}}
#define SOUND_ANIMATED(...) SOUND_PARAM(CUTROOM_PARAM_ANIMATABLE, __VA_ARGS__)
#define SOUND_FIXED(...) SOUND_PARAM(0, __VA_ARGS__)

/* The samples of the second input, where there is one. */
static inline const float *sound_key(const cutroom_call *call, uint32_t channel) {
    const cutroom_frame *frame = cutroom_current(call, 1);
    return (const float *)(const void *)(frame->plane[0] + channel * frame->stride[0]);
}
static inline const float *sound_in(const cutroom_call *call, uint32_t channel) {
    const cutroom_frame *frame = cutroom_current(call, 0);
    return (const float *)(const void *)(frame->plane[0] + channel * frame->stride[0]);
}
static inline float *sound_out(const cutroom_call *call, uint32_t channel) {
    return (float *)(void *)(call->output->plane[0] + channel * call->output->stride[0]);
}

/* The factor of a change in decibels. */
static inline double sound_factor(double decibels) { return pm_pow(10, decibels / 20); }

#endif
