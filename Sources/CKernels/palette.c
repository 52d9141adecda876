/* One palette for many pictures, and error diffusion into it. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include "include/ckernels_palette.h"

enum { ROUNDS = 16 };

/* ---- Counting ------------------------------------------------------------------------------------------------------------ */

/* As many cells as there are at six bits, and a table twice as large, so that a search in it is
 * short. */
enum { MOST_CELLS = 1 << 18, TABLE_BITS = 19, TABLE = 1 << TABLE_BITS };

typedef struct cell {
    uint64_t count; /* 0: free */
    uint64_t sum[3];
    uint32_t key; /* the upper bits of red, green and blue */
} cell;

/* Cells as fine as they fit: single colours, until there are too many, then of seven bits in each
 * channel, then of six. Which it is depends on the colours alone, not on their order. */
struct ck_histogram {
    int bits;
    uint32_t used;
    cell *cells;
};

ck_histogram *ck_histogram_create(void) {
    ck_histogram *histogram = calloc(1, sizeof *histogram);
    if (!histogram) return NULL;
    histogram->bits = 8;
    histogram->cells = calloc(TABLE, sizeof *histogram->cells);
    if (histogram->cells) return histogram;
    free(histogram);
    return NULL;
}

void ck_histogram_free(ck_histogram *histogram) {
    if (histogram) free(histogram->cells);
    free(histogram);
}

/* The cell of a key, or the free one that the key gets. */
static cell *find(cell *cells, uint32_t key) {
    uint32_t at = key * 2654435761u >> (32 - TABLE_BITS);
    while (cells[at].count && cells[at].key != key) at = (at + 1) % TABLE;
    return &cells[at];
}

/* Joins cells to cells of twice the side. Returns 0 without memory. */
static int coarsen(ck_histogram *histogram) {
    cell *cells = calloc(TABLE, sizeof *cells);
    if (!cells) return 0;
    const int old = histogram->bits--, bits = histogram->bits;
    const uint32_t mask = (1u << old) - 1;
    histogram->used = 0;
    for (uint32_t i = 0; i < TABLE; i++) {
        const cell *from = &histogram->cells[i];
        if (!from->count) continue;
        const uint32_t r = from->key >> (2 * old), g = from->key >> old & mask, b = from->key & mask;
        const uint32_t key = (r >> 1) << (2 * bits) | (g >> 1) << bits | b >> 1;
        cell *to = find(cells, key);
        histogram->used += to->count == 0;
        to->key = key;
        to->count += from->count;
        for (int k = 0; k < 3; k++) to->sum[k] += from->sum[k];
    }
    free(histogram->cells);
    histogram->cells = cells;
    return 1;
}

int32_t ck_histogram_add(ck_histogram *histogram, const uint8_t *rgb, ptrdiff_t stride, int32_t width, int32_t height) {
    for (int32_t row = 0; row < height; row++, rgb += stride) {
        for (const uint8_t *p = rgb, *end = rgb + 3 * (ptrdiff_t)width; p < end;) {
            const int bits = histogram->bits, shift = 8 - bits;
            const uint32_t r = p[0] >> shift, g = p[1] >> shift, b = p[2] >> shift;
            const uint32_t key = r << (2 * bits) | g << bits | b;
            cell *c = find(histogram->cells, key);
            if (!c->count) {
                /* With six bits in each channel there are never more. */
                if (histogram->used == MOST_CELLS) {
                    if (!coarsen(histogram)) return -1;
                    continue;
                }
                histogram->used++;
                c->key = key;
            }
            c->count++;
            for (int i = 0; i < 3; i++) c->sum[i] += p[i];
            p += 3;
        }
    }
    return 0;
}

/* ---- Choosing ------------------------------------------------------------------------------------------------------------ */

/* A used cell: how many pixels, their mean colour. */
typedef struct color {
    double count;
    double mean[3];
    uint32_t key;
} color;

/* The order of keys: sums of doubles depend on the order, and that of the table depends on the
 * order of the pixels. */
static int by_key(const void *a, const void *b) {
    const uint32_t x = ((const color *)a)->key, y = ((const color *)b)->key;
    return x < y ? -1 : x > y;
}

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

/* Divides a box where the errors of both sides together are least. Returns 0 where all its colours
 * are the same on its axis. */
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

/* Colours in the order of their green, to be searched from where a colour's own green is. */
typedef struct shelf {
    int32_t count;
    double mean[256][3];
} shelf;

static int by_green(const void *a, const void *b) {
    const double *x = a, *y = b;
    for (int i = 0; i < 3; i++) {
        const int k = (i + 1) % 3;
        if (x[k] != y[k]) return x[k] < y[k] ? -1 : 1;
    }
    return 0;
}

static double square(double x) { return x * x; }

/* The nearest colour to c, among equals one that is the same for the same shelf. Looks up and down
 * until green alone is further away. */
static int32_t nearest_mean(const shelf *s, const double *c, double *distance) {
    int32_t low = 0, high = s->count;
    while (low < high) {
        const int32_t middle = (low + high) / 2;
        if (s->mean[middle][1] < c[1]) low = middle + 1;
        else high = middle;
    }
    int32_t best = -1, up = low, down = low - 1;
    double least = 1e30;
    while (up < s->count || down >= 0) {
        const double above = up < s->count ? square(s->mean[up][1] - c[1]) : 1e30;
        const double below = down >= 0 ? square(s->mean[down][1] - c[1]) : 1e30;
        if (above >= least && below >= least) break;
        const int32_t i = above <= below ? up++ : down--;
        const double d = square(s->mean[i][0] - c[0]) + square(s->mean[i][1] - c[1]) + square(s->mean[i][2] - c[2]);
        if (d < least) least = d, best = i;
    }
    *distance = least;
    return best;
}

/* Moves each colour to the mean of what is nearest to it. */
static void refine(shelf *s, const color *colors, size_t used) {
    double before = -1;
    for (int round = 0; round < ROUNDS; round++) {
        moments m[256];
        memset(m, 0, sizeof m);
        qsort(s->mean, (size_t)s->count, sizeof *s->mean, by_green);
        double error = 0;
        for (size_t i = 0; i < used; i++) {
            double distance = 0;
            add(&m[nearest_mean(s, colors[i].mean, &distance)], &colors[i]);
            error += colors[i].count * distance;
        }
        for (int32_t i = 0; i < s->count; i++) {
            for (int k = 0; k < 3; k++) {
                if (m[i].count > 0) s->mean[i][k] = m[i].sum[k] / m[i].count;
            }
        }
        if (before >= 0 && error >= before * 0.999) return;
        before = error;
    }
}

/* Divides the colours into at most `limit` boxes, and takes the mean of each. */
static int32_t divide(color *colors, size_t used, int32_t limit, shelf *s) {
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
    for (int32_t i = 0; i < count; i++) {
        moments m = {0};
        for (size_t k = 0; k < boxes[i].count; k++) add(&m, &colors[boxes[i].first + k]);
        for (int k = 0; k < 3; k++) s->mean[i][k] = m.sum[k] / m.count;
    }
    return s->count = count;
}

static int in_order(const void *a, const void *b) {
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    const uint32_t kx = (x & 0xff00) << 8 | (x >> 8 & 0xff00) | (x & 0xff), ky = (y & 0xff00) << 8 | (y >> 8 & 0xff00) | (y & 0xff);
    return kx < ky ? -1 : kx > ky;
}

int32_t ck_palette_choose(const ck_histogram *histogram, int32_t limit, uint32_t *palette) {
    if (limit < 2 || limit > 256) return 0;
    size_t used = histogram->used;
    color *colors = malloc((used ? used : 1) * sizeof *colors);
    if (!colors) return 0;
    used = 0;
    for (size_t i = 0; i < TABLE; i++) {
        const cell *c = &histogram->cells[i];
        if (!c->count) continue;
        colors[used].key = c->key;
        colors[used].count = (double)c->count;
        for (int k = 0; k < 3; k++) colors[used].mean[k] = (double)c->sum[k] / (double)c->count;
        used++;
    }
    qsort(colors, used, sizeof *colors, by_key);
    shelf s = {0};
    const int32_t count = divide(colors, used, limit, &s);
    refine(&s, colors, used);
    free(colors);
    for (int32_t i = 0; i < count; i++) {
        palette[i] = (uint32_t)(s.mean[i][0] + 0.5) << 16 | (uint32_t)(s.mean[i][1] + 0.5) << 8 | (uint32_t)(s.mean[i][2] + 0.5);
    }
    qsort(palette, (size_t)count, sizeof *palette, in_order);
    return count;
}

/* ---- Dithering ----------------------------------------------------------------------------------------------------------- */

/* Squared distances: by how much the colour of before may be further away than the nearest, and the
 * error that is not worth handing on. */
enum { CACHE_BITS = 16, KEPT = 24, NEAR = 2 };

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
            if (distance_of(palette, index, want) <= NEAR) continue;
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
