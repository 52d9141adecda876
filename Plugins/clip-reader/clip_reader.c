/* Which frame is at a time, and the pictures made of it. */
#include "clip_reader.h"
#include "clip_convert.h"
#include "clip_decoder.h"
#include <pthread.h>
#include <stdio.h>

/* A frame further ahead than this is worth a search for a key frame; a search that came too late is
 * begun so much earlier. */
#define JUMP (2 * CLIP_SECOND)

struct clip {
    pthread_mutex_t lock;
    char *path;
    clip_setting setting;
    clip_decoder decoder;
    clip_converter converter;
    int64_t origin; /* of the first frame, on the file's clock */
    int64_t length; /* of a round; 0: it does not loop */
    AVFrame *shown, *ahead;
    int64_t shown_time, ahead_time;
    int has_ahead;        /* else `shown` is the last frame */
    clip_picture made;    /* of `shown`; its owner is null where it was not made yet */
};

static cutroom_status fail(const clip *c, char reason[400], const char *why) {
    snprintf(reason, 400, "the clip ‘%s’ %s", c->path, why);
    return CUTROOM_ERROR_PARAM;
}

static void forget(clip *c) {
    AVFrame *frame = c->made.owner;
    av_frame_free(&frame);
    c->made.owner = NULL;
}

static void look_ahead(clip *c) {
    av_frame_unref(c->ahead);
    c->has_ahead = clip_decoder_next(&c->decoder, c->ahead, &c->ahead_time);
}

/* The decoder was set somewhere: its first frame is shown. 0 where there is none. */
static int begin(clip *c) {
    forget(c);
    av_frame_unref(c->shown);
    if (!clip_decoder_next(&c->decoder, c->shown, &c->shown_time)) return 0;
    look_ahead(c);
    return 1;
}

static cutroom_status restart(clip *c, char reason[400]) {
    clip_decoder_close(&c->decoder);
    const cutroom_status status = clip_decoder_open(&c->decoder, c->path, reason);
    if (status != CUTROOM_OK) return status;
    return begin(c) ? CUTROOM_OK : fail(c, reason, "has no frame that can be decoded");
}

/* Goes to a key frame before `time`, at worst the first one. */
static cutroom_status search(clip *c, int64_t time, char reason[400]) {
    for (int64_t back = 0; time - back > c->origin; back = back ? 4 * back : JUMP)
        if (clip_decoder_seek(&c->decoder, time - back) && begin(c) && c->shown_time <= time) return CUTROOM_OK;
    return restart(c, reason);
}

static cutroom_status show(clip *c, int64_t time, char reason[400]) {
    /* An earlier call failed. */
    if (!c->decoder.format || !c->shown->buf[0]) {
        const cutroom_status status = restart(c, reason);
        if (status != CUTROOM_OK) return status;
    }
    const int is_back = time < c->shown_time && c->shown_time > c->origin, is_far = c->has_ahead && time > c->ahead_time + JUMP;
    if (is_back || is_far) {
        const cutroom_status status = search(c, time, reason);
        if (status != CUTROOM_OK) return status;
    }
    while (c->has_ahead && c->ahead_time <= time) {
        forget(c);
        AVFrame *old = c->shown;
        c->shown = c->ahead, c->ahead = old;
        c->shown_time = c->ahead_time;
        look_ahead(c);
    }
    return CUTROOM_OK;
}

cutroom_status clip_open(const clip_setting *setting, clip **made, char reason[400]) {
    clip *c = av_mallocz(sizeof *c);
    if (!c) return CUTROOM_ERROR_MEMORY;
    pthread_mutex_init(&c->lock, NULL);
    c->path = av_strdup(setting->path), c->shown = av_frame_alloc(), c->ahead = av_frame_alloc();
    c->setting = c->converter.setting = *setting;
    c->setting.path = c->converter.setting.path = NULL;
    cutroom_status status = c->path && c->shown && c->ahead ? CUTROOM_OK : CUTROOM_ERROR_MEMORY;
    if (status == CUTROOM_OK) status = restart(c, reason);
    if (status == CUTROOM_OK && clip_is_hdr(c->shown))
        status = fail(c, reason, "is HDR (PQ or HLG), which cannot be put here; make it SDR first");
    if (status == CUTROOM_OK) {
        c->origin = c->shown_time;
        c->converter.turn = clip_turn_of(c->decoder.stream);
        if (setting->loops) {
            const int64_t length = clip_decoder_end(&c->decoder) - c->origin;
            c->length = length > 0 ? length : clip_decoder_step(&c->decoder);
            /* Its packets may have been read. */
            status = restart(c, reason);
        }
    }
    if (status != CUTROOM_OK) return clip_close(c), status;
    *made = c;
    return CUTROOM_OK;
}

void clip_close(clip *c) {
    if (!c) return;
    forget(c);
    av_frame_free(&c->shown), av_frame_free(&c->ahead);
    sws_freeContext(c->converter.scaler);
    clip_decoder_close(&c->decoder);
    pthread_mutex_destroy(&c->lock);
    av_free(c->path);
    av_free(c);
}

cutroom_status clip_at(clip *c, int64_t time, clip_picture *picture, char reason[400]) {
    pthread_mutex_lock(&c->lock);
    if (c->length > 0) time = (time % c->length + c->length) % c->length;
    cutroom_status status = show(c, c->origin + time, reason);
    /* A stream may become HDR on its way. */
    if (status == CUTROOM_OK && clip_is_hdr(c->shown))
        status = fail(c, reason, "is HDR (PQ or HLG), which cannot be put here; make it SDR first");
    if (status == CUTROOM_OK && !c->made.owner) {
        clip_convert(&c->converter, av_guess_sample_aspect_ratio(c->decoder.format, c->decoder.stream, c->shown), c->shown, &c->made);
        if (!c->made.owner) status = fail(c, reason, "has a frame that cannot be converted");
    }
    if (status == CUTROOM_OK) {
        *picture = c->made;
        picture->owner = av_frame_clone(c->made.owner);
        if (!picture->owner) status = CUTROOM_ERROR_MEMORY;
    }
    pthread_mutex_unlock(&c->lock);
    return status;
}

void clip_release(clip_picture *picture) {
    AVFrame *frame = picture->owner;
    av_frame_free(&frame);
    picture->owner = NULL;
}
