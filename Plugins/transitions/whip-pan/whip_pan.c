/*
 * org.cutroom.whip_pan: the camera is torn to the side, past mirror images of the outgoing and then
 * of the incoming picture, and comes to rest on that. The pictures are tiles of a tape; the blur
 * along it is a box, by running sums.
 */
#include "../transitions.h"
#include <math.h>

enum { DIRECTION, DISTANCE, BLUR };
enum { STRIP = 64 };

static const char *const directions[] = {"left", "right", "up", "down"};
static const cutroom_param params[] = {
    [DIRECTION] = KIT_ENUM("direction", "Direction", directions, "The direction in which the pictures move."),
    [DISTANCE] = KIT_INT("distance", "Distance", "", 1, 12, 3, "How many pictures the camera passes. More look faster."),
    [BLUR] = KIT_DOUBLE("motion_blur", "Motion blur", "", 0, 2, 1, MOTION_BLUR_HELP),
};

/* Along the tape, in samples of a plane. */
typedef struct tape {
    const kit_plane *p;
    int upright;   /* it runs down the columns */
    int backwards; /* the incoming picture lies before the outgoing one */
    int tiles;     /* from the one to the other */
    int size;      /* of a tile */
    int between;   /* a mirrored sample lies midway between two: chroma on the even columns of an even number */
} tape;

/* Row or column `i` of the tape: of which picture, and which of it, or which two, half and half. */
static const uint8_t *at(const tape *t, int64_t i, int *place, int *other) {
    int64_t tile = i >= 0 ? i / t->size : -((t->size - 1 - i) / t->size);
    const int inside = (int)(i - tile * t->size);
    if (t->backwards) tile = -tile;
    const int is_new = 2 * tile > t->tiles;
    const int64_t turned = (is_new ? t->tiles - tile : tile) & 1;
    *place = *other = turned ? t->size - 1 - inside : inside;
    if (turned && t->between && inside > 0) ++*other;
    return is_new ? t->p->next : t->p->in;
}

KIT_INLINE void sum_up(const uint8_t *from, int floats, const double *before, double *after, int count) {
    for (int c = 0; c < count; c++)
        after[c] = before[c] + (floats ? (double)((const float *)(const void *)from)[c] : (double)from[c]);
}

/* The same with the mean of two samples of bytes. */
static void sum_up_both(const uint8_t *a, const uint8_t *b, const double *before, double *after, int count) {
    for (int c = 0; c < count; c++) after[c] = before[c] + (a[c] + b[c]) / 2.0;
}

/* Sums of the tape's samples from `first` on: row `k` of `sums` has those of `k` samples. `line` is
 * the row that a tape along the rows lies in, else the strip's first component. */
static void add_up(const tape *t, int64_t first, int count, int line, int width, double *sums) {
    const kit_plane *p = t->p;
    const int bytes = p->floats ? 4 : 1;
    memset(sums, 0, sizeof *sums * (size_t)width);
    for (int k = 0; k < count; k++) {
        int place, other;
        const uint8_t *start = at(t, first + k, &place, &other);
        const ptrdiff_t stride = start == p->in ? p->in_stride : p->next_stride;
        const uint8_t *from = t->upright ? start + place * stride + (ptrdiff_t)line * bytes
                                         : start + line * stride + (ptrdiff_t)place * p->channels * bytes;
        const double *before = sums + (ptrdiff_t)k * width;
        if (other == place) sum_up(from, p->floats, before, sums + (ptrdiff_t)(k + 1) * width, width);
        else sum_up_both(from, from + (other - place), before, sums + (ptrdiff_t)(k + 1) * width, width);
    }
}

/* The box along the tape: it begins `from` of a sample after the sample it is asked for, and ends
 * `to` of one after the sample `whole` further on. The same for every sample, so that slices of
 * rows are what the whole is. */
typedef struct box {
    double from, to, length;
    int whole;
} box;

static void mean(const double *sums, int width, int k, box b, uint8_t *out, int floats) {
    const double *low = sums + (ptrdiff_t)k * width, *high = sums + (ptrdiff_t)(k + b.whole) * width;
    for (int c = 0; c < width; c++) {
        const double left = low[c] + (low[width + c] - low[c]) * b.from, right = high[c] + (high[width + c] - high[c]) * b.to;
        const double value = (right - left) / b.length;
        if (floats) ((float *)(void *)out)[c] = (float)value;
        else out[c] = (uint8_t)(value + 0.5);
    }
}

static cutroom_status render_plane(const kit_job *job, const kit_plane *p) {
    const int direction = (int)job->values[DIRECTION].n[0], tiles = (int)job->values[DISTANCE].n[0];
    const tape t = {p, direction >= 2, direction % 2 == 1, tiles, direction >= 2 ? p->height : p->width,
                    direction < 2 && p->left && p->columns % 2 == 0};
    const double way = tiles * (double)t.size;
    const double length = kit_bound(way * motion_shutter(job, job->values[BLUR].n[0]), 1, way);
    const double position = (t.backwards ? -way : way) * motion(job->progress);
    /* The middle of the box lies on the middle of the sample. */
    const double start = position + 0.5 - length / 2, first = floor(start), stop = start - first + length;
    const box b = {start - first, stop - floor(stop), length, (int)floor(stop)};
    const int bytes = p->floats ? 4 : 1, begin = t.upright ? p->begin : 0, end = t.upright ? p->end : p->width;
    const int count = end - begin + b.whole + 1, lines = t.upright ? p->width * p->channels : p->end;
    const int width = t.upright ? STRIP : p->channels;
    double *sums = kit_alloc(job->host, sizeof *sums * (size_t)(count + 1) * (size_t)width);
    if (!sums) return CUTROOM_ERROR_MEMORY;
    for (int line = t.upright ? 0 : p->begin; line < lines; line += t.upright ? STRIP : 1) {
        const int some = t.upright && lines - line < STRIP ? lines - line : width;
        add_up(&t, (int64_t)first + begin, count, line, some, sums);
        for (int i = begin; i < end; i++) {
            uint8_t *out = t.upright ? p->out + i * p->out_stride + (ptrdiff_t)line * bytes
                                     : p->out + line * p->out_stride + (ptrdiff_t)i * p->channels * bytes;
            mean(sums, some, i - begin, b, out, p->floats);
        }
    }
    kit_release(job->host, sums);
    return CUTROOM_OK;
}

static cutroom_status render(const kit_job *job) {
    cutroom_status status = CUTROOM_OK;
    for (int i = 0; i < job->plane_count && status == CUTROOM_OK; i++) status = render_plane(job, &job->plane[i]);
    return status;
}

const kit_effect transition_whip_pan = {
    .abi = KIT_TRANSITION("org.cutroom.whip_pan", "Whip pan", "Tears the camera away from the outgoing picture to the incoming one.", params),
    .render = render,
    .mixes = 1,
};
