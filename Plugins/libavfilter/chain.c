#include "chain.h"
#include <libavfilter/buffersink.h>
#include <libavfilter/buffersrc.h>
#include <libavutil/channel_layout.h>
#include <libavutil/opt.h>
#include <libavutil/pixdesc.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static cutroom_status say(const char *text, char *reason, const char *format, va_list arguments) {
    int shown = (int)strnlen(text, 200);
    /* Not within a character of UTF-8. */
    while (shown > 0 && ((unsigned char)text[shown] & 0xc0) == 0x80) shown--;
    const int length = snprintf(reason, CHAIN_REASON, "the chain ‘%.*s’ ", shown, text);
    vsnprintf(reason + length, (size_t)(CHAIN_REASON - length), format, arguments);
    return CUTROOM_ERROR_PARAM;
}

cutroom_status chain_refuse(const chain_setting *s, char *reason, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    const cutroom_status status = say(s->text, reason, format, arguments);
    va_end(arguments);
    return status;
}

void chain_words(const cutroom_libav_log *log, int error, char *words, size_t size) {
    char lines[400] = "";
    if (log) log->take(lines, sizeof lines);
    size_t count = 0;
    for (const char *p = lines; *p && count < size - 1;) {
        const char *close = *p == '[' ? strstr(p, "] ") : NULL, *at = close ? strstr(p, " @ 0x") : NULL;
        if (at && at < close) {
            p = close + 2;
            continue;
        }
        /* Lines become clauses; one that begins with a space goes on. */
        if (*p == '\n' && p[1] && p[1] != ' ' && count + 2 < size) words[count++] = ';', words[count++] = ' ';
        else if (*p != '\n') words[count++] = *p;
        p++;
    }
    while (count > 0 && strchr(" .", words[count - 1])) count--;
    words[count] = 0;
    if (!*words) av_strerror(error, words, size);
}

static cutroom_status refuse(const chain_setting *s, const cutroom_libav_log *log, int error, char *reason) {
    char words[400];
    chain_words(log, error, words, sizeof words);
    return chain_refuse(s, reason, "cannot be used: %s", words);
}

static AVRational frame_rate(const cutroom_setup *setup) {
    return setup->frame_rate.num > 0 ? (AVRational){(int)setup->frame_rate.num, (int)setup->frame_rate.den} : (AVRational){25, 1};
}

static int make_ends(chain *c, const cutroom_setup *setup) {
    char text[300];
    if (setup->format == CUTROOM_FORMAT_PCMF32_PLANAR) {
        AVChannelLayout layout = {0};
        char name[64];
        if (setup->channel_mask) av_channel_layout_from_mask(&layout, setup->channel_mask);
        else av_channel_layout_default(&layout, (int)setup->channel_count);
        av_channel_layout_describe(&layout, name, sizeof name);
        av_channel_layout_uninit(&layout);
        snprintf(text, sizeof text, "time_base=1/%u:sample_rate=%u:sample_fmt=fltp:channel_layout=%s", setup->sample_rate, setup->sample_rate, name);
        const int status = avfilter_graph_create_filter(&c->source, avfilter_get_by_name("abuffer"), "in", text, NULL, c->graph);
        if (status < 0) return status;
        c->sink = avfilter_graph_alloc_filter(c->graph, avfilter_get_by_name("abuffersink"), "out");
        if (!c->sink) return AVERROR(ENOMEM);
        const enum AVSampleFormat formats[] = {AV_SAMPLE_FMT_FLTP};
        const int rates[] = {(int)setup->sample_rate};
        av_opt_set_bin(c->sink, "sample_fmts", (const uint8_t *)formats, sizeof formats, AV_OPT_SEARCH_CHILDREN);
        av_opt_set_bin(c->sink, "sample_rates", (const uint8_t *)rates, sizeof rates, AV_OPT_SEARCH_CHILDREN);
        av_opt_set(c->sink, "ch_layouts", name, AV_OPT_SEARCH_CHILDREN);
        return avfilter_init_dict(c->sink, NULL);
    }
    const enum AVPixelFormat format = setup->format == CUTROOM_FORMAT_RGBA8 ? AV_PIX_FMT_RGBA : AV_PIX_FMT_YUV420P;
    const AVRational rate = frame_rate(setup);
    snprintf(text, sizeof text, "video_size=%dx%d:pix_fmt=%s:time_base=%d/%d:frame_rate=%d/%d:pixel_aspect=1/1", setup->width, setup->height,
             av_get_pix_fmt_name(format), rate.den, rate.num, rate.num, rate.den);
    const int status = avfilter_graph_create_filter(&c->source, avfilter_get_by_name("buffer"), "in", text, NULL, c->graph);
    if (status < 0) return status;
    c->sink = avfilter_graph_alloc_filter(c->graph, avfilter_get_by_name("buffersink"), "out");
    if (!c->sink) return AVERROR(ENOMEM);
    av_opt_set_bin(c->sink, "pix_fmts", (const uint8_t *)&format, sizeof format, AV_OPT_SEARCH_CHILDREN);
    return avfilter_init_dict(c->sink, NULL);
}

/* One open end of the right kind at each side. */
static cutroom_status join(chain *c, const chain_setting *s, const AVFilterInOut *in, const AVFilterInOut *out, char *reason) {
    const int is_sound = s->setup->format == CUTROOM_FORMAT_PCMF32_PLANAR;
    const enum AVMediaType wanted = is_sound ? AVMEDIA_TYPE_AUDIO : AVMEDIA_TYPE_VIDEO;
    if (!in || in->next || !out || out->next)
        return chain_refuse(s, reason, "must have one input and one output that are open; it has %s and %s", !in ? "no input" : in->next ? "several inputs" : "one input",
                            !out ? "no output" : out->next ? "several outputs" : "one output");
    if (avfilter_pad_get_type(in->filter_ctx->input_pads, in->pad_idx) != wanted ||
        avfilter_pad_get_type(out->filter_ctx->output_pads, out->pad_idx) != wanted)
        return chain_refuse(s, reason, is_sound ? "is not for sound" : "is not for pictures; org.cutroom.libavfilter_audio is for sound");
    if (avfilter_link(c->source, 0, in->filter_ctx, (unsigned)in->pad_idx) < 0 || avfilter_link(out->filter_ctx, (unsigned)out->pad_idx, c->sink, 0) < 0)
        return CUTROOM_ERROR_MEMORY;
    return CUTROOM_OK;
}

static cutroom_status fill(chain *c, const chain_setting *s, const cutroom_libav_log *log, char *reason) {
    AVFilterInOut *in = NULL, *out = NULL;
    int error = make_ends(c, s->setup);
    if (error >= 0) error = avfilter_graph_parse2(c->graph, s->text, &in, &out);
    cutroom_status status = error < 0 ? refuse(s, log, error, reason) : chain_check_filters(s, c->graph, reason);
    if (status == CUTROOM_OK) status = join(c, s, in, out, reason);
    avfilter_inout_free(&in), avfilter_inout_free(&out);
    if (status != CUTROOM_OK) return status;
    error = avfilter_graph_config(c->graph, NULL);
    if (error < 0) return refuse(s, log, error, reason);
    const int width = s->setup->width, height = s->setup->height;
    if (width > 0 && (av_buffersink_get_w(c->sink) != width || av_buffersink_get_h(c->sink) != height))
        return chain_refuse(s, reason, "makes pictures of %d×%d, but the canvas is %d×%d; append ‘scale=%d:%d’", av_buffersink_get_w(c->sink),
                            av_buffersink_get_h(c->sink), width, height, width, height);
    const AVRational made = av_buffersink_get_frame_rate(c->sink), given = frame_rate(s->setup);
    if (width > 0 && made.num > 0 && made.den > 0 && av_cmp_q(made, given) != 0)
        return chain_refuse(s, reason, "makes %g frames a second of %g; an effect must give one for each%s", av_q2d(made), av_q2d(given),
                            chain_instead(c->graph));
    return CUTROOM_OK;
}

cutroom_status chain_open(chain *made, const chain_setting *setting, const cutroom_libav_log *log, char *reason) {
    cutroom_status status = chain_check_text(setting, reason);
    if (status != CUTROOM_OK) return status;
    char old[400];
    if (log) log->take(old, sizeof old);
    chain c = {.graph = avfilter_graph_alloc()};
    if (!c.graph) return CUTROOM_ERROR_MEMORY;
    c.graph->nb_threads = 1;
    c.graph->scale_sws_opts = av_strdup(CHAIN_SCALING);
    status = fill(&c, setting, log, reason);
    if (status == CUTROOM_OK) *made = c;
    else chain_close(&c);
    return status;
}

void chain_close(chain *c) {
    avfilter_graph_free(&c->graph);
    c->source = c->sink = NULL;
}
