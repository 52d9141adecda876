/*
 * org.cutroom.xfade: the transitions of libavfilter's filter xfade, by their names there.
 *
 * The filter knows how far a transition is by the frames' times alone, counted from its first pair.
 * So it gets a pair at time 0, whose result is dropped, and then each pair at its fraction of a
 * length. The length is a power of two, so fractions are exact. Each frame is made by itself.
 */
#include "chain.h"
#include <libavfilter/buffersink.h>
#include <libavfilter/buffersrc.h>
#include <libavutil/mem.h>
#include <libavutil/opt.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 256, LENGTH = 1 << 24 };

/* Filled once, by the first xfade_init: what this libavfilter has, but `custom`, which takes an
 * expression. */
static const char *names[MOST];
static cutroom_param params[] = {
    {.type = CUTROOM_PARAM_ENUM, .flags = CUTROOM_PARAM_SETUP_ONLY, .id = "transition", .label = "Transition", .unit = "",
     .help = "The transition's name in FFmpeg.", .choice_ids = names},
};

static int compare_values(const void *a, const void *b) {
    const int64_t x = (*(const AVOption *const *)a)->default_val.i64, y = (*(const AVOption *const *)b)->default_val.i64;
    return (x > y) - (x < y);
}

static void find_names(void) {
    const AVFilter *filter = avfilter_get_by_name("xfade");
    const AVClass *class = filter ? filter->priv_class : NULL;
    const AVOption *found[MOST], *setting = class ? av_opt_find(&class, "transition", NULL, 0, AV_OPT_SEARCH_FAKE_OBJ) : NULL;
    uint32_t count = 0;
    for (const AVOption *o = setting ? av_opt_next(&class, NULL) : NULL; o && count < MOST; o = av_opt_next(&class, o))
        if (o->type == AV_OPT_TYPE_CONST && o->unit && setting->unit && strcmp(o->unit, setting->unit) == 0 && o->default_val.i64 >= 0)
            found[count++] = o;
    qsort(found, count, sizeof *found, compare_values);
    for (uint32_t i = 0; i < count; i++) names[i] = found[i]->name;
    params[0].choice_count = count;
}

/* A library may be asked for its effects again while another thread reads them. */
void xfade_init(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, find_names);
}

int xfade_is_there(void) { return params[0].choice_count > 0; }

typedef struct joiner {
    const cutroom_host *host;
    const cutroom_libav_log *log;
    cutroom_setup setup;
    const char *name;
    AVFilterGraph *graph;
    AVFilterContext *sources[2], *sink;
    int has_begun;
} joiner;

static cutroom_status fail(joiner *j, void *handle, int error, const char *what) {
    char words[400], reason[600];
    if (error == AVERROR(ENOMEM)) return CUTROOM_ERROR_MEMORY;
    chain_words(j->log, error, words, sizeof words);
    snprintf(reason, sizeof reason, "the transition ‘%s’ cannot %s: %s", j->name, what, words);
    if (handle) j->host->error(j->host->context, handle, reason);
    return CUTROOM_ERROR_PARAM;
}

static int fill(joiner *j) {
    char text[300];
    const enum AVPixelFormat format = j->setup.format == CUTROOM_FORMAT_RGBA8 ? AV_PIX_FMT_RGBA : AV_PIX_FMT_YUV420P;
    AVFilterContext *xfade = NULL;
    j->graph->nb_threads = 1;
    j->graph->scale_sws_opts = av_strdup(CHAIN_SCALING);
    snprintf(text, sizeof text, "video_size=%dx%d:pix_fmt=%d:time_base=1/1000000:frame_rate=25/1:pixel_aspect=1/1", j->setup.width,
             j->setup.height, format);
    for (int i = 0; i < 2; i++) {
        const int error = avfilter_graph_create_filter(&j->sources[i], avfilter_get_by_name("buffer"), i ? "new" : "old", text, NULL, j->graph);
        if (error < 0) return error;
    }
    snprintf(text, sizeof text, "transition=%s:offset=0:duration=%dus", j->name, LENGTH);
    int error = avfilter_graph_create_filter(&xfade, avfilter_get_by_name("xfade"), "xfade", text, NULL, j->graph);
    if (error < 0) return error;
    j->sink = avfilter_graph_alloc_filter(j->graph, avfilter_get_by_name("buffersink"), "out");
    if (!j->sink) return AVERROR(ENOMEM);
    av_opt_set_bin(j->sink, "pix_fmts", (const uint8_t *)&format, sizeof format, AV_OPT_SEARCH_CHILDREN);
    error = avfilter_init_dict(j->sink, NULL);
    for (unsigned i = 0; i < 2 && error >= 0; i++) {
        AVFilterContext *end = j->sources[i];
        /* The transition fadegrays, given RGB, computes grey from uninitialized memory. */
        if (format == AV_PIX_FMT_RGBA)
            error = avfilter_graph_create_filter(&end, avfilter_get_by_name("format"), NULL, "pix_fmts=yuv444p", NULL, j->graph);
        if (error >= 0 && end != j->sources[i]) error = avfilter_link(j->sources[i], 0, end, 0);
        if (error >= 0) error = avfilter_link(end, 0, xfade, i);
    }
    if (error >= 0) error = avfilter_link(xfade, 0, j->sink, 0);
    return error < 0 ? error : avfilter_graph_config(j->graph, NULL);
}

static void destroy(void *memory) {
    joiner *j = memory;
    avfilter_graph_free(&j->graph);
    av_free(j);
}

static cutroom_status create(const cutroom_effect *effect, const cutroom_host *host, const cutroom_setup *setup, void **made) {
    if (setup->format != CUTROOM_FORMAT_YUV420P8 && setup->format != CUTROOM_FORMAT_RGBA8) return CUTROOM_ERROR_FORMAT;
    const int number = (int)setup->values[0].n[0];
    if (number < 0 || (uint32_t)number >= effect->params[0].choice_count) return CUTROOM_ERROR_PARAM;
    joiner *j = av_mallocz(sizeof *j);
    if (!j) return CUTROOM_ERROR_MEMORY;
    j->host = host;
    cutroom_copy(&j->setup, sizeof j->setup, setup);
    j->setup.values = NULL;
    j->name = names[number];
    if (CUTROOM_HAS(host, extension)) j->log = host->extension(host->context, CUTROOM_LIBAV_LOG, 1);
    j->graph = avfilter_graph_alloc();
    const int error = j->graph ? fill(j) : AVERROR(ENOMEM);
    if (error >= 0) return *made = j, CUTROOM_OK;
    const cutroom_status status = fail(j, CUTROOM_HAS(setup, handle) ? setup->handle : NULL, error, "be made");
    destroy(j);
    return status;
}

/* What the filter makes of the call's pair at a time. */
static int join(joiner *j, const cutroom_call *call, int64_t time, AVFrame **made) {
    int error = 0;
    for (uint32_t i = 0; i < 2 && error >= 0; i++) {
        AVFrame *frame = picture_frame(cutroom_current(call, i), time);
        error = frame ? av_buffersrc_add_frame_flags(j->sources[i], frame, AV_BUFFERSRC_FLAG_PUSH) : AVERROR(ENOMEM);
        av_frame_free(&frame);
    }
    if (error < 0) return error;
    *made = av_frame_alloc();
    return *made ? av_buffersink_get_frame(j->sink, *made) : AVERROR(ENOMEM);
}

static cutroom_status process(void *memory, const cutroom_call *call) {
    joiner *j = memory;
    const int64_t time = (int64_t)(call->progress * LENGTH + 0.5);
    AVFrame *frame = NULL;
    int error = j->has_begun ? 0 : join(j, call, 0, &frame);
    if (error >= 0 && (j->has_begun || time > 0)) {
        av_frame_free(&frame);
        error = join(j, call, time, &frame);
    }
    if (error >= 0) {
        j->has_begun = 1;
        picture_copy_out(frame, call->output);
    }
    av_frame_free(&frame);
    return error < 0 ? fail(j, CUTROOM_HAS(call, handle) ? call->handle : NULL, error, "make a frame") : CUTROOM_OK;
}

static const cutroom_format formats[] = {CUTROOM_FORMAT_YUV420P8, CUTROOM_FORMAT_RGBA8};

const cutroom_effect xfade_effect = {
    .struct_size = sizeof(cutroom_effect), .kind = CUTROOM_KIND_TRANSITION, .capabilities = CUTROOM_IGNORES_TIMELINE,
    .concurrency = CUTROOM_CONCURRENCY_INSTANCE, .state = CUTROOM_STATE_PURE, .determinism = CUTROOM_DETERMINISM_MACHINE, .format_count = 2,
    .formats = formats, .id = "org.cutroom.xfade", .version = "1.0.0", .name = "xfade", .vendor = "Cutroom", .license = "MIT",
    .help = "One of the transitions of FFmpeg's filter xfade.", .params = params, .param_count = 1, .param_stride = sizeof(cutroom_param),
    .create = create, .destroy = destroy, .process = process};
