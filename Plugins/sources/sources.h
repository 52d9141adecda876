/*
 * What the shipped sources share: the life of a source, colours and pixels, shapes with soft edges,
 * and the sound of a file.
 *
 * Every frame is a function of its time: nothing that an earlier one found out changes it.
 */
#ifndef SOURCES_H
#define SOURCES_H

#include <cutroom/plugin.h>
#include <math.h>
#include <portable_math.h>

static inline double source_clamp(double x, double low, double high) { return x > low ? x < high ? x : high : low; }

/* ---- Life --------------------------------------------------------------------------------------------------------------- */

typedef struct source_effect {
    cutroom_effect abi; /* first, so that create finds the rest */
    size_t size;        /* of the state, in bytes */
    /* Gets a zeroed state. What it takes, `dispose` gives back, after a failure too. Both may be
     * null. */
    cutroom_status (*prepare)(void *state, const cutroom_host *host, const cutroom_setup *setup);
    void (*dispose)(void *state, const cutroom_host *host);
    cutroom_status (*draw)(void *state, const cutroom_host *host, const cutroom_call *call);
} source_effect;

extern const source_effect source_gradient, source_spectrum, source_waveform;

/* Zeroed; null where there is no memory. */
void *source_alloc(const cutroom_host *host, size_t count, size_t size);
void source_release(const cutroom_host *host, void *memory);

cutroom_status source_create(const cutroom_effect *abi, const cutroom_host *host, const cutroom_setup *setup, void **instance);
void source_destroy(void *instance);
cutroom_status source_process(void *instance, const cutroom_call *call);

extern const cutroom_format source_formats[2];

#define SOURCE_EFFECT(the_capabilities, the_concurrency, the_id, the_name, the_help, the_params)                              \
    {.struct_size = sizeof(cutroom_effect), .kind = CUTROOM_KIND_SOURCE,                                                      \
     .capabilities = CUTROOM_IGNORES_TIMELINE | (the_capabilities),                                                           \
     .concurrency = the_concurrency, .state = CUTROOM_STATE_PURE, .determinism = CUTROOM_DETERMINISM_MACHINE,                 \
     .format_count = 2, .formats = source_formats, .id = the_id, .version = "1.0.0", .name = the_name, .vendor = "Cutroom",   \
     .license = "MIT", .help = the_help, .params = the_params, .param_count = sizeof the_params / sizeof *the_params,         \
     .param_stride = sizeof *the_params, .create = source_create, .destroy = source_destroy, .process = source_process}

#define SOURCE_NUMBER(the_flags, the_id, the_label, the_unit, low, high, start, the_help)                                     \
    {.type = CUTROOM_PARAM_DOUBLE, .flags = the_flags, .id = the_id, .label = the_label, .unit = the_unit, .help = the_help,  \
     .minimum = low, .maximum = high, .initial = {start}}
#define SOURCE_ANIMATED(...) SOURCE_NUMBER(CUTROOM_PARAM_ANIMATABLE, __VA_ARGS__)
#define SOURCE_FIXED(...) SOURCE_NUMBER(0, __VA_ARGS__)
#define SOURCE_SETUP(...) SOURCE_NUMBER(CUTROOM_PARAM_SETUP_ONLY, __VA_ARGS__)
#define SOURCE_COUNT(the_id, the_label, low, high, start, the_help)                                                           \
    {.type = CUTROOM_PARAM_INT, .flags = CUTROOM_PARAM_ANIMATABLE, .id = the_id, .label = the_label, .unit = "",              \
     .help = the_help, .minimum = low, .maximum = high, .initial = {start}}
#define SOURCE_COLOR(the_id, the_label, r, g, b, a, the_help)                                                                 \
    {.type = CUTROOM_PARAM_COLOR, .flags = CUTROOM_PARAM_ANIMATABLE, .id = the_id, .label = the_label, .unit = "",            \
     .help = the_help, .minimum = 0, .maximum = 1, .initial = {r, g, b, a}}
#define SOURCE_ENUM(the_id, the_label, the_choices, the_help)                                                                 \
    {.type = CUTROOM_PARAM_ENUM, .id = the_id, .label = the_label, .unit = "", .help = the_help, .choice_ids = the_choices,   \
     .choice_count = sizeof the_choices / sizeof *the_choices}
#define SOURCE_MEDIA                                                                                                          \
    {.type = CUTROOM_PARAM_PATH, .flags = CUTROOM_PARAM_SETUP_ONLY | CUTROOM_PARAM_EXPECTED, .id = "media",                  \
     .label = "Media", .unit = "",                                                                                            \
     .help = "A file with sound; without one there is silence."}
#define SOURCE_OFFSET                                                                                                         \
    SOURCE_FIXED("offset", "Offset", "s", -86400, 86400, 0, "The time in the sound at which the source begins.")

static inline double source_time(const cutroom_call *call) { return (double)call->time.num / (double)call->time.den; }

/* ---- Pixels -------------------------------------------------------------------------------------------------------------- */

/* A colour as frames encode it, with straight alpha. */
typedef struct source_color {
    float rgb[3], alpha;
} source_color;

/* From a colour parameter. In HDR of BT.2020 its white is the reference white. */
source_color source_encode(const cutroom_value *value, const cutroom_frame *frame);

/* `b` over `a` by its alpha times `cover`. */
source_color source_over(source_color a, source_color b, float cover);

/* Between two colours, alpha included, at `t` of the way. */
source_color source_mix(source_color a, source_color b, float t);

/* Writes `count` pixels from column 0 of row `y`, in the frame's format and kind of alpha. */
void source_put(const cutroom_frame *frame, int y, const source_color *pixels, int count);

/* A rectangle with round corners, in pixels from the top left. */
typedef struct source_bar {
    double left, right, top, bottom, radius;
} source_bar;

/* Adds to `cover` the shares of row `y`'s pixels that the bar covers: bars that touch leave no
 * seam, and many in a pixel cover it together. What comes of rounding above 1 is the caller's to
 * cut off. */
void source_add_bar(source_bar bar, int y, float *cover, int width);

/* ---- Sound --------------------------------------------------------------------------------------------------------------- */

/* All channels of a file's usual sound as one, at the file's own rate. */
typedef struct source_sound source_sound;

/* An empty path gives silence. On failure a sentence has been said. */
cutroom_status source_sound_open(const cutroom_host *host, void *handle, const char *path, source_sound **sound);
void source_sound_close(source_sound *sound);
int source_sound_rate(const source_sound *sound);

/* `count` samples from number `first` on, zero before the sound and after it: the same whatever was
 * read before. */
cutroom_status source_sound_read(source_sound *sound, void *handle, int64_t first, int count, float *samples);

/* The longest stretch that can be read in one frame without decoding anything twice, in seconds. */
enum { SOURCE_LONGEST = 30 };

#endif
