/* org.cutroom.libavfilter_audio: a chain of libavfilter's filters for sound. */
#include "chain.h"
#include <libavfilter/buffersink.h>
#include <libavfilter/buffersrc.h>

static const cutroom_param params[] = {
    {.type = CUTROOM_PARAM_STRING, .flags = CUTROOM_PARAM_SETUP_ONLY, .id = "graph", .label = "Graph", .unit = "",
     .help = "The chain, as it is written for ffmpeg's -af: \"highpass=f=80,acompressor\".", .initial_text = "anull"},
};

static AVFrame *frame_of(const runner *r, const cutroom_frame *in) {
    AVFrame *frame = av_frame_alloc();
    if (!frame) return NULL;
    frame->format = AV_SAMPLE_FMT_FLTP;
    frame->sample_rate = (int)r->setup.sample_rate, frame->nb_samples = (int)in->sample_count;
    frame->pts = r->position;
    if (r->setup.channel_mask) av_channel_layout_from_mask(&frame->ch_layout, r->setup.channel_mask);
    else av_channel_layout_default(&frame->ch_layout, (int)r->setup.channel_count);
    if (av_frame_get_buffer(frame, 0) < 0) return av_frame_free(&frame), NULL;
    for (uint32_t c = 0; c < in->channel_count; c++)
        memcpy(frame->extended_data[c], in->plane[0] + c * in->stride[0], sizeof(float) * in->sample_count);
    return frame;
}

static cutroom_status filter(runner *r, const cutroom_call *call, AVFrame *frame) {
    const cutroom_frame *out = call->output;
    uint32_t count = 0;
    r->position += out->sample_count;
    int error = av_buffersrc_add_frame_flags(r->chain.source, frame, AV_BUFFERSRC_FLAG_PUSH);
    av_frame_unref(frame);
    while (error >= 0 && (error = av_buffersink_get_frame(r->chain.sink, frame)) >= 0) {
        const uint32_t more = (uint32_t)frame->nb_samples;
        for (uint32_t c = 0; c < out->channel_count && count + more <= out->sample_count; c++)
            memcpy(out->plane[0] + c * out->stride[0] + sizeof(float) * count, frame->extended_data[c], sizeof(float) * more);
        count += more;
        av_frame_unref(frame);
    }
    if (error != AVERROR(EAGAIN) && error != AVERROR_EOF) {
        char words[400];
        chain_words(r->log, error, words, sizeof words);
        return runner_fail(r, call, "cannot make the sound: %s", words);
    }
    if (count == out->sample_count) return CUTROOM_OK;
    return runner_fail(r, call, "gave %u samples for %u: it holds sound back or changes its length, which an effect cannot do%s", count,
                       out->sample_count, chain_instead(r->chain.graph));
}

static cutroom_status process(void *memory, const cutroom_call *call) {
    runner *r = memory;
    cutroom_status status = runner_ready(r, call);
    if (status != CUTROOM_OK) return status;
    if (call->output->channel_count != r->setup.channel_count) return CUTROOM_ERROR_FORMAT;
    AVFrame *frame = frame_of(r, cutroom_current(call, 0));
    if (!frame) return CUTROOM_ERROR_MEMORY;
    status = filter(r, call, frame);
    av_frame_free(&frame);
    return status;
}

static const cutroom_format formats[] = {CUTROOM_FORMAT_PCMF32_PLANAR};

const cutroom_effect sound_effect = {
    .struct_size = sizeof(cutroom_effect), .kind = CUTROOM_KIND_AUDIO_FILTER, .capabilities = CUTROOM_IGNORES_TIMELINE,
    .concurrency = CUTROOM_CONCURRENCY_INSTANCE,
    .state = CUTROOM_STATE_SEQUENTIAL, .determinism = CUTROOM_DETERMINISM_MACHINE, .format_count = 1, .formats = formats,
    .id = "org.cutroom.libavfilter_audio", .version = "1.0.0", .name = "libavfilter, sound", .vendor = "Cutroom", .license = "MIT",
    .help = "Runs a chain of FFmpeg's filters for sound.", .params = params, .param_count = 1, .param_stride = sizeof(cutroom_param),
    .create = runner_create, .destroy = runner_destroy, .process = process, .reset = runner_reset};
