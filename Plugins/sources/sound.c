/*
 * The sound of a file, read by libav in blocks.
 *
 * A frame must not depend on which frames were made before it, and a decoder's samples may depend
 * on where it began. So a block always begins anew: the file is opened, a place a second before the
 * block is sought, and what comes before the block is decoded and dropped (Media's AudioReader
 * measured that a second is enough). Memory is that of the last few blocks, whatever the file's
 * length.
 */
#include "sources.h"
#include <libav_input.h>
#include <errno.h>
#include <libavcodec/avcodec.h>
#include <libavformat/avformat.h>
#include <libavutil/opt.h>
#include <libswresample/swresample.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

/* A waveform of one bar looks at twice its window. */
enum { BLOCK_SECONDS = 4, PREROLL = 1, KEPT = 2 * SOURCE_LONGEST / BLOCK_SECONDS + 3, MOST_FAILURES = 200 };

typedef struct block {
    int64_t number, used;
    float *samples; /* null where the slot is empty */
} block;

struct source_sound {
    const cutroom_host *host;
    char *path; /* null: silence */
    int rate;
    int64_t count; /* samples in a block */
    int64_t clock;
    int64_t silent; /* number of the first block that is known to lie behind the end; 0: not known */
    block blocks[KEPT];
};

/* One pass over a file. */
typedef struct pass {
    const cutroom_host *host;
    void *handle;
    AVFormatContext *format;
    AVCodecContext *codec;
    SwrContext *resampler;
    AVPacket *packet;
    AVFrame *frame;
    int stream, rate;
    int64_t origin; /* in AV_TIME_BASE: what libav's clock shows at the file's time zero */
    int64_t next;   /* sample after the last one; INT64_MIN where it is not known */
    int is_draining, failures;
} pass;

/* ---- Opening ------------------------------------------------------------------------------------------------------------- */

static int is_stopped(void *opaque) {
    const pass *p = opaque;
    return p->host->cancelled(p->host->context, p->handle);
}

static void close_pass(pass *p) {
    AVIOContext *io = p->format ? p->format->pb : NULL;
    avformat_close_input(&p->format);
    avio_closep(&io);
    avcodec_free_context(&p->codec);
    swr_free(&p->resampler);
    av_packet_free(&p->packet);
    av_frame_free(&p->frame);
}

static int64_t start_of(const AVStream *stream) {
    return stream->start_time == AV_NOPTS_VALUE ? 0 : av_rescale_q(stream->start_time, stream->time_base, AV_TIME_BASE_Q);
}

/* What is wrong, as half a sentence; null where nothing is. */
static const char *open_pass(pass *p, const char *path) {
    char url[4096 + 8];
    if (snprintf(url, sizeof url, "file:%s", path) >= (int)sizeof url) return "has too long a path";
    AVIOInterruptCB interrupt = {is_stopped, p};
    p->packet = av_packet_alloc();
    p->frame = av_frame_alloc();
    p->format = avformat_alloc_context();
    if (!p->packet || !p->frame || !p->format) return "needs more memory than there is";
    AVIOContext *io = NULL;
    if (avio_open2(&io, url, AVIO_FLAG_READ, &interrupt, NULL) < 0) return "cannot be opened";
    p->format->pb = io;
    p->format->interrupt_callback = interrupt;
    p->format->io_open = kit_refuse_others;
    if (kit_open_input(&p->format, KIT_SOUND_CONTAINERS) < 0) {
        /* The context is gone, the file is still open. */
        avio_closep(&io);
        return "is not a file with sound, or is damaged";
    }
    if (kit_find_streams(p->format) < 0) return "is not a file with sound, or is damaged";
    const AVCodec *decoder = NULL;
    p->stream = av_find_best_stream(p->format, AVMEDIA_TYPE_AUDIO, -1, -1, &decoder, 0);
    if (p->stream < 0 || !decoder) return "has no sound that can be decoded";
    AVStream *stream = p->format->streams[p->stream];
    p->origin = start_of(stream);
    const int video = av_find_best_stream(p->format, AVMEDIA_TYPE_VIDEO, -1, -1, NULL, 0);
    if (video >= 0 && !(p->format->streams[video]->disposition & AV_DISPOSITION_ATTACHED_PIC)) {
        const int64_t start = start_of(p->format->streams[video]);
        if (start < p->origin) p->origin = start;
    }
    for (unsigned i = 0; i < p->format->nb_streams; i++)
        if ((int)i != p->stream) p->format->streams[i]->discard = AVDISCARD_ALL;
    p->codec = avcodec_alloc_context3(decoder);
    if (!p->codec || avcodec_parameters_to_context(p->codec, stream->codecpar) < 0) return "needs more memory than there is";
    p->codec->thread_count = 1;
    p->codec->pkt_timebase = stream->time_base;
    if (avcodec_open2(p->codec, decoder, NULL) < 0) return "has sound that cannot be decoded";
    p->next = INT64_MIN;
    return NULL;
}

/* ---- Decoding ------------------------------------------------------------------------------------------------------------ */

/* Feeds the decoder; packets that end before `from` (in the stream's ticks) are left out. */
static void feed(pass *p, int64_t from) {
    while (!p->is_draining) {
        av_packet_unref(p->packet);
        const int result = av_read_frame(p->format, p->packet);
        if (result < 0) {
            if (result == AVERROR_EOF || ++p->failures > MOST_FAILURES || is_stopped(p)) break;
            continue;
        }
        p->failures = 0;
        if (p->packet->stream_index != p->stream) continue;
        if (p->packet->pts != AV_NOPTS_VALUE && p->packet->pts + p->packet->duration < from) continue;
        avcodec_send_packet(p->codec, p->packet); /* what is damaged leaves a gap */
        return;
    }
    p->is_draining = 1;
    avcodec_send_packet(p->codec, NULL);
}

/* The next frame's length; 0 at the end. `at` gets the number of its first sample. */
static int next_frame(pass *p, int64_t from, int64_t *at) {
    for (;;) {
        const int result = avcodec_receive_frame(p->codec, p->frame);
        if (result == AVERROR(EAGAIN)) {
            feed(p, from);
            continue;
        }
        if (result < 0) {
            if (result == AVERROR_EOF || p->is_draining || ++p->failures > MOST_FAILURES) return 0;
            feed(p, from);
            continue;
        }
        if (p->frame->nb_samples < 1 || p->frame->sample_rate < 1 || p->frame->ch_layout.nb_channels < 1) continue;
        const int64_t stamp = p->frame->pts != AV_NOPTS_VALUE ? p->frame->pts : p->frame->best_effort_timestamp;
        const int rate = p->rate > 0 ? p->rate : p->frame->sample_rate;
        int64_t start = p->next == INT64_MIN ? 0 : p->next;
        if (stamp != AV_NOPTS_VALUE) {
            const AVRational base = p->format->streams[p->stream]->time_base;
            const int64_t origin = av_rescale_q(p->origin, AV_TIME_BASE_Q, base);
            const int64_t stamped = av_rescale_q(stamp - origin, base, (AVRational){1, rate});
            /* Some containers round timestamps to milliseconds. A difference of up to 10 ms is no
             * gap. */
            if (p->next == INT64_MIN || llabs(stamped - p->next) > rate / 100) start = stamped;
        }
        *at = start;
        p->next = start + av_rescale(p->frame->nb_samples, rate, p->frame->sample_rate);
        return p->frame->nb_samples;
    }
}

/* One channel of floats at the sound's rate. Negative where that cannot be. */
static int convert(pass *p, float **samples, int *capacity) {
    AVChannelLayout mono = AV_CHANNEL_LAYOUT_MONO;
    const AVFrame *f = p->frame;
    if (p->resampler) {
        int64_t rate = 0, format = 0;
        AVChannelLayout layout = {0};
        av_opt_get_int(p->resampler, "in_sample_rate", 0, &rate);
        av_opt_get_int(p->resampler, "in_sample_fmt", 0, &format);
        av_opt_get_chlayout(p->resampler, "in_chlayout", 0, &layout);
        const int is_same = rate == f->sample_rate && format == f->format && av_channel_layout_compare(&layout, &f->ch_layout) == 0;
        av_channel_layout_uninit(&layout);
        if (!is_same) swr_free(&p->resampler);
    }
    if (!p->resampler) {
        AVChannelLayout from = {0};
        if (f->ch_layout.order == AV_CHANNEL_ORDER_UNSPEC) av_channel_layout_default(&from, f->ch_layout.nb_channels);
        else if (av_channel_layout_copy(&from, &f->ch_layout) < 0) return -1;
        int failed = swr_alloc_set_opts2(&p->resampler, &mono, AV_SAMPLE_FMT_FLTP, p->rate, &from, (enum AVSampleFormat)f->format,
                                         f->sample_rate, 0, NULL) < 0;
        av_channel_layout_uninit(&from);
        /* The sum of equal channels is as loud as each of them. */
        if (!failed) failed = av_opt_set_double(p->resampler, "rematrix_maxval", 1, 0) < 0 || swr_init(p->resampler) < 0;
        if (failed) {
            swr_free(&p->resampler);
            return -1;
        }
    }
    const int most = swr_get_out_samples(p->resampler, f->nb_samples);
    if (most > *capacity) {
        float *larger = av_realloc_array(*samples, (size_t)most, sizeof **samples);
        if (!larger) return -1;
        *samples = larger, *capacity = most;
    }
    return swr_convert(p->resampler, (uint8_t **)samples, most, (const uint8_t **)f->extended_data, f->nb_samples);
}

/* Fills a block's samples, which are zero, from a pass that stands before it or at the file's
 * start. 0 where the pass came too late: its first sample lies behind the block's. */
static int fill(pass *p, int64_t first, int64_t count, int64_t from, int is_start, float *samples) {
    float *made = NULL;
    int capacity = 0, is_first = 1;
    int64_t at = 0;
    while (next_frame(p, from, &at) > 0) {
        if (is_first && at > first && !is_start) return av_free(made), 0;
        is_first = 0;
        if (at >= first + count) break;
        const int got = convert(p, &made, &capacity);
        for (int i = 0; i < got; i++) {
            const int64_t place = at + i - first;
            if (place >= 0 && place < count) samples[place] = isfinite(made[i]) ? made[i] : 0;
        }
    }
    av_free(made);
    return !is_first || is_start;
}

static cutroom_status fail(const cutroom_host *host, void *handle, const char *path, const char *why) {
    char text[4096 + 200];
    snprintf(text, sizeof text, "‘%s’ %s", path, why);
    host->error(host->context, handle, text);
    return CUTROOM_ERROR_PARAM;
}

static cutroom_status decode(source_sound *sound, void *handle, int64_t number, float *samples) {
    const int64_t first = number * sound->count;
    if (sound->silent > 0 && number >= sound->silent) return CUTROOM_OK;
    /* Some indices lead behind the place that was sought: then from further away, and in the end
     * from the file's start. */
    static const int back[] = {0, 2, 20, -1};
    for (int i = 0; i < 4; i++) {
        pass p = {.host = sound->host, .handle = handle, .rate = sound->rate};
        const char *problem = open_pass(&p, sound->path);
        if (problem) {
            close_pass(&p);
            return is_stopped(&p) ? CUTROOM_ERROR_CANCELLED : fail(sound->host, handle, sound->path, problem);
        }
        const AVStream *stream = p.format->streams[p.stream];
        const int64_t target = first * AV_TIME_BASE / sound->rate - PREROLL * AV_TIME_BASE + p.origin;
        const int64_t from = av_rescale_q(target, AV_TIME_BASE_Q, stream->time_base);
        const int64_t sought = av_rescale_q(target - (int64_t)back[i] * AV_TIME_BASE, AV_TIME_BASE_Q, stream->time_base);
        const int is_start = back[i] < 0 || first <= PREROLL * (int64_t)sound->rate
            || p.format->iformat->flags & AVFMT_NOTIMESTAMPS || av_seek_frame(p.format, p.stream, sought, AVSEEK_FLAG_BACKWARD) < 0;
        const int is_filled = fill(&p, first, sound->count, from, is_start, samples);
        const int stopped = is_stopped(&p);
        /* The whole file has nothing from a second before this block on. */
        if (!stopped && back[i] < 0 && p.next == INT64_MIN) sound->silent = number;
        close_pass(&p);
        if (stopped) return CUTROOM_ERROR_CANCELLED;
        if (is_filled) return CUTROOM_OK;
    }
    return CUTROOM_OK;
}

/* ---- The sound ----------------------------------------------------------------------------------------------------------- */

cutroom_status source_sound_open(const cutroom_host *host, void *handle, const char *path, source_sound **result) {
    source_sound *sound = source_alloc(host, 1, sizeof *sound);
    if (!sound) return CUTROOM_ERROR_MEMORY;
    *sound = (source_sound){.host = host, .rate = 48000};
    if (path && *path) {
        struct stat info;
        const char *problem = NULL;
        pass p = {.host = host, .handle = handle};
        if (stat(path, &info) != 0) problem = errno == ENOENT ? "does not exist" : "cannot be read";
        else if (!S_ISREG(info.st_mode)) problem = "is not a file";
        else problem = open_pass(&p, path);
        int64_t at;
        if (!problem && next_frame(&p, INT64_MIN, &at) == 0) problem = "has sound that cannot be decoded";
        if (!problem) sound->rate = p.frame->sample_rate;
        close_pass(&p);
        if (!problem && (sound->rate < 1000 || sound->rate > 768000)) problem = "has sound at an impossible rate";
        const size_t length = strlen(path) + 1;
        if (!problem && (sound->path = source_alloc(host, length, 1))) memcpy(sound->path, path, length);
        if (problem || !sound->path) {
            source_release(host, sound);
            return problem ? fail(host, handle, path, problem) : CUTROOM_ERROR_MEMORY;
        }
    }
    sound->count = (int64_t)sound->rate * BLOCK_SECONDS;
    return *result = sound, CUTROOM_OK;
}

void source_sound_close(source_sound *sound) {
    if (!sound) return;
    for (int i = 0; i < KEPT; i++) source_release(sound->host, sound->blocks[i].samples);
    source_release(sound->host, sound->path);
    source_release(sound->host, sound);
}

int source_sound_rate(const source_sound *sound) { return sound->rate; }

/* The block, decoded where it is not there; in the place of the one that was not used for longest.
 */
static cutroom_status find_block(source_sound *sound, void *handle, int64_t number, const float **samples) {
    block *oldest = &sound->blocks[0];
    for (int i = 0; i < KEPT; i++) {
        block *one = &sound->blocks[i];
        if (one->samples && one->number == number) {
            one->used = ++sound->clock;
            return *samples = one->samples, CUTROOM_OK;
        }
        if (!one->samples || (oldest->samples && one->used < oldest->used)) oldest = one;
    }
    float *memory = oldest->samples;
    if (!memory) memory = source_alloc(sound->host, (size_t)sound->count, sizeof *memory);
    if (!memory) return CUTROOM_ERROR_MEMORY;
    memset(memory, 0, (size_t)sound->count * sizeof *memory);
    *oldest = (block){INT64_MIN, 0, memory};
    const cutroom_status status = decode(sound, handle, number, memory);
    if (status != CUTROOM_OK) return status;
    *oldest = (block){number, ++sound->clock, memory};
    return *samples = memory, CUTROOM_OK;
}

cutroom_status source_sound_read(source_sound *sound, void *handle, int64_t first, int count, float *samples) {
    memset(samples, 0, (size_t)count * sizeof *samples);
    if (!sound->path) return CUTROOM_OK;
    int64_t at = first < 0 ? 0 : first;
    while (at < first + count) {
        const int64_t number = at / sound->count, end = (number + 1) * sound->count < first + count ? (number + 1) * sound->count : first + count;
        const float *block = NULL;
        const cutroom_status status = find_block(sound, handle, number, &block);
        if (status != CUTROOM_OK) return status;
        memcpy(samples + (at - first), block + (at - number * sound->count), (size_t)(end - at) * sizeof *samples);
        at = end;
    }
    return CUTROOM_OK;
}
