/* One palette for many pictures, and error diffusion into it. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include "include/ckernels_palette.h"

enum { BITS = 6, SIDE = 1 << BITS, CELLS = SIDE * SIDE * SIDE, ROUNDS = 16 };

/* ---- Counting ------------------------------------------------------------------------------------------------------------ */

typedef struct cell {
    uint64_t count;
    uint64_t sum[3];
} cell;

struct ck_histogram {
    cell cells[CELLS];
};

ck_histogram *ck_histogram_create(void) { return calloc(1, sizeof(ck_histogram)); }
void ck_histogram_free(ck_histogram *histogram) { free(histogram); }

void ck_histogram_add(ck_histogram *histogram, const uint8_t *rgb, ptrdiff_t stride, int32_t width, int32_t height) {
    for (int32_t row = 0; row < height; row++, rgb += stride) {
        for (const uint8_t *p = rgb, *end = rgb + 3 * (ptrdiff_t)width; p < end; p += 3) {
            cell *c = &histogram->cells[(p[0] >> (8 - BITS)) << (2 * BITS) | (p[1] >> (8 - BITS)) << BITS | p[2] >> (8 - BITS)];
            c->count++;
            for (int i = 0; i < 3; i++) c->sum[i] += p[i];
        }
    }
}

/* ---- Choosing ------------------------------------------------------------------------------------------------------------ */

/* A used cell: how many pixels, their mean colour. */
typedef struct color {
    double count;
    double mean[3];
} color;

/* A run of the colours; what it adds to the squared error when one colour stands for all. */
typedef struct box {
    size_t first, count;
    double error;
    int axis;
} box;

typedef struct moments {
    double count, sum[3], square[3];
} moments;

static void add(moments *m, const color *c) {
    m->count += c->count;
    for (int i = 0; i < 3; i++) {
        m->sum[i] += c->count * c->mean[i];
        m->square[i] += c->count * c->mean[i] * c->mean[i];
    }
}

static double channel_error(const moments *m, int i) {
    return m->count > 0 ? m->square[i] - m->sum[i] * m->sum[i] / m->count : 0;
}

static double error_of(const moments *m) { return channel_error(m, 0) + channel_error(m, 1) + channel_error(m, 2); }

static void measure(box *b, const color *colors) {
    moments m = {0};
    for (size_t i = 0; i < b->count; i++) add(&m, &colors[b->first + i]);
    b->error = b->count > 1 ? error_of(&m) : 0;
    b->axis = 1;
    for (int i = 0; i < 3; i++) {
        if (channel_error(&m, i) > channel_error(&m, b->axis)) b->axis = i;
    }
}

/* Divides a box where the errors of both sides together are least. Returns 0 where all its colours are the same on its axis. */
static int split(box *b, box *other, color *colors) {
    enum { BUCKETS = 256 };
    moments bucket[BUCKETS] = {{0}};
    color *c = colors + b->first;
    const int axis = b->axis;
    for (size_t i = 0; i < b->count; i++) add(&bucket[(int)c[i].mean[axis]], &c[i]);
    double right[BUCKETS + 1];
    moments m = {0};
    right[BUCKETS] = 0;
    for (int k = BUCKETS - 1; k >= 0; k--) {
        m.count += bucket[k].count;
        for (int i = 0; i < 3; i++) m.sum[i] += bucket[k].sum[i], m.square[i] += bucket[k].square[i];
        right[k] = error_of(&m);
    }
    const double all = m.count;
    memset(&m, 0, sizeof m);
    int cut = -1;
    double least = 0;
    for (int k = 0; k < BUCKETS - 1; k++) {
        m.count += bucket[k].count;
        for (int i = 0; i < 3; i++) m.sum[i] += bucket[k].sum[i], m.square[i] += bucket[k].square[i];
        if (m.count <= 0 || m.count >= all || bucket[k].count <= 0) continue;
        const double error = error_of(&m) + right[k + 1];
        if (cut < 0 || error < least) cut = k, least = error;
    }
    if (cut < 0) return 0;
    size_t low = 0;
    for (size_t i = 0; i < b->count; i++) {
        if ((int)c[i].mean[axis] <= cut) {
            const color swapped = c[low];
            c[low] = c[i];
            c[i] = swapped;
            low++;
        }
    }
    other->first = b->first + low;
    other->count = b->count - low;
    b->count = low;
    measure(b, colors);
    measure(other, colors);
    return 1;
}

static int32_t nearest_mean(const double (*palette)[3], int32_t count, const double *c, double *distance) {
    int32_t best = 0;
    for (int32_t i = 0; i < count; i++) {
        double d = 0;
        for (int k = 0; k < 3; k++) d += (palette[i][k] - c[k]) * (palette[i][k] - c[k]);
        if (i == 0 || d < *distance) best = i, *distance = d;
    }
    return best;
}

/* Moves each colour to the mean of what is nearest to it. */
static void refine(double (*palette)[3], int32_t count, const color *colors, size_t used) {
    double before = -1;
    for (int round = 0; round < ROUNDS; round++) {
        moments m[256];
        memset(m, 0, sizeof m);
        double error = 0;
        for (size_t i = 0; i < used; i++) {
            double distance = 0;
            add(&m[nearest_mean((const double(*)[3])palette, count, colors[i].mean, &distance)], &colors[i]);
            error += colors[i].count * distance;
        }
        for (int32_t i = 0; i < count; i++) {
            for (int k = 0; k < 3; k++) {
                if (m[i].count > 0) palette[i][k] = m[i].sum[k] / m[i].count;
            }
        }
        if (before >= 0 && error >= before * 0.999) return;
        before = error;
    }
}

static int in_order(const void *a, const void *b) {
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    const uint32_t kx = (x & 0xff00) << 8 | (x >> 8 & 0xff00) | (x & 0xff), ky = (y & 0xff00) << 8 | (y >> 8 & 0xff00) | (y & 0xff);
    return kx < ky ? -1 : kx > ky;
}

int32_t ck_palette_choose(const ck_histogram *histogram, int32_t limit, uint32_t *palette) {
    if (limit < 2 || limit > 256) return 0;
    size_t used = 0;
    for (size_t i = 0; i < CELLS; i++) used += histogram->cells[i].count > 0;
    color *colors = malloc((used ? used : 1) * sizeof *colors);
    if (!colors) return 0;
    used = 0;
    for (size_t i = 0; i < CELLS; i++) {
        const cell *c = &histogram->cells[i];
        if (!c->count) continue;
        colors[used].count = (double)c->count;
        for (int k = 0; k < 3; k++) colors[used].mean[k] = (double)c->sum[k] / (double)c->count;
        used++;
    }
    box boxes[256] = {{.first = 0, .count = used}};
    int32_t count = used ? 1 : 0;
    if (used) measure(&boxes[0], colors);
    while (count > 0 && count < limit) {
        int32_t worst = 0;
        for (int32_t i = 1; i < count; i++) {
            if (boxes[i].error > boxes[worst].error) worst = i;
        }
        if (boxes[worst].error <= 0) break;
        if (split(&boxes[worst], &boxes[count], colors)) {
            count++;
        } else {
            boxes[worst].error = 0;
        }
    }
    double means[256][3];
    for (int32_t i = 0; i < count; i++) {
        moments m = {0};
        for (size_t k = 0; k < boxes[i].count; k++) add(&m, &colors[boxes[i].first + k]);
        for (int k = 0; k < 3; k++) means[i][k] = m.sum[k] / m.count;
    }
    refine(means, count, colors, used);
    free(colors);
    for (int32_t i = 0; i < count; i++) {
        palette[i] = (uint32_t)(means[i][0] + 0.5) << 16 | (uint32_t)(means[i][1] + 0.5) << 8 | (uint32_t)(means[i][2] + 0.5);
    }
    qsort(palette, (size_t)count, sizeof *palette, in_order);
    return count;
}

/* ---- Dithering ----------------------------------------------------------------------------------------------------------- */

/* The squared distance that the colour of before may have more than the nearest. */
enum { CACHE_BITS = 16, KEPT = 24 };

struct ck_palette {
    int32_t count;
    /* Unused entries are too far away for any colour. */
    int32_t channel[3][256];
    /* Colour << 8 | index, and all ones where nothing is known. */
    uint32_t cache[1 << CACHE_BITS];
};

ck_palette *ck_palette_create(const uint32_t *colors, int32_t count) {
    if (count < 1 || count > 256) return NULL;
    ck_palette *palette = malloc(sizeof *palette);
    if (!palette) return NULL;
    palette->count = count;
    for (int32_t i = 0; i < 256; i++) {
        for (int k = 0; k < 3; k++) palette->channel[k][i] = i < count ? (int32_t)(colors[i] >> (16 - 8 * k) & 255) : 900;
    }
    memset(palette->cache, 0xff, sizeof palette->cache);
    return palette;
}

void ck_palette_free(ck_palette *palette) { free(palette); }

static int32_t nearest(ck_palette *palette, int32_t r, int32_t g, int32_t b) {
    const uint32_t key = (uint32_t)r << 16 | (uint32_t)g << 8 | (uint32_t)b;
    uint32_t *entry = &palette->cache[key * 2654435761u >> (32 - CACHE_BITS)];
    if (*entry >> 8 == key && *entry != UINT32_MAX) return (int32_t)(*entry & 255);
    /* Distance and index in one number: the smallest is the nearest, and among equals the first. */
    int32_t best = INT_MAX;
    for (int32_t i = 0; i < 256; i++) {
        const int32_t dr = palette->channel[0][i] - r, dg = palette->channel[1][i] - g, db = palette->channel[2][i] - b;
        const int32_t d = (dr * dr + dg * dg + db * db) << 8 | i;
        best = d < best ? d : best;
    }
    *entry = key << 8 | (uint32_t)(best & 255);
    return best & 255;
}

static int32_t clamp(int32_t x) { return x < 0 ? 0 : x > 255 ? 255 : x; }

/* The squared distance of a colour of the palette. */
static int32_t distance_of(const ck_palette *palette, int32_t index, const int32_t want[3]) {
    int32_t sum = 0;
    for (int k = 0; k < 3; k++) {
        const int32_t d = palette->channel[k][index] - want[k];
        sum += d * d;
    }
    return sum;
}

int32_t ck_palette_dither(ck_palette *palette, const uint8_t *rgb, ptrdiff_t stride, int32_t width, int32_t height,
                          const uint8_t *before, uint8_t *indices, ptrdiff_t indices_stride) {
    /* Errors in sixteenths, for this row and the next, with a pixel to spare at each end. */
    const size_t line = 3 * ((size_t)width + 2);
    int32_t *errors = calloc(2 * line, sizeof *errors);
    if (!errors) return -1;
    int32_t *here = errors, *below = errors + line;
    for (int32_t row = 0; row < height; row++) {
        const int32_t step = row & 1 ? -1 : 1;
        memset(below, 0, line * sizeof *below);
        for (int32_t n = 0, x = step > 0 ? 0 : width - 1; n < width; n++, x += step) {
            const uint8_t *p = rgb + row * stride + 3 * (ptrdiff_t)x;
            int32_t *error = here + 3 * ((ptrdiff_t)x + 1);
            int32_t want[3];
            /* Arithmetic shift: rounded down for negative sums too. */
            for (int k = 0; k < 3; k++) want[k] = clamp(p[k] + ((error[k] + 8) >> 4));
            int32_t index = nearest(palette, want[0], want[1], want[2]);
            if (before) {
                const int32_t old = before[row * indices_stride + x];
                if (distance_of(palette, old, want) <= distance_of(palette, index, want) + KEPT) index = old;
            }
            indices[row * indices_stride + x] = (uint8_t)index;
            for (int k = 0; k < 3; k++) {
                const int32_t left = want[k] - palette->channel[k][index];
                error[3 * step + k] += 6 * left;
                below[3 * ((ptrdiff_t)x + 1) + k] += 3 * left;
                below[3 * ((ptrdiff_t)x + 1 - step) + k] += 3 * left;
            }
        }
        int32_t *swap = here;
        here = below;
        below = swap;
    }
    free(errors);
    return 0;
}
