/* org.cutroom.libavfilter and org.cutroom.libavfilter_pure: a chain of libavfilter's filters for
 * pictures. */
#include "chain.h"
#include <libavfilter/buffersink.h>
#include <libavfilter/buffersrc.h>
#include <libavutil/imgutils.h>

#define GRAPH(the_help)                                                                                                   \
    {.type = CUTROOM_PARAM_STRING, .flags = CUTROOM_PARAM_SETUP_ONLY, .id = "graph", .label = "Graph", .unit = "",        \
     .help = the_help, .initial_text = "null"}
static const cutroom_param params[] = {GRAPH("The chain, as it is written for ffmpeg's -vf: \"hue=s=0,eq=contrast=1.2\".")};
static const cutroom_param pure_params[] = {
    GRAPH("The chain, of filters that make each frame by itself: \"hue=s=0,eq=contrast=1.2\"."),
};

static int rows(const cutroom_frame *f, int plane) { return plane ? (f->height + 1) / 2 : f->height; }
static size_t row_bytes(const cutroom_frame *f, int plane) {
    if (f->format == CUTROOM_FORMAT_RGBA8) return 4 * (size_t)f->width;
    return (size_t)(plane ? (f->width + 1) / 2 : f->width);
}

AVFrame *picture_frame(const cutroom_frame *in, int64_t time) {
    AVFrame *frame = av_frame_alloc();
    if (!frame) return NULL;
    const int is_rgba = in->format == CUTROOM_FORMAT_RGBA8;
    frame->format = is_rgba ? AV_PIX_FMT_RGBA : AV_PIX_FMT_YUV420P;
    frame->width = in->width, frame->height = in->height;
    frame->pts = time, frame->pkt_duration = 1;
    frame->sample_aspect_ratio = (AVRational){1, 1};
    frame->color_primaries = (enum AVColorPrimaries)in->primaries, frame->color_trc = (enum AVColorTransferCharacteristic)in->transfer;
    /* What RGB becomes in the chain, where a filter wants YUV. */
    frame->colorspace = is_rgba ? AVCOL_SPC_BT709 : (enum AVColorSpace)in->matrix;
    frame->color_range = is_rgba ? AVCOL_RANGE_UNSPECIFIED : in->full_range == 1 ? AVCOL_RANGE_JPEG : AVCOL_RANGE_MPEG;
    frame->chroma_location = is_rgba ? AVCHROMA_LOC_UNSPECIFIED : (enum AVChromaLocation)in->chroma_loc;
    if (av_frame_get_buffer(frame, 0) < 0) return av_frame_free(&frame), NULL;
    for (int i = 0; i < (is_rgba ? 1 : 3); i++)
        for (int y = 0; y < rows(in, i); y++)
            memcpy(frame->data[i] + y * frame->linesize[i], in->plane[i] + y * in->stride[i], row_bytes(in, i));
    return frame;
}

void picture_copy_out(const AVFrame *frame, const cutroom_frame *out) {
    for (uint32_t i = 0; i < out->plane_count; i++)
        for (int y = 0; y < rows(out, (int)i); y++)
            memcpy(out->plane[i] + y * out->stride[i], frame->data[i] + y * frame->linesize[i], row_bytes(out, (int)i));
}

static cutroom_status filter(runner *r, const cutroom_call *call, AVFrame *frame) {
    int error = av_buffersrc_add_frame_flags(r->chain.source, frame, AV_BUFFERSRC_FLAG_PUSH);
    av_frame_unref(frame);
    if (error >= 0) error = av_buffersink_get_frame(r->chain.sink, frame);
    if (error == AVERROR(EAGAIN) || error == AVERROR_EOF)
        return runner_fail(r, call, "holds frames back, or leaves some out: it gave none for frame %lld; an effect must give one for each%s", (long long)call->index,
                           chain_instead(r->chain.graph));
    if (error < 0) {
        char words[400];
        chain_words(r->log, error, words, sizeof words);
        return runner_fail(r, call, "cannot make frame %lld: %s", (long long)call->index, words);
    }
    if (frame->width != call->output->width || frame->height != call->output->height)
        return runner_fail(r, call, "makes a picture of %d×%d for frame %lld, but the canvas is %d×%d; append ‘scale=%d:%d’", frame->width,
                           frame->height, (long long)call->index, call->output->width, call->output->height, call->output->width,
                           call->output->height);
    picture_copy_out(frame, call->output);
    av_frame_unref(frame);
    if (av_buffersink_get_frame(r->chain.sink, frame) >= 0)
        return runner_fail(r, call, "gave several frames for frame %lld; an effect must give one for each%s", (long long)call->index,
                           chain_instead(r->chain.graph));
    return CUTROOM_OK;
}

static cutroom_status process(void *memory, const cutroom_call *call) {
    runner *r = memory;
    cutroom_status status = runner_ready(r, call);
    if (status != CUTROOM_OK) return status;
    /* Frames since the effect's range began, which `t` of expressions counts from. */
    AVFrame *frame = picture_frame(cutroom_current(call, 0), call->index);
    if (!frame) return CUTROOM_ERROR_MEMORY;
    status = filter(r, call, frame);
    av_frame_free(&frame);
    return status;
}

static const cutroom_format formats[] = {CUTROOM_FORMAT_YUV420P8, CUTROOM_FORMAT_RGBA8};

#define PICTURE(the_state, the_id, the_name, the_help, the_params)                                                        \
    {.struct_size = sizeof(cutroom_effect), .kind = CUTROOM_KIND_FILTER, .capabilities = CUTROOM_IGNORES_TIMELINE,        \
     .concurrency = CUTROOM_CONCURRENCY_INSTANCE,                                                                         \
     .state = the_state, .determinism = CUTROOM_DETERMINISM_MACHINE, .format_count = 2, .formats = formats, .id = the_id, \
     .version = "1.0.0", .name = the_name, .vendor = "Cutroom", .license = "MIT", .help = the_help, .params = the_params, \
     .param_count = 1, .param_stride = sizeof(cutroom_param), .create = runner_create, .destroy = runner_destroy,         \
     .process = process, .reset = runner_reset}

const cutroom_effect picture_effect = PICTURE(CUTROOM_STATE_SEQUENTIAL, "org.cutroom.libavfilter", "libavfilter",
                                              "Runs a chain of FFmpeg's filters, frame after frame.", params);
const cutroom_effect picture_pure_effect = PICTURE(CUTROOM_STATE_PURE, "org.cutroom.libavfilter_pure", "libavfilter, pure",
                                                   "Runs a chain of FFmpeg's filters that make each frame by itself.", pure_params);
