/*
 * The picture of a video file at any time, for effects that put a clip somewhere. Linked into each
 * library that uses it; exports nothing.
 *
 * What is at a time follows from the file, the setting and that time alone, whatever was asked for
 * before: the decoder that is kept makes frames faster that come one after another. One thread
 * decodes; two frames and one made picture are kept.
 */
#ifndef CLIP_READER_H
#define CLIP_READER_H

#include <cutroom/plugin.h>

/* Times are in flicks. */
#define CLIP_SECOND INT64_C(705600000)

typedef enum clip_fit { CLIP_FILL, CLIP_FIT, CLIP_STRETCH } clip_fit;

typedef struct clip_setting {
    const char *path;
    int width, height; /* of the canvas */
    int is_rgba;       /* pictures are RGBA; else Y, U, V 4:2:0 by the next two */
    uint32_t matrix;   /* H.273 */
    int full_range;
    clip_fit fit;      /* fill cuts off what is too much on both sides alike, fit leaves borders */
    int loops;         /* after the last frame comes the first; else the last one stays */
} clip_setting;

typedef struct clip clip;

/* A part of the canvas: all of it but with CLIP_FIT. */
typedef struct clip_picture {
    const uint8_t *plane[3];
    ptrdiff_t stride[3];
    int x, y, width, height; /* pixels; x and y are even */
    void *owner;
} clip_picture;

/* Opens a file and decodes its first frame. `reason` gets a sentence where it fails. */
cutroom_status clip_open(const clip_setting *setting, clip **made, char reason[400]);
void clip_close(clip *clip);

/* The last frame presented at or before `time` since the first one, and before that the first. From
 * any thread; the picture is to be given back with clip_release. */
cutroom_status clip_at(clip *clip, int64_t time, clip_picture *picture, char reason[400]);
void clip_release(clip_picture *picture);

#endif
