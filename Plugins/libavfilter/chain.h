/*
 * A chain of libavfilter's filters with one way in and one way out: what the effects of this
 * library are made of.
 *
 * One thread, and conversions between the filters without tricks of the processor (bitexact): the
 * same frames make the same bytes.
 */
#ifndef CHAIN_H
#define CHAIN_H

#include <cutroom/plugin.h>
#include <cutroom/libav_log.h>
#include <libavfilter/avfilter.h>
#include <libavutil/frame.h>

enum { CHAIN_REASON = 700 };

/* How formats are converted between filters. */
#define CHAIN_SCALING "flags=bicubic+accurate_rnd+full_chroma_int+bitexact"

typedef struct chain_setting {
    const cutroom_setup *setup; /* of pictures or of sound */
    const char *text;           /* the chain as it is written for ffmpeg */
    int is_pure;                /* only filters that make each frame by itself */
} chain_setting;

typedef struct chain {
    AVFilterGraph *graph;
    AVFilterContext *source, *sink;
} chain;

/* Makes the chain. On failure nothing is left behind, and `reason` is a sentence that names the
 * chain, or empty without memory. `log` may be null. */
cutroom_status chain_open(chain *made, const chain_setting *setting, const cutroom_libav_log *log, char reason[CHAIN_REASON]);
void chain_close(chain *chain);

/* ---- Rules ------------------------------------------------------------------------------------------------------------- */

/* Refuses by name what a chain may not have, before anything of it exists. */
cutroom_status chain_check_text(const chain_setting *setting, char reason[CHAIN_REASON]);
/* Refuses what filters were told: files, clocks, and in a pure chain what differs from frame to
 * frame. */
cutroom_status chain_check_filters(const chain_setting *setting, const AVFilterGraph *graph, char reason[CHAIN_REASON]);

/* Why a filter does not give one frame, or sample, for each, whatever it is told; null where it
 * may. `instead` becomes what chain_instead gives. */
const char *chain_breaks(const char *filter, const char **instead);
/* The same of an expression that gives frames other times; null for other filters. */
const char *chain_retimes(const char *filter, const char *expression, const char **instead);

/* What does the work of a filter that holds back or changes the number of frames or samples, as ";
 * …"; empty where nothing does. */
const char *chain_instead(const AVFilterGraph *graph);

/* Writes libavfilter's message, without the addresses of its objects. If none was logged, writes
 * the text of the error. `log` may be null. */
void chain_words(const cutroom_libav_log *log, int error, char *words, size_t size);

/* 1 where the filter makes each frame by itself, if its options do. */
int pure_is_listed(const char *filter);

/* Writes "the chain ‘…’ …" and returns CUTROOM_ERROR_PARAM. */
cutroom_status chain_refuse(const chain_setting *setting, char reason[CHAIN_REASON], const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* ---- An effect --------------------------------------------------------------------------------------------------------- */

/* An instance with its chain, which is made anew after a break and after an error. */
typedef struct runner {
    const cutroom_host *host;
    const cutroom_libav_log *log;
    cutroom_setup setup;
    char *text;
    int is_pure, is_fresh;
    chain chain;
    int64_t position; /* sound: samples so far */
} runner;

cutroom_status runner_create(const cutroom_effect *effect, const cutroom_host *host, const cutroom_setup *setup, void **made);
void runner_destroy(void *memory);
cutroom_status runner_reset(void *memory);
/* The chain, ready for the call's frame. */
cutroom_status runner_ready(runner *runner, const cutroom_call *call);
/* Says the sentence; the chain is made anew for the next call. */
cutroom_status runner_fail(runner *runner, const cutroom_call *call, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* A frame of libavutil's, with memory of its own: filters keep frames, and read beyond rows. Null
 * without memory. */
AVFrame *picture_frame(const cutroom_frame *frame, int64_t time);
void picture_copy_out(const AVFrame *frame, const cutroom_frame *out);

extern const cutroom_effect picture_effect, picture_pure_effect, sound_effect, xfade_effect;

/* Finds the transitions of libavfilter. Must be called before xfade_effect is read. */
void xfade_init(void);
/* Returns 1 if the installed libavfilter has the filter, else 0. */
int xfade_is_there(void);

#endif
