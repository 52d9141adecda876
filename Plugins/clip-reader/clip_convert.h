/* Decoded frames as pictures of the canvas. */
#ifndef CLIP_CONVERT_H
#define CLIP_CONVERT_H

#include "clip_reader.h"
#include <libavformat/avformat.h>
#include <libavutil/frame.h>
#include <libswscale/swscale.h>

/* How a decoded picture is turned to stand upright: clockwise, then mirrored left to right. */
typedef struct clip_turn {
    int quarters, mirrored;
} clip_turn;

clip_turn clip_turn_of(AVStream *stream);

typedef struct clip_converter {
    clip_setting setting;
    clip_turn turn;
    struct SwsContext *scaler;
    struct { int width, height, format, matrix, full, siting, out_width, out_height; } key; /* what the scaler was made for */
} clip_converter;

/* 1 where the frame's light is HDR's, which no conversion here brings to the canvas. */
int clip_is_hdr(const AVFrame *frame);

/* The frame scaled, turned and in the canvas' colours, in memory of its own that `owner` (an
 * AVFrame) holds; `owner` is null where it fails. */
void clip_convert(clip_converter *converter, AVRational aspect, const AVFrame *frame, clip_picture *picture);

#endif
