/*
 * Cutroom plugin interface, version 1.4. This header is all that a plugin needs. C11 and C++17;
 * LP64 little-endian Linux.
 *
 * A plugin is a shared library that exports one data symbol, `cutroom_plugin_entry`, and uses no
 * symbol of the host.
 *
 * Rules
 *  - Life: init, then for each effect: create, process …, destroy. A host never unloads a library;
 *    it ends the process.
 *  - Sizes: a structure that begins with `struct_size` may be longer or shorter on the other side.
 *    The writer sets it to its own sizeof; the reader copies the smaller of both sizes into a
 *    zeroed local (`cutroom_copy`) before it reads a field. New fields come at the end and mean,
 *    when zero, what was before them. Other structures are frozen.
 *  - Zero is the cautious answer of every field: a declaration left out costs speed, never a wrong
 *    picture.
 *  - Ownership: what crosses a call is lent for that call: frames, values, texts. Descriptors,
 *    which the plugin owns, stay valid and unchanged until the process ends.
 *  - Texts are UTF-8, end with a zero byte and, where null is not allowed explicitly, are never
 *    null.
 *  - Nothing unwinds across the interface: no C++ exception, no longjmp. No call changes the
 *    floating-point mode, the locale, the signal mask or the current folder, writes to standard
 *    output, or leaves a thread running that touches lent memory.
 *  - Each field says who writes it: [P] the plugin, [H] the host.
 */
#ifndef CUTROOM_PLUGIN_H
#define CUTROOM_PLUGIN_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The major version never changes; a minor version only adds. 1.1: CUTROOM_WANTS_KEY. 1.2:
 * CUTROOM_IGNORES_TIMELINE. 1.3: CUTROOM_PARAM_EXPECTED. 1.4: cutroom_plugin.files. */
#define CUTROOM_ABI_MAJOR ((uint32_t)1)
#define CUTROOM_ABI_MINOR ((uint32_t)4)
/* `PMRC`, the bytes C R M P in memory. */
#define CUTROOM_MAGIC ((uint32_t)0x504d5243)

#define CUTROOM_EXPORT __attribute__((visibility("default")))

/* ---- Status ------------------------------------------------------------------------------------------------------------ */

/* What a call returns. An unknown negative value is read as CUTROOM_ERROR_FATAL. */
typedef int32_t cutroom_status;
#define CUTROOM_OK ((cutroom_status)0)
/* process only: the output is input 0's current frame, unchanged; the output was not written. */
#define CUTROOM_PASS ((cutroom_status)1)
/* A format, size, rate or layout that this effect cannot do. */
#define CUTROOM_ERROR_FORMAT ((cutroom_status)-1)
/* A parameter's value that cannot be used. */
#define CUTROOM_ERROR_PARAM ((cutroom_status)-2)
/* Not enough memory. */
#define CUTROOM_ERROR_MEMORY ((cutroom_status)-3)
/* Left early because cutroom_host.cancelled said so. */
#define CUTROOM_ERROR_CANCELLED ((cutroom_status)-4)
/* Failed for a reason that may pass (a busy device): the host may try again, here or in another
 * process. */
#define CUTROOM_ERROR_RETRY ((cutroom_status)-5)
/* Something this plugin or this host does not offer. */
#define CUTROOM_ERROR_UNSUPPORTED ((cutroom_status)-6)
/* The instance cannot be used any more; only destroy may follow. */
#define CUTROOM_ERROR_FATAL ((cutroom_status)-7)

/* ---- Frames ------------------------------------------------------------------------------------------------------------ */

/* A fraction; den is positive. Times are in seconds. Frozen. */
typedef struct cutroom_rational {
    int64_t num;
    int64_t den;
} cutroom_rational;

/* How samples lie in memory. A reader skips a format it does not know. */
typedef uint32_t cutroom_format;
#define CUTROOM_FORMAT_NONE ((cutroom_format)0)
/* One plane; bytes red, green, blue, alpha. */
#define CUTROOM_FORMAT_RGBA8 ((cutroom_format)1)
/* One plane; floats red, green, blue, alpha, nominally 0…1, values outside are legal; encoded as
 * `transfer` says. */
#define CUTROOM_FORMAT_RGBAF32 ((cutroom_format)2)
/* Three planes Y, U, V of bytes; U and V have (width + 1) / 2 columns and (height + 1) / 2 rows. */
#define CUTROOM_FORMAT_YUV420P8 ((cutroom_format)3)
/* Sound: floats, nominally −1…1. Channel c begins at plane[0] + c · stride[0]; channels in the
 * order of channel_mask's bits. */
#define CUTROOM_FORMAT_PCMF32_PLANAR ((cutroom_format)256)

typedef uint32_t cutroom_alpha;
#define CUTROOM_ALPHA_NONE ((cutroom_alpha)0)          /* opaque; an alpha sample, where there is one, has its greatest value */
#define CUTROOM_ALPHA_STRAIGHT ((cutroom_alpha)1)      /* colour is independent of alpha */
#define CUTROOM_ALPHA_PREMULTIPLIED ((cutroom_alpha)2) /* colour is multiplied by alpha, after the transfer function */

/*
 * A picture or a block of sound. Rows run from the top. Inputs are never written. An output arrives
 * cleared (transparent or opaque black as `alpha` says, or silence) with every field set; the
 * plugin writes samples only, and no byte of a row beyond its width.
 */
typedef struct cutroom_frame {
    uint32_t struct_size;        /* [H] */
    cutroom_format format;       /* [H] */
    int32_t width;               /* [H] columns of plane 0, ≥ 1; 0 for sound */
    int32_t height;              /* [H] rows of plane 0, ≥ 1; 0 for sound */
    uint32_t plane_count;        /* [H] planes in use, 1…4 */
    uint32_t plane_align;        /* [H] power of two that divides the address and the stride of every plane; hosts aim at 64 */
    uint8_t *plane[4];           /* [H] first sample of the top row; null where not in use */
    ptrdiff_t stride[4];         /* [H] bytes from one row (or channel) to the next, positive */
    uint32_t primaries;          /* [H] ITU-T H.273 ColourPrimaries: 1 BT.709, 2 unspecified */
    uint32_t transfer;           /* [H] ITU-T H.273 TransferCharacteristics: 1 BT.709, 8 linear, 13 sRGB */
    uint32_t matrix;             /* [H] ITU-T H.273 MatrixCoefficients: 0 for RGB, 1 BT.709 */
    uint32_t full_range;         /* [H] ITU-T H.273 VideoFullRangeFlag: 1 full, 0 limited (Y 16…235, U and V 16…240) */
    cutroom_alpha alpha;         /* [H] */
    uint32_t chroma_loc;         /* [H] 0 unspecified, else 1 + H.273 Chroma420SampleLocType: 1 left, 2 centre, 3 top left */
    cutroom_rational pixel_aspect; /* [H] width of a pixel divided by its height */
    cutroom_rational pts;        /* [H] seconds; when the frame begins, in the time of the timeline */
    cutroom_rational duration;   /* [H] seconds; 0/1 where not known */
    int64_t index;               /* [H] number of the frame (of the first sample for sound) in that time */
    uint32_t sample_rate;        /* [H] sound: samples per second; else 0 */
    uint32_t sample_count;       /* [H] sound: samples per channel; else 0 */
    uint32_t channel_count;      /* [H] sound: channels; else 0 */
    uint32_t reserved;           /* [H] 0 */
    uint64_t channel_mask;       /* [H] sound: WAVEFORMATEXTENSIBLE speaker bits (1 left, 2 right, 4 centre …); 0 unspecified */
} cutroom_frame;

/* ---- Parameters -------------------------------------------------------------------------------------------------------- */

typedef uint32_t cutroom_param_type;
#define CUTROOM_PARAM_DOUBLE ((cutroom_param_type)1) /* n[0] */
#define CUTROOM_PARAM_INT ((cutroom_param_type)2)    /* n[0], a whole number */
#define CUTROOM_PARAM_BOOL ((cutroom_param_type)3)   /* n[0], 0 or 1 */
#define CUTROOM_PARAM_ENUM ((cutroom_param_type)4)   /* n[0], an index into choice_ids */
#define CUTROOM_PARAM_COLOR ((cutroom_param_type)5)  /* n[0…3] red, green, blue, alpha: sRGB-encoded, straight, 0…1 */
#define CUTROOM_PARAM_POINT ((cutroom_param_type)6)  /* n[0…1] x, y from the top left */
#define CUTROOM_PARAM_STRING ((cutroom_param_type)7) /* text */
/* Text: an absolute path, or empty where none is given. A host refuses a file that cannot be read;
 * it may vanish afterwards. */
#define CUTROOM_PARAM_PATH ((cutroom_param_type)8)

#define CUTROOM_PARAM_ANIMATABLE ((uint32_t)1) /* may differ from frame to frame; numbers only */
#define CUTROOM_PARAM_SETUP_ONLY ((uint32_t)2) /* read in create from cutroom_setup.values; constant for an instance */
#define CUTROOM_PARAM_HIDDEN ((uint32_t)4)     /* not offered to people, accepted from scripts */
#define CUTROOM_PARAM_IN_PIXELS ((uint32_t)8)  /* in canvas pixels: a host that renders at another size scales the value */
/* Since 1.3. Texts: without a value, the effect does nothing useful, and the host warns. `help`
 * says what value is expected. */
#define CUTROOM_PARAM_EXPECTED ((uint32_t)16)

/*
 * Describes a parameter. The host evaluates keyframes and functions and hands over plain values,
 * always inside the range: an effect never sees animation and must not remember earlier values. Ids
 * are for ever. In an array with cutroom_effect.param_stride.
 */
typedef struct cutroom_param {
    cutroom_param_type type;       /* [P] */
    uint32_t flags;                /* [P] CUTROOM_PARAM_ANIMATABLE … */
    const char *id;                /* [P] lower-case letters, digits and _; unique in the effect */
    const char *label;             /* [P] for people */
    const char *unit;              /* [P] "px", "s", "dB", "°", "" … */
    const char *help;              /* [P] one sentence */
    double minimum;                /* [P] of each component; no bounds where minimum equals maximum */
    double maximum;                /* [P] */
    double initial[4];             /* [P] the default, inside the bounds */
    const char *initial_text;      /* [P] the default of a text; null: empty */
    const char *const *choice_ids; /* [P] enumeration: choice_count ids; else null */
    uint32_t choice_count;         /* [P] */
    uint32_t reserved;             /* [P] 0 */
} cutroom_param;

/* The value of one parameter at one time. Arrays of values follow the order of the parameters.
 * Frozen. */
typedef struct cutroom_value {
    double n[4];      /* [H] components; those not in use are 0 */
    const char *text; /* [H] string and path; else null */
} cutroom_value;

/* ---- Calls ------------------------------------------------------------------------------------------------------------- */

#define CUTROOM_QUALITY_FINAL ((uint32_t)0)
#define CUTROOM_QUALITY_DRAFT ((uint32_t)1) /* a preview: speed before beauty */

/* What stays the same for the life of an instance: every frame in and out has this format and size.
 */
typedef struct cutroom_setup {
    uint32_t struct_size;          /* [H] */
    cutroom_format format;         /* [H] one of cutroom_effect.formats */
    int32_t width;                 /* [H] pixels, ≥ 1; 0 for sound */
    int32_t height;                /* [H] pixels, ≥ 1; 0 for sound */
    cutroom_rational pixel_aspect; /* [H] width of a pixel divided by its height */
    cutroom_rational frame_rate;   /* [H] frames per second */
    uint32_t primaries;            /* [H] as in cutroom_frame, and the next three */
    uint32_t transfer;             /* [H] */
    uint32_t matrix;               /* [H] */
    uint32_t full_range;           /* [H] */
    uint32_t sample_rate;          /* [H] sound: samples per second */
    uint32_t max_samples;          /* [H] sound: the largest sample_count that will come */
    uint32_t channel_count;        /* [H] sound */
    uint32_t max_threads;          /* [H] how many threads the effect may keep busy, ≥ 1, cutroom_host.parallel included */
    uint64_t channel_mask;         /* [H] sound, as in cutroom_frame */
    uint32_t quality;              /* [H] CUTROOM_QUALITY_… */
    uint32_t value_count;          /* [H] the number of parameters that the host knows of */
    const cutroom_value *values;   /* [H] setup-only parameters: the value; others: the default */
    void *handle;                  /* [H] for cutroom_host.error during create */
} cutroom_setup;

/* One input with the window of frames that the effect asked for. */
typedef struct cutroom_input {
    uint32_t struct_size;               /* [H] */
    uint32_t before;                    /* [H] frames before the current one: cutroom_effect.reach_before; sound: 0 */
    uint32_t after;                     /* [H] frames after it: cutroom_effect.reach_after; sound: 0 */
    uint32_t reserved;                  /* [H] 0 */
    const cutroom_frame *const *frames; /* [H] before + 1 + after pointers in order of time; null past the ends of the stream */
} cutroom_input;

#define CUTROOM_CALL_DISCONTINUITY ((uint32_t)1) /* this frame does not follow the one processed last */

/* One frame, or one block of sound, to be made. */
typedef struct cutroom_call {
    uint32_t struct_size;               /* [H] */
    uint32_t flags;                     /* [H] CUTROOM_CALL_DISCONTINUITY … */
    uint32_t input_count;               /* [H] filter, audio filter, analyser 1; transition 2 (old, new); source 0; with */
                                        /* CUTROOM_WANTS_KEY 2 (the sound, its key), in hosts before
                                         * 1.1 and without a key 1 */
    uint32_t value_count;               /* [H] */
    const cutroom_input *const *inputs; /* [H] input_count pointers */
    const cutroom_frame *output;        /* [H] its samples are for the plugin to write; null for an analyser */
    const cutroom_value *values;        /* [H] each parameter's value at `time` */
    int32_t row_begin;                  /* [H] rows of plane 0 to write: [row_begin, row_end). All of them, but with */
    int32_t row_end;                    /* [H] CUTROOM_CAN_ROW_SLICES a part; row_begin is even */
    cutroom_rational time;              /* [H] seconds since the effect's range began */
    cutroom_rational timeline_time;     /* [H] seconds since the timeline began */
    cutroom_rational duration;          /* [H] seconds; length of the effect's range, 0/1 where not known */
    double progress;                    /* [H] time / duration, 0 ≤ progress < 1 */
    int64_t index;                      /* [H] frames (samples for sound) since the effect's range began */
    uint64_t seed;                      /* [H] the only legal source of randomness: a function of draft, effect and index */
    void *handle;                       /* [H] for error, cancelled and emit */
} cutroom_call;

#define CUTROOM_LOG_DEBUG ((int32_t)0)
#define CUTROOM_LOG_INFO ((int32_t)1)
#define CUTROOM_LOG_WARNING ((int32_t)2)
#define CUTROOM_LOG_ERROR ((int32_t)3)

/*
 * What the host does for a plugin. It lives until the process ends. Each function may be called
 * from any thread, takes `context` first, and is there in every host of version 1.0. `handle` is
 * that of the setup or call in progress.
 */
typedef struct cutroom_host {
    uint32_t struct_size; /* [H] */
    uint32_t abi_major;   /* [H] */
    uint32_t abi_minor;   /* [H] */
    uint32_t reserved;    /* [H] 0 */
    void *context;        /* [H] */
    const char *name;     /* [H] "cutroom" */
    const char *version;  /* [H] of the host program */
    /* Writes a line to the worker's log; which levels are kept is the host's choice. */
    void (*log)(void *context, int32_t level, const char *message);
    /* Sets the sentence that goes with the error about to be returned; the last one counts. A null
     * handle is for init. */
    void (*error)(void *context, void *handle, const char *message);
    /* 1 when the result is not wanted any more; a call longer than 0.1 s should ask now and then.
     */
    int32_t (*cancelled)(void *context, void *handle);
    /* Analysers: `count` numbers under `key` for the current frame. */
    cutroom_status (*emit)(void *context, void *handle, const char *key, const double *numbers, uint32_t count);
    /* `size` bytes on an `alignment` (power of two, at most 4096) for the plugin to own; null when
     * there is no memory. */
    void *(*alloc)(void *context, size_t size, size_t alignment);
    /* Gives back what alloc gave; null does nothing. */
    void (*release)(void *context, void *memory);
    /* Calls task(data, i) once for each i in [0, count), perhaps on several threads, and returns
     * when all have returned. */
    cutroom_status (*parallel)(void *context, void (*task)(void *data, uint32_t index), void *data, uint32_t count);
    /* An extension's function table by its id ("org.example.thing") and revision; null where the
     * host has none. */
    const void *(*extension)(void *context, const char *id, uint32_t revision);
} cutroom_host;

/* ---- Effects and plugins ----------------------------------------------------------------------------------------------- */

typedef uint32_t cutroom_kind;
#define CUTROOM_KIND_FILTER ((cutroom_kind)1)       /* picture in, picture out */
#define CUTROOM_KIND_TRANSITION ((cutroom_kind)2)   /* two pictures in, picture out */
#define CUTROOM_KIND_SOURCE ((cutroom_kind)3)       /* picture out */
#define CUTROOM_KIND_AUDIO_FILTER ((cutroom_kind)4) /* sound in, sound out */
#define CUTROOM_KIND_ANALYSER ((cutroom_kind)5)     /* picture or sound in, numbers out by cutroom_host.emit */

/* A host ignores capabilities that it does not know. */
#define CUTROOM_CAN_IN_PLACE ((uint32_t)1)        /* output planes may be those of input 0 */
#define CUTROOM_CAN_ROW_SLICES ((uint32_t)2)      /* process may be called for parts of the rows, in any order */
#define CUTROOM_CAN_SHARE_INSTANCE ((uint32_t)4)  /* one instance serves many ranges; pure and re-entrant effects only */
#define CUTROOM_NEEDS_NETWORK ((uint32_t)8)       /* a host that gives plugins no network refuses it */
#define CUTROOM_NEEDS_FILES ((uint32_t)16)        /* reads files other than cutroom_plugin.files and its path parameters */
/* Since 1.1. Audio filters: a second input, the sound that keys the effect, such as the voice that
 * music makes room for. It has the form, the times and the reach of the first input, with silence
 * past the same ends. */
#define CUTROOM_WANTS_KEY ((uint32_t)32)
/* Since 1.2. The result does not depend on where on the timeline the effect stands: not on
 * timeline_time, nor on the pts and index of frames. A host may then use what was made at one place
 * at another. */
#define CUTROOM_IGNORES_TIMELINE ((uint32_t)64)

/* create, process, reset and destroy may each come from another thread; this says how many may come
 * at once. */
typedef uint32_t cutroom_concurrency;
#define CUTROOM_CONCURRENCY_PROCESS ((cutroom_concurrency)0)  /* one call at a time into the library */
#define CUTROOM_CONCURRENCY_INSTANCE ((cutroom_concurrency)1) /* one call at a time into an instance */
#define CUTROOM_CONCURRENCY_REENTRANT ((cutroom_concurrency)2) /* process may run many times at once in one instance */

typedef uint32_t cutroom_state;
#define CUTROOM_STATE_SEQUENTIAL ((cutroom_state)0) /* depends on every frame before it: a range is never split */
#define CUTROOM_STATE_WARM_UP ((cutroom_state)1)    /* exact once `warm_up` frames (samples) before it were processed */
#define CUTROOM_STATE_PURE ((cutroom_state)2)       /* depends on its inputs, values, times, index and seed only */

typedef uint32_t cutroom_determinism;
#define CUTROOM_DETERMINISM_NONE ((cutroom_determinism)0)    /* may differ from run to run: results are not cached */
#define CUTROOM_DETERMINISM_MACHINE ((cutroom_determinism)1) /* the same bytes on the same kind of processor */
#define CUTROOM_DETERMINISM_EXACT ((cutroom_determinism)2)   /* the same bytes everywhere */

/* Describes an effect and its functions. The host gives `create` the very pointer it got, so a
 * plugin may put it in a larger structure. */
typedef struct cutroom_effect {
    uint32_t struct_size;             /* [P] */
    cutroom_kind kind;                /* [P] */
    uint32_t capabilities;            /* [P] CUTROOM_CAN_…, CUTROOM_NEEDS_…, CUTROOM_WANTS_…, CUTROOM_IGNORES_… */
    cutroom_concurrency concurrency;  /* [P] */
    cutroom_state state;              /* [P] */
    uint32_t warm_up;                 /* [P] frames (samples for sound); used with CUTROOM_STATE_WARM_UP */
    cutroom_determinism determinism;  /* [P] */
    uint32_t reach_before;            /* [P] frames of each input needed before the current one. For sound, samples: an */
    uint32_t reach_after;             /* [P] input block is longer than the output by both, with silence past the ends */
    uint32_t format_count;            /* [P] ≥ 1 */
    const cutroom_format *formats;    /* [P] best first; a picture effect has RGBA8 or RGBAF32, a sound effect PCMF32_PLANAR */
    const char *id;                   /* [P] reverse-DNS, "org.example.glow"; for ever */
    const char *version;              /* [P] of the effect, "1.0.0" */
    const char *name;                 /* [P] for people */
    const char *vendor;               /* [P] */
    const char *license;              /* [P] an SPDX expression */
    const char *help;                 /* [P] one or two sentences */
    const cutroom_param *params;      /* [P] param_count of them, param_stride bytes apart; null where there are none */
    uint32_t param_count;             /* [P] */
    uint32_t param_stride;            /* [P] sizeof(cutroom_param) as the plugin was built */
    /* Makes an instance. On failure nothing is left behind and *instance is not read. Null may be
     * an instance. */
    cutroom_status (*create)(const struct cutroom_effect *effect, const cutroom_host *host, const cutroom_setup *setup,
                             void **instance);
    /* Ends an instance; also after CUTROOM_ERROR_FATAL. */
    void (*destroy)(void *instance);
    /* Makes one frame or block. Any error but FATAL leaves the instance as if the call had not
     * been. */
    cutroom_status (*process)(void *instance, const cutroom_call *call);
    /* Forgets all frames processed so far. May be null where the state is pure. */
    cutroom_status (*reset)(void *instance);
    /* The effect's side of an extension; null where it has none. May be null. */
    const void *(*extension)(const struct cutroom_effect *effect, const char *id, uint32_t revision);
} cutroom_effect;

/* Describes a library. The first five fields are frozen for every version, so that any host can say
 * why it refuses. */
typedef struct cutroom_plugin {
    uint32_t magic;            /* [P] CUTROOM_MAGIC */
    uint32_t struct_size;      /* [P] */
    uint32_t abi_major;        /* [P] CUTROOM_ABI_MAJOR */
    uint32_t abi_minor;        /* [P] CUTROOM_ABI_MINOR: what it was built with */
    uint32_t abi_minor_needed; /* [P] the lowest minor version of a host that it works with */
    uint32_t reserved;         /* [P] 0 */
    const char *name;          /* [P] of the library */
    const char *version;       /* [P] */
    /* Called before anything else, and again for each further user of the library, so it counts
     * its calls. `path` is the library's absolute path, so that it finds its `files`. `host` stays
     * valid. A library whose init failed is not called again. */
    cutroom_status (*init)(const cutroom_host *host, const char *path);
    /* How many effects there are, and each of them: the same answers each time. Null where index is
     * not below the count. */
    uint32_t (*effect_count)(void);
    const cutroom_effect *(*effect)(uint32_t index);
    /* Once for each successful init. May be null. A process that ends in a hurry does not call it.
     */
    void (*deinit)(void);
    /* Since 1.4. [P] The data files that the library reads, as paths relative to its folder such as
     * "curves/film.bin", ended by null; null: none. At most 256, without "." and ".." in them. All
     * of them must be there. A host hashes them together with the library, so what was made with
     * other contents is not used again, and brings them wherever it brings the library: other files
     * in its folder may be missing there. */
    const char *const *files;
} cutroom_plugin;

/* The one symbol that a plugin exports. */
extern CUTROOM_EXPORT const cutroom_plugin cutroom_plugin_entry;

/* ---- Helpers ----------------------------------------------------------------------------------------------------------- */

/* Copies a structure that begins with struct_size into `to` (of `size` bytes), zero where the other
 * side's is shorter. The copy's struct_size is what was copied. */
static inline void cutroom_copy(void *to, size_t size, const void *from) {
    uint32_t other;
    memcpy(&other, from, sizeof other);
    uint32_t common = other < size ? other : (uint32_t)size;
    memset(to, 0, size);
    memcpy(to, from, common);
    if (size >= sizeof common) memcpy(to, &common, sizeof common);
}

/* 1 where the structure that `pointer` shows is long enough to have `field`. */
#define CUTROOM_HAS(pointer, field) \
    ((size_t)(pointer)->struct_size >= (size_t)((const char *)&(pointer)->field - (const char *)(pointer)) + sizeof((pointer)->field))

/* The current frame of input `index`. */
static inline const cutroom_frame *cutroom_current(const cutroom_call *call, uint32_t index) {
    return call->inputs[index]->frames[call->inputs[index]->before];
}

#ifdef __cplusplus
}
#endif

#endif
