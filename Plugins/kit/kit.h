/*
 * What the shipped effects share: the life of an effect, its planes, colour codes, hashes, box
 * filters and sampling. It is linked into each library that uses it and exports nothing.
 *
 * Everything here gives the same bytes on every machine: arithmetic is in integers, or in IEEE
 * additions, multiplications, divisions and square roots that the compiler may not contract
 * (-ffp-contract=off); of libm only `floor`, `sqrt`, `frexp` and `ldexp`, which are exact, are
 * used.
 */
#ifndef KIT_H
#define KIT_H

#include "entry.h"

/* ---- One body, several processors -------------------------------------------------------------------------------------- */

#define KIT_INLINE static inline __attribute__((always_inline))
#if defined(__x86_64__)
#define KIT_AVX2 __attribute__((target("avx2")))
KIT_INLINE int kit_has_avx2(void) { return __builtin_cpu_supports("avx2"); }
#else
#define KIT_AVX2
KIT_INLINE int kit_has_avx2(void) { return 0; }
#endif

/* Makes `static void name(params)` of the always-inline `name_body(params)`: compiled for the base
 * instruction set and for AVX2, so that the compiler vectorises each for its set. */
#define KIT_KERNEL(name, params, args)                              \
    static void name##_base params { name##_body args; }            \
    KIT_AVX2 static void name##_avx2 params { name##_body args; }   \
    static void name params {                                       \
        if (kit_has_avx2()) name##_avx2 args;                       \
        else name##_base args;                                      \
    }

KIT_INLINE int kit_clamp(int x, int low, int high) { return x < low ? low : x > high ? high : x; }
KIT_INLINE double kit_bound(double x, double low, double high) { return x < low ? low : x > high ? high : x; }
KIT_INLINE uint8_t kit_u8(int x) { return (uint8_t)kit_clamp(x, 0, 255); }
/* 3t² − 2t³ with t held in 0…1. */
KIT_INLINE double kit_smoothstep(double t) { return t = kit_bound(t, 0, 1), t * t * (3 - 2 * t); }

/* ---- Parameters -------------------------------------------------------------------------------------------------------- */

#define KIT_NUMBER(the_type, more, the_id, the_label, the_unit, low, high, start, the_help)                               \
    {.type = the_type, .flags = CUTROOM_PARAM_ANIMATABLE | (more), .id = the_id, .label = the_label, .unit = the_unit,    \
     .help = the_help, .minimum = low, .maximum = high, .initial = {start}}
#define KIT_DOUBLE(id, label, unit, low, high, start, help) \
    KIT_NUMBER(CUTROOM_PARAM_DOUBLE, 0, id, label, unit, low, high, start, help)
#define KIT_PIXELS(id, label, low, high, start, help) \
    KIT_NUMBER(CUTROOM_PARAM_DOUBLE, CUTROOM_PARAM_IN_PIXELS, id, label, "px", low, high, start, help)
#define KIT_INT(id, label, unit, low, high, start, help) \
    KIT_NUMBER(CUTROOM_PARAM_INT, 0, id, label, unit, low, high, start, help)
#define KIT_POINT(more, the_id, the_label, the_unit, low, high, x, y, the_help)                                            \
    {.type = CUTROOM_PARAM_POINT, .flags = CUTROOM_PARAM_ANIMATABLE | (more), .id = the_id, .label = the_label,            \
     .unit = the_unit, .help = the_help, .minimum = low, .maximum = high, .initial = {x, y}}
#define KIT_COLOR(the_id, the_label, r, g, b, a, the_help)                                                                 \
    {.type = CUTROOM_PARAM_COLOR, .flags = CUTROOM_PARAM_ANIMATABLE, .id = the_id, .label = the_label, .unit = "",         \
     .help = the_help, .minimum = 0, .maximum = 1, .initial = {r, g, b, a}}
#define KIT_ENUM(the_id, the_label, the_choices, the_help)                                                                 \
    {.type = CUTROOM_PARAM_ENUM, .id = the_id, .label = the_label, .unit = "", .help = the_help, .choice_ids = the_choices, \
     .choice_count = sizeof the_choices / sizeof *the_choices}
/* What makes two uses of an effect differ. */
#define KIT_SEED KIT_INT("seed", "Seed", "", 0, 9999, 1, "Each number gives another random variation.")

/* ---- Effects ----------------------------------------------------------------------------------------------------------- */

/* One plane of a frame's inputs and output; sizes in samples of it, strides in bytes. */
typedef struct kit_plane {
    const uint8_t *in;
    const uint8_t *next; /* the incoming picture of a transition, whose outgoing one is `in`; else null */
    uint8_t *out;
    ptrdiff_t in_stride, next_stride, out_stride;
    int width, height;
    int channels;   /* components of a sample: 1, or 4 for RGBA */
    int floats;     /* components are floats (RGBAF32) and not bytes; for effects that list the format */
    int shift;      /* 1 for a plane that has half the columns and rows */
    int left;       /* its samples lie on the even columns of pixels (MPEG-2, H.264) and not between two; see kit_middle */
    int columns;    /* the picture's width in pixels */
    int begin, end; /* the rows to write */
} kit_plane;

/* Code values of luma and chroma: what a frame's matrix and range say. For RGB frames BT.709, full
 * range. */
typedef struct kit_coding {
    double kr, kb;
    double black, luma, chroma; /* Y = black + luma · E'Y, C = 128 + chroma · E'C */
} kit_coding;

typedef struct kit_job {
    const struct kit_effect *effect;
    const cutroom_host *host;
    const cutroom_call *call;
    const cutroom_value *values;
    const void *data;      /* what `prepare` made */
    int width, height;     /* pixels */
    int plane_count;       /* 1: RGBA; 3: Y, U, V */
    int premultiplied;     /* RGBA: colours are multiplied by alpha */
    kit_plane plane[3];
    kit_coding coding;
    double time;           /* seconds since the effect's range began */
    double progress;       /* of the effect's range, 0 ≤ progress < 1 */
} kit_job;

/* An effect of a library; the host hands it back to `create` by its first field. */
typedef struct kit_effect {
    cutroom_effect abi;
    cutroom_status (*render)(const kit_job *job);
    int mixes;        /* pixels of several places go into one: straight alpha is multiplied in before and taken out after */
    size_t data_size; /* bytes of what `prepare` makes, once for an instance */
    cutroom_status (*prepare)(void *data, const cutroom_host *host, const cutroom_setup *setup);
    void (*dispose)(void *data, const cutroom_host *host);
} kit_effect;

cutroom_status kit_create(const cutroom_effect *, const cutroom_host *, const cutroom_setup *, void **);
void kit_destroy(void *);
cutroom_status kit_process(void *, const cutroom_call *);

/* 4:2:0, RGBA of bytes, RGBA of floats. */
extern const cutroom_format kit_formats[3];

/* The fields that all effects of the kit have alike: pure, re-entrant, in slices of rows, the same
 * all along the timeline. */
#define KIT_KIND(the_kind, formats_, exactness, more, the_id, the_name, the_help, the_params)                              \
    {.struct_size = sizeof(cutroom_effect), .kind = the_kind,                                                              \
     .capabilities = CUTROOM_CAN_ROW_SLICES | CUTROOM_IGNORES_TIMELINE | (more),                                           \
     .concurrency = CUTROOM_CONCURRENCY_REENTRANT,                                                                         \
     .state = CUTROOM_STATE_PURE, .determinism = exactness, .format_count = formats_, .formats = kit_formats,              \
     .id = the_id, .version = "1.0.0", .name = the_name, .vendor = "Cutroom", .license = "MIT", .help = the_help,          \
     .params = the_params, .param_count = sizeof the_params / sizeof *the_params, .param_stride = sizeof *the_params,      \
     .create = kit_create, .destroy = kit_destroy, .process = kit_process}
/* A filter of bytes with the same bytes everywhere. */
#define KIT_EFFECT(more, the_id, the_name, the_help, the_params) \
    KIT_KIND(CUTROOM_KIND_FILTER, 2, CUTROOM_DETERMINISM_EXACT, more, the_id, the_name, the_help, the_params)
/* A transition; its first frame, where progress is 0, is the outgoing picture before `render` is
 * asked. */
#define KIT_TRANSITION(the_id, the_name, the_help, the_params)                                                            \
    KIT_KIND(CUTROOM_KIND_TRANSITION, 3, CUTROOM_DETERMINISM_EXACT, CUTROOM_CAN_SHARE_INSTANCE, the_id, the_name, the_help, \
             the_params)

/* Bytes to work with, for kit_release; null where there is no memory. */
void *kit_alloc(const cutroom_host *host, size_t size);
void kit_release(const cutroom_host *host, void *memory);

/* Rows of the input as they are. */
void kit_copy(const kit_plane *plane);

/* How far in a sample its middle lies, from the left and in widths of a sample. Chroma on the even
 * columns of pixels: a quarter. Downwards it is always a half: chroma lies between two rows. */
KIT_INLINE double kit_middle(const kit_plane *plane) { return plane->left ? 0.25 : 0.5; }

/* The plane with the incoming picture for its input. */
KIT_INLINE kit_plane kit_incoming(const kit_plane *plane) {
    kit_plane other = *plane;
    other.in = plane->next, other.in_stride = plane->next_stride;
    return other;
}

/* ---- Numbers ----------------------------------------------------------------------------------------------------------- */

/* The finaliser of SplitMix64 (Steele, Lea and Flood 2014) over both. */
KIT_INLINE uint64_t kit_hash(uint64_t a, uint64_t b) {
    uint64_t z = (a ^ 0x6a09e667f3bcc909u) + (b + 1) * 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}
/* 0 ≤ x < 1. */
KIT_INLINE double kit_unit(uint64_t hash) { return (double)(hash >> 11) * 0x1p-53; }

/* Sine and cosine of an angle in turns; error below 1e-8. */
double kit_sin(double turns);
double kit_cos(double turns);

/* Where in its turn a clock stands, 0 ≤ phase < 1, and how many it has completed. A product that
 * misses a whole number by rounding counts as one: a time such as 10/30 s times 3 Hz is exactly one
 * turn. */
double kit_phase(double turns);
uint64_t kit_count(double turns);

/* x to the power of y and the natural logarithm, for x > 0; e to the power of x, for |x| < 700.
 * Errors are below 1e-12 of the result, of the logarithm below 1e-14. */
double kit_pow(double x, double y);
double kit_log(double x);
double kit_exp(double x);

/* Smooth noise over `t`, −1…1, about one swing for each unit of t. */
double kit_noise(uint64_t seed, double t);

/* ---- Colour ------------------------------------------------------------------------------------------------------------ */

kit_coding kit_coding_of(uint32_t matrix, int full_range);
/* Code values of an R'G'B' colour of 0…1, rounded. */
void kit_codes(const kit_coding *coding, const double rgb[3], int codes[3]);

/* An sRGB colour of 0…1 as a frame of floats encodes it (`transfer` by H.273). On an HDR canvas (16
 * PQ, 18 HLG; BT.2020) its white is the reference white of 203 cd/m² (ITU-R BT.2408). */
void kit_light(const double srgb[3], uint32_t transfer, float out[3]);
/* The colour in the frames of a job: codes of the planes, of RGBA's components, or floats. */
void kit_samples_of(const kit_job *job, const double srgb[3], float out[3]);

/* A frame's luma: the input's own plane, or one that was made of RGBA (BT.709, full range) and is
 * to be released. */
typedef struct kit_luma {
    const uint8_t *rows; /* row 0 */
    ptrdiff_t stride;
    uint8_t *owned;
} kit_luma;

/* Rows [low, high), which may reach beyond the picture, of the luma; `rows` is null where there is
 * no memory. */
kit_luma kit_luma_of(const kit_job *job, int low, int high);

/* Luma of a row of RGBA pixels, full range BT.709. */
void kit_luma_row(const uint8_t *rgba, int width, uint8_t *luma);
/* A row with `delta` (luma codes) added to its luma: to Y, or by kit_add_luma. Chroma planes are
 * left alone. */
void kit_shift_luma(const kit_job *job, int y, const int16_t *delta);
/* Adds `delta` (luma codes) to red, green and blue: chroma stays. Premultiplied colours stay below
 * their alpha. */
void kit_add_luma(const uint8_t *in, uint8_t *out, int width, const int16_t *delta, int premultiplied);

/* ---- Box filters ------------------------------------------------------------------------------------------------------- */

/* A plane to filter; `bytes` xor `words`. Strides in samples of the type. */
typedef struct kit_source {
    const uint8_t *bytes;   /* taken as 8.8 fixed point */
    const uint16_t *words;
    ptrdiff_t stride;
    int width, height, channels;
} kit_source;

typedef struct kit_target {
    uint8_t *bytes;  /* rounded from 8.8; what was words must not be above 0xff00 */
    uint16_t *words;
    ptrdiff_t stride;
} kit_target;

/*
 * `passes` (1…3) box filters in both directions. The box reaches `radius` samples to each side, and
 * `edge` (0 ≤ edge < 1) is the weight of the next one. Outside the picture its nearest sample
 * counts. Rows [begin, end) of the target are written. Each pass rounds to 16 bits.
 */
cutroom_status kit_box(const cutroom_host *host, kit_source source, kit_target target, int passes, int radius, double edge,
                       int begin, int end);

/* The same as a Gaussian with a standard deviation of `sigma` samples. */
cutroom_status kit_gauss(const cutroom_host *host, kit_source source, kit_target target, double sigma, int begin, int end);

/* ---- Sampling ---------------------------------------------------------------------------------------------------------- */

#define KIT_CLAMP 0  /* outside the picture its nearest sample */
#define KIT_MIRROR 1 /* the picture mirrored at its edges, again and again */

/* A line through a plane, in samples with 16 bits of fraction: sample centres lie at whole numbers.
 */
typedef struct kit_line {
    int64_t x, y, dx, dy;
} kit_line;

/* `count` samples along the line, bilinear, to `out` (floats where the plane has floats). */
void kit_sample_row(const kit_plane *plane, uint8_t *out, int count, kit_line line, int edges);

/* Maps a point of the output, in pixels from the top left, to one of the input. */
typedef struct kit_affine {
    double xx, xy, yx, yy, x, y; /* in = (xx · px + xy · py + x, yx · px + yy · py + y) */
} kit_affine;

/* The line of row `y` of a plane from column `x` on. */
kit_line kit_line_of(const kit_affine *map, const kit_plane *plane, int x, int y);

#endif
