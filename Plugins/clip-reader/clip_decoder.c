#include "clip_decoder.h"
#include <libav_input.h>
#include <libavutil/avstring.h>
#include <libavutil/opt.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

enum { MOST_FAILURES = 200 }; /* damaged packets in a row */

static const AVRational flicks = {1, CLIP_SECOND};

static cutroom_status fail(char reason[400], const char *path, const char *why) {
    snprintf(reason, 400, "the clip ‘%s’ %s", path, why);
    return CUTROOM_ERROR_PARAM;
}

static int open_format(clip_decoder *d) {
    char *url = av_asprintf("file:%s", d->path);
    d->format = avformat_alloc_context();
    AVIOContext *io = NULL;
    int status = url && d->format ? avio_open2(&io, url, AVIO_FLAG_READ, NULL, NULL) : AVERROR(ENOMEM);
    av_free(url);
    if (status < 0) return avformat_free_context(d->format), d->format = NULL, status;
    d->format->pb = io, d->format->io_open = kit_refuse_others;
    status = kit_open_input(&d->format, KIT_CONTAINERS);
    /* The input of a context that cannot be opened stays ours. */
    if (status < 0) avio_closep(&io);
    return status < 0 ? status : kit_find_streams(d->format);
}

static int open_codec(clip_decoder *d, const AVCodec *codec) {
    d->codec = avcodec_alloc_context3(codec);
    d->packet = av_packet_alloc();
    if (!d->codec || !d->packet) return AVERROR(ENOMEM);
    const int status = avcodec_parameters_to_context(d->codec, d->stream->codecpar);
    if (status < 0) return status;
    d->codec->thread_count = 1;
    av_opt_set(d->codec, "max_pixels", KIT_MOST_PIXELS, 0);
    d->codec->pkt_timebase = d->stream->time_base;
    return avcodec_open2(d->codec, codec, NULL);
}

cutroom_status clip_decoder_open(clip_decoder *d, const char *path, char reason[400]) {
    *d = (clip_decoder){.path = (char *)path, .from_start = 1, .key = AV_NOPTS_VALUE, .last = INT64_MIN};
    struct stat info;
    if (stat(path, &info) != 0) return fail(reason, path, "does not exist");
    if (!S_ISREG(info.st_mode)) return fail(reason, path, "is no file");
    if (open_format(d) < 0) return clip_decoder_close(d), fail(reason, path, "is no video of a known format, or its beginning is damaged");
    const AVCodec *codec = NULL;
    const int best = av_find_best_stream(d->format, AVMEDIA_TYPE_VIDEO, -1, -1, &codec, 0);
    if (best < 0) return clip_decoder_close(d), fail(reason, path, "has no picture that can be decoded");
    d->stream = d->format->streams[best];
    for (unsigned i = 0; i < d->format->nb_streams; i++) d->format->streams[i]->discard = i == (unsigned)best ? AVDISCARD_DEFAULT : AVDISCARD_ALL;
    if (open_codec(d, codec) < 0) return clip_decoder_close(d), fail(reason, path, "cannot be decoded");
    return CUTROOM_OK;
}

void clip_decoder_close(clip_decoder *d) {
    AVIOContext *io = d->format ? d->format->pb : NULL;
    avcodec_free_context(&d->codec);
    av_packet_free(&d->packet);
    avformat_close_input(&d->format);
    avio_closep(&io);
    d->stream = NULL;
}

int64_t clip_decoder_step(const clip_decoder *d) {
    const AVRational rate = d->stream->avg_frame_rate.num > 0 ? d->stream->avg_frame_rate : d->stream->r_frame_rate;
    return rate.num > 0 && rate.den > 0 ? av_rescale(CLIP_SECOND, rate.den, rate.num) : CLIP_SECOND / 25;
}

/* Gives the decoder a packet, or tells it that there are no more. */
static void feed(clip_decoder *d) {
    for (int failures = 0; !d->draining;) {
        const int status = av_read_frame(d->format, d->packet);
        if (status == AVERROR_EOF || (status < 0 && ++failures > MOST_FAILURES)) {
            d->draining = 1;
            break;
        }
        if (status < 0) continue;
        const int is_key = d->packet->flags & AV_PKT_FLAG_KEY;
        /* After a seek what comes before a key frame leans on frames that were not decoded. */
        const int is_wanted = d->packet->stream_index == d->stream->index && (d->from_start || d->key != AV_NOPTS_VALUE || is_key);
        if (is_wanted) {
            if (!d->from_start && d->key == AV_NOPTS_VALUE) d->key = d->packet->pts != AV_NOPTS_VALUE ? d->packet->pts : d->packet->dts;
            avcodec_send_packet(d->codec, d->packet); /* a damaged packet costs its frame */
        }
        av_packet_unref(d->packet);
        if (is_wanted) return;
    }
    avcodec_send_packet(d->codec, NULL);
}

int clip_decoder_next(clip_decoder *d, AVFrame *frame, int64_t *time) {
    for (int failures = 0; failures <= MOST_FAILURES;) {
        const int status = avcodec_receive_frame(d->codec, frame);
        if (status == AVERROR_EOF || (status == AVERROR(EAGAIN) && d->draining)) return 0;
        if (status == AVERROR(EAGAIN)) {
            feed(d);
            continue;
        }
        if (status < 0) {
            failures++;
            continue;
        }
        const int64_t stamp = frame->best_effort_timestamp;
        /* In an open group of pictures the frames shown before its key frame need the group before.
         */
        if (stamp != AV_NOPTS_VALUE && d->key != AV_NOPTS_VALUE && stamp < d->key) continue;
        if (stamp == AV_NOPTS_VALUE && d->last == INT64_MIN && !d->from_start) continue;
        *time = stamp != AV_NOPTS_VALUE ? av_rescale_q(stamp, d->stream->time_base, flicks)
                                        : d->last == INT64_MIN ? 0 : d->last + clip_decoder_step(d);
        if (*time < d->last) continue;
        d->last = *time;
        return 1;
    }
    return 0;
}

int clip_decoder_seek(clip_decoder *d, int64_t time) {
    if (d->format->iformat->flags & AVFMT_NOTIMESTAMPS) return 0;
    const int64_t ticks = av_rescale_q_rnd(time, flicks, d->stream->time_base, AV_ROUND_DOWN);
    if (av_seek_frame(d->format, d->stream->index, ticks, AVSEEK_FLAG_BACKWARD) < 0) return 0;
    avcodec_flush_buffers(d->codec);
    d->from_start = 0, d->draining = 0, d->key = AV_NOPTS_VALUE, d->last = INT64_MIN;
    return 1;
}

int64_t clip_decoder_end(clip_decoder *d) {
    const AVStream *stream = d->stream;
    if (stream->duration > 0 && stream->start_time != AV_NOPTS_VALUE)
        return av_rescale_q(stream->start_time + stream->duration, stream->time_base, flicks);
    int64_t end = INT64_MIN, count = 0;
    for (int failures = 0; failures <= MOST_FAILURES;) {
        const int status = av_read_frame(d->format, d->packet);
        if (status == AVERROR_EOF) break;
        if (status < 0) {
            failures++;
            continue;
        }
        const AVPacket *p = d->packet;
        if (p->stream_index == stream->index) {
            count++;
            const int64_t stamp = p->pts != AV_NOPTS_VALUE ? p->pts : p->dts;
            const int64_t start = stamp != AV_NOPTS_VALUE ? av_rescale_q(stamp, stream->time_base, flicks) : INT64_MIN;
            const int64_t length = p->duration > 0 ? av_rescale_q(p->duration, stream->time_base, flicks) : clip_decoder_step(d);
            if (start != INT64_MIN && start + length > end) end = start + length;
        }
        av_packet_unref(d->packet);
    }
    return end != INT64_MIN ? end : count * clip_decoder_step(d);
}
