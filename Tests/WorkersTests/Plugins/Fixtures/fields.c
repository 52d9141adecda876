/* A filter that shows its input as it is, and fails where a field of what it is lent is not that of
 * a canvas of 64×48 at 25 frames a second, used from frame 5 on, or where it is called while it is
 * being called: it declares no concurrency. */
#define _GNU_SOURCE
#include <stdio.h>
#include <unistd.h>
#include "fixture.h"

static int fail(const cutroom_call *call, const char *name, const char *what) {
    char text[300];
    snprintf(text, sizeof text, "the %s has not: %s", name, what);
    fixture_host->error(fixture_host->context, call->handle, text);
    return 0;
}

#define NEED(condition) \
    if (!(condition)) return fail(call, name, #condition)

static int is_right(const cutroom_call *call, const cutroom_frame *f, const char *name) {
    const uint32_t yuv = f->format == CUTROOM_FORMAT_YUV420P8, pixel = yuv ? 1 : f->format == CUTROOM_FORMAT_RGBA8 ? 4 : 16;
    NEED(f->struct_size == sizeof *f);
    NEED(f->format == fixture_formats[0]);
    NEED(f->width == 64 && f->height == 48);
    NEED(f->plane_count == (yuv ? 3u : 1u));
    NEED(f->plane_align >= 1 && (f->plane_align & (f->plane_align - 1)) == 0);
    for (uint32_t i = 0; i < 4; i++) {
        NEED((f->plane[i] != NULL) == (i < f->plane_count));
        NEED(i >= f->plane_count || f->stride[i] >= (ptrdiff_t)(pixel * (i == 0 ? 64 : 32)));
        NEED(((uintptr_t)f->plane[i] | (uintptr_t)f->stride[i]) % f->plane_align == 0);
    }
    NEED(f->primaries == 1 && f->transfer == 1);
    NEED(f->matrix == yuv && f->full_range == !yuv);
    NEED(f->alpha == CUTROOM_ALPHA_NONE);
    NEED(f->chroma_loc == yuv);
    NEED(f->pixel_aspect.num == 1 && f->pixel_aspect.den == 1);
    NEED(f->index == call->index + 5);
    NEED(f->pts.den > 0 && 25 * f->pts.num == f->index * f->pts.den);
    NEED(f->duration.den > 0 && 25 * f->duration.num == f->duration.den);
    NEED(f->sample_rate == 0 && f->sample_count == 0 && f->channel_count == 0 && f->channel_mask == 0 && f->reserved == 0);
    return 1;
}

static int is_black(const cutroom_call *call, const cutroom_frame *f, const char *name) {
    for (uint32_t i = 0; i < f->plane_count; i++) {
        for (int y = 0; y < (i == 0 ? 48 : 24); y++) {
            const uint8_t *row = f->plane[i] + y * f->stride[i];
            for (int x = 0; x < (i == 0 ? 64 : 32); x++) {
                if (f->format == CUTROOM_FORMAT_YUV420P8) {
                    NEED(row[x] == (i == 0 ? 16 : 128));
                    continue;
                }
                for (int c = 0; c < 4; c++) {
                    const float *floats = (const float *)(const void *)row;
                    NEED(f->format == CUTROOM_FORMAT_RGBA8 ? row[4 * x + c] == (c == 3 ? 255 : 0) : floats[4 * x + c] == (c == 3));
                }
            }
        }
    }
    return 1;
}

static int inside;

static cutroom_status process(void *instance, const cutroom_call *call) {
    (void)instance;
    cutroom_status status = CUTROOM_ERROR_FATAL;
    if (__atomic_fetch_add(&inside, 1, __ATOMIC_SEQ_CST) > 0) {
        fixture_host->error(fixture_host->context, call->handle, "it is called while it is being called");
    } else if (is_right(call, cutroom_current(call, 0), "input") && is_right(call, call->output, "output") &&
               is_black(call, call->output, "output")) {
        status = CUTROOM_PASS;
    }
    usleep(1000);
    __atomic_fetch_sub(&inside, 1, __ATOMIC_SEQ_CST);
    return status;
}

static const cutroom_effect effect = {FIXTURE_EFFECT("test.fields", process)};
FIXTURE_ONE(effect)
const cutroom_plugin cutroom_plugin_entry = {FIXTURE_ENTRY};
