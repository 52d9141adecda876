/* The frames of a video file in order, from its start or from a key frame. */
#ifndef CLIP_DECODER_H
#define CLIP_DECODER_H

#include "clip_reader.h"
#include <libavcodec/avcodec.h>
#include <libavformat/avformat.h>

typedef struct clip_decoder {
    char *path;
    AVFormatContext *format;
    AVCodecContext *codec;
    AVStream *stream;
    AVPacket *packet;
    int from_start; /* frames come from the first packet on */
    int draining;
    int64_t key;    /* stream ticks of the key frame after a seek; AV_NOPTS_VALUE: not known */
    int64_t last;   /* flicks of the frame before; INT64_MIN: none */
} clip_decoder;

/* `path` must live as long as the decoder. */
cutroom_status clip_decoder_open(clip_decoder *decoder, const char *path, char reason[400]);
void clip_decoder_close(clip_decoder *decoder);
/* 1 with a frame and its time in flicks of the file's clock, 0 at the end: also where the rest is
 * damaged. */
int clip_decoder_next(clip_decoder *decoder, AVFrame *frame, int64_t *time);
/* To the last key frame at or before a time of the file's clock. 0 where the file cannot be
 * searched. */
int clip_decoder_seek(clip_decoder *decoder, int64_t time);
/* When the last frame ends, on the file's clock: by the stream's header, else by its packets; reads
 * on in the file. */
int64_t clip_decoder_end(clip_decoder *decoder);
/* How long a frame is where nothing says it. */
int64_t clip_decoder_step(const clip_decoder *decoder);

#endif
