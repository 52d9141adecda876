/*
 * Changes of size and place of opaque pictures as they are stored: each plane by itself, down its
 * columns and then along the rows, and only then to colours. So a large picture that is shown small
 * is read once, in its own bytes, where a way by pixels of four floats would write and read ten
 * times as much. The planes' filters are linear as the matrix is: the result is that of filtered
 * colours.
 *
 * Chroma is interpolated to every column first, which here is a part of its filter. Where pixels
 * only change their place by whole chroma samples, the interpolation is the one that a canvas
 * undoes exactly (canvas.c), and nothing is cut off: such a picture keeps its codes.
 */
#include <math.h>
#include <stdlib.h>
#include "codes.h"
#include "filter.h"
#include "layers.h"

#pragma STDC FP_CONTRACT OFF

/* Taps along the rows are summed so many at once. */
#define LANES 8

typedef uint8_t bytes8 __attribute__((vector_size(8), aligned(1), may_alias));
typedef uint16_t words8 __attribute__((vector_size(16), aligned(2), may_alias));
typedef int32_t ints4 __attribute__((vector_size(16)));

/* A plane and how it is filtered. */
typedef struct plane {
    const uint8_t *bytes;
    ptrdiff_t stride;
    int height;
    int first, count; /* the columns that have a weight */
    const ck_filter *across, *down;
    float *line; /* a row of those columns at the output's height, and zeros behind them */
} plane;

struct ck_yuv_resampler {
    ck_resampling r;
    ck_filter across[2], down[2]; /* of luma, and of chroma */
    plane planes[3];
    const uint8_t **rows; /* room for every tap down a column */
    float *filtered;      /* a row of each plane */
};

/* ---- Down the columns ------------------------------------------------------------------------------------------------------- */

/* Not a function, whose ABI would depend on the processor. */
#define LOAD(at, bits)                                                                                                           \
    ((bits) == 8 ? __builtin_convertvector(*(const bytes8 *)(const void *)(at), ck_v8)                                           \
                 : __builtin_convertvector(*(const words8 *)(const void *)(at), ck_v8))

/* `rows` begin at the first column that counts. Two vectors at a time hide how long a sum takes. */
CK_INLINE void sum_rows(float *restrict to, const uint8_t *const *rows, const float *weights, int taps, int n, int bits) {
    const int bytes = bits == 8 ? 1 : 2;
    int i = 0;
    for (; i + 16 <= n; i += 16) {
        ck_v8 low = {0}, high = {0};
        for (int k = 0; k < taps; k++) {
            const uint8_t *at = rows[k] + i * bytes;
            low += LOAD(at, bits) * weights[k];
            high += LOAD(at + 8 * bytes, bits) * weights[k];
        }
        CK_V8(to + i) = low;
        CK_V8(to + i + 8) = high;
    }
    for (; i < n; i++) {
        float sum = 0;
        for (int k = 0; k < taps; k++) sum += ck_sample(rows[k], i, bits) * weights[k];
        to[i] = sum;
    }
}

/* ---- Along the rows --------------------------------------------------------------------------------------------------------- */

/* The sum of an output's taps by lane, in which lanes k and k + 4 are added. The taps are a
 * multiple of LANES. */
#define LANE_SUMS(to, j)                                                                                                         \
    do {                                                                                                                         \
        const float *from = line + (f->start[j] - first), *weights = f->weights + (ptrdiff_t)(j) * f->taps;                      \
        ck_v8 lanes = {0};                                                                                                       \
        for (int k = 0; k < f->taps; k += LANES) lanes += CK_CV8(from + k) * CK_CV8(weights + k);                                \
        to = __builtin_shufflevector(lanes, lanes, 0, 1, 2, 3) + __builtin_shufflevector(lanes, lanes, 4, 5, 6, 7);              \
    } while (0)

/* Each output is ((0 + 4) + (2 + 6)) + ((1 + 5) + (3 + 7)) of its lanes; those of four outputs are
 * added at once. */
CK_INLINE void filter_row(float *restrict to, const float *restrict line, const ck_filter *f, int first) {
    int j = 0;
    for (; j + 4 <= f->count; j += 4) {
        ck_v4 a, b, c, d;
        LANE_SUMS(a, j);
        LANE_SUMS(b, j + 1);
        LANE_SUMS(c, j + 2);
        LANE_SUMS(d, j + 3);
        const ck_v4 ab = __builtin_shufflevector(a, b, 0, 1, 4, 5) + __builtin_shufflevector(a, b, 2, 3, 6, 7);
        const ck_v4 cd = __builtin_shufflevector(c, d, 0, 1, 4, 5) + __builtin_shufflevector(c, d, 2, 3, 6, 7);
        CK_V4(to + j) = __builtin_shufflevector(ab, cd, 0, 2, 4, 6) + __builtin_shufflevector(ab, cd, 1, 3, 5, 7);
    }
    for (; j < f->count; j++) {
        ck_v4 sum;
        LANE_SUMS(sum, j);
        to[j] = (sum[0] + sum[2]) + (sum[1] + sum[3]);
    }
}

/* ---- To colours ------------------------------------------------------------------------------------------------------------- */

/* `ck_within(x, 1)` of four numbers. */
CK_INLINE ck_v4 within_one(ck_v4 x) {
    const ck_v4 one = {1, 1, 1, 1};
    const ints4 is_below = x < one, is_above = x > (ck_v4){0};
    return (ck_v4)((((ints4)x & is_below) | ((ints4)one & ~is_below)) & is_above);
}

CK_INLINE void color_row(float *restrict out, const float *y, const float *u, const float *v, int n, ck_terms t, int is_copy) {
    int x = 0;
    for (; x + 4 <= n; x += 4, out += 16) {
        const ck_v4 e = (CK_CV4(y + x) - t.luma_black) / t.luma_scale, du = CK_CV4(u + x) - t.zero, dv = CK_CV4(v + x) - t.zero;
        ck_v4 r = e + t.r_v * dv, g = e - t.g_u * du - t.g_v * dv, b = e + t.b_u * du;
        if (!is_copy) {
            r = within_one(r);
            g = within_one(g);
            b = within_one(b);
        }
        const ck_v4 a = {1, 1, 1, 1};
        const ck_v4 rg = __builtin_shufflevector(r, g, 0, 4, 1, 5), ba = __builtin_shufflevector(b, a, 0, 4, 1, 5);
        const ck_v4 rg2 = __builtin_shufflevector(r, g, 2, 6, 3, 7), ba2 = __builtin_shufflevector(b, a, 2, 6, 3, 7);
        CK_V4(out) = __builtin_shufflevector(rg, ba, 0, 1, 4, 5);
        CK_V4(out + 4) = __builtin_shufflevector(rg, ba, 2, 3, 6, 7);
        CK_V4(out + 8) = __builtin_shufflevector(rg2, ba2, 0, 1, 4, 5);
        CK_V4(out + 12) = __builtin_shufflevector(rg2, ba2, 2, 3, 6, 7);
    }
    for (; x < n; x++, out += 4) {
        const float e = (y[x] - t.luma_black) / t.luma_scale, du = u[x] - t.zero, dv = v[x] - t.zero;
        const float rgb[3] = {e + t.r_v * dv, e - t.g_u * du - t.g_v * dv, e + t.b_u * du};
        for (int c = 0; c < 3; c++) out[c] = is_copy ? rgb[c] : ck_within(rgb[c], 1);
        out[3] = 1;
    }
}

/* ---- All of it -------------------------------------------------------------------------------------------------------------- */

/* A row of the output; `rows` and `filtered` are the resampler's. */
CK_INLINE void make_row(float *out, const plane planes[3], int y, int width, const uint8_t **rows, float *filtered, ck_terms t,
                        int is_copy, int bits) {
    for (int p = 0; p < 3; p++) {
        const plane *in = &planes[p];
        const int taps = in->down->taps, first = in->down->start[y];
        for (int k = 0; k < taps; k++) {
            /* A tap beyond the input has no weight, and any row will do. */
            const int row = first + k < in->height ? first + k : in->height - 1;
            rows[k] = in->bytes + row * in->stride + in->first * (bits == 8 ? 1 : 2);
        }
        sum_rows(in->line, rows, in->down->weights + (size_t)y * (size_t)taps, taps, in->count, bits);
        filter_row(filtered + p * width, in->line, in->across, in->first);
    }
    color_row(out, filtered, filtered + width, filtered + 2 * width, width, t, is_copy);
}

#define VERSION(name, target, bits)                                                                                              \
    target static void name(float *out, const plane planes[3], int y, int width, const uint8_t **rows, float *filtered,          \
                            ck_terms t, int is_copy) {                                                                           \
        make_row(out, planes, y, width, rows, filtered, t, is_copy, bits);                                                                \
    }
VERSION(make_row_8, , 8)
VERSION(make_row_10, , 10)
VERSION(make_row_8_avx2, CK_AVX2, 8)
VERSION(make_row_10_avx2, CK_AVX2, 10)

/* Whether pixels only change their place, by whole samples of chroma across. */
static int is_copy(const ck_resampling *r) {
    return r->scale_x == 1 && r->scale_y == 1 && fmod(r->first_x, 2) == 0 && fmod(r->first_y, 1) == 0;
}
static ck_halving halving_of(const ck_resampling *r) { return is_copy(r) ? CK_RESTORED : CK_INTERPOLATED; }

/* The planes' filters; −1 without memory. */
static int make_filters(ck_yuv_resampler *s) {
    const ck_resampling *r = &s->r;
    const int width = (r->in_width + 1) / 2, height = (r->in_height + 1) / 2;
    if (ck_filter_make(&s->across[0], r->out_width, r->in_width, r->scale_x, r->first_x, LANES) != 0
        || ck_filter_make(&s->down[0], r->out_height, r->in_height, r->scale_y, r->first_y, 1) != 0
        || ck_filter_make_halved(&s->across[1], &s->across[0], width, r->in_width, halving_of(r), LANES) != 0)
        return -1;
    return ck_filter_make_halved(&s->down[1], &s->down[0], height, r->in_height, CK_REPEATED, 1);
}

static int make_plane(plane *p, const ck_yuv_resampler *s, int number) {
    const int half = number > 0, last = s->r.out_width - 1;
    const int width = half ? (s->r.in_width + 1) / 2 : s->r.in_width;
    *p = (plane){.height = half ? (s->r.in_height + 1) / 2 : s->r.in_height, .across = &s->across[half], .down = &s->down[half]};
    /* Starts never fall: the output goes from left to right. */
    p->first = p->across->start[0];
    const int reach = p->across->start[last] + p->across->taps;
    p->count = (reach < width ? reach : width) - p->first;
    p->line = calloc((size_t)(reach - p->first) + 2 * LANES, sizeof *p->line);
    return p->line ? 0 : -1;
}

ck_yuv_resampler *ck_yuv_resampler_make(ck_resampling r) {
    if (!ck_resampling_is_sound(&r)) return NULL;
    ck_yuv_resampler *s = calloc(1, sizeof *s);
    if (!s) return NULL;
    s->r = r;
    int failed = make_filters(s) != 0;
    for (int p = 0; p < 3 && !failed; p++) failed = make_plane(&s->planes[p], s, p) != 0;
    if (!failed) {
        s->rows = calloc((size_t)(s->down[0].taps > s->down[1].taps ? s->down[0].taps : s->down[1].taps), sizeof *s->rows);
        s->filtered = calloc(3 * (size_t)r.out_width, sizeof *s->filtered);
    }
    if (failed || !s->rows || !s->filtered) {
        ck_yuv_resampler_free(s);
        return NULL;
    }
    return s;
}

void ck_yuv_resampler_free(ck_yuv_resampler *s) {
    if (!s) return;
    for (int p = 0; p < 3; p++) free(s->planes[p].line);
    for (int half = 0; half < 2; half++) {
        ck_filter_free(&s->across[half]);
        ck_filter_free(&s->down[half]);
    }
    free(s->rows);
    free(s->filtered);
    free(s);
}

static size_t bytes_of(const ck_filter *f) {
    return (size_t)f->count * ((size_t)f->taps * sizeof *f->weights + sizeof *f->start);
}

size_t ck_yuv_resampler_bytes(const ck_yuv_resampler *s) {
    return bytes_of(&s->across[0]) + bytes_of(&s->across[1]) + bytes_of(&s->down[0]) + bytes_of(&s->down[1]);
}

int32_t ck_yuv_resampler_run(ck_yuv_resampler *s, float *out, ptrdiff_t out_stride, ck_picture in, int32_t bits, double kr,
                             double kb) {
    if ((bits != 8 && bits != 10) || in.width != s->r.in_width || in.height != s->r.in_height) return -1;
    for (int p = 0; p < 3; p++) {
        s->planes[p].bytes = in.plane[p];
        s->planes[p].stride = in.stride[p];
    }
    const ck_terms t = ck_make_terms(bits, kr, kb);
    const int fast = ck_has_avx2(), copies = is_copy(&s->r);
    for (int y = 0; y < s->r.out_height; y++)
        (bits == 8 ? fast ? make_row_8_avx2 : make_row_8 : fast ? make_row_10_avx2 : make_row_10)(
            ck_row_f(out, out_stride, y), s->planes, y, s->r.out_width, s->rows, s->filtered, t, copies);
    return 0;
}

int32_t ck_resample_yuv(float *out, ptrdiff_t out_stride, ck_picture in, int32_t bits, double kr, double kb, ck_resampling r) {
    ck_yuv_resampler *s = ck_yuv_resampler_make(r);
    const int32_t result = s ? ck_yuv_resampler_run(s, out, out_stride, in, bits, kr, kb) : -1;
    ck_yuv_resampler_free(s);
    return result;
}

/* ---- The reference ---------------------------------------------------------------------------------------------------------- */

typedef struct stored {
    ck_picture picture;
    int bits;
    double kr, kb;
    ck_halving halving;
} stored;

/* Chroma of the picture's pixel (x, y), 0 for grey. */
static double chroma(const stored *in, int plane, int x, int y) {
    const uint8_t *row = ck_row(in->picture, plane, y / 2);
    const int near = x / 2, count = ck_columns(in->picture, plane), before = near > 0 ? near - 1 : count > 1 ? 1 : 0;
    const int next = near + 1 < count ? near + 1 : in->picture.width % 2 == 0 ? count - 1 : count > 1 ? count - 2 : 0;
    const double here = ck_sample(row, near, in->bits), after = ck_sample(row, next, in->bits);
    const double value = x % 2 == 1                       ? (here + after) / 2
                         : in->halving == CK_INTERPOLATED ? here
                                                          : (6 * here - after - ck_sample(row, before, in->bits)) / 4;
    return (value / (1 << (in->bits - 8)) - 128) / 224;
}

static void read_pixel(double pixel[4], const void *input, int x, int y) {
    const stored *in = input;
    const double unit = 1 << (in->bits - 8);
    const double e = (ck_sample(ck_row(in->picture, 0, y), x, in->bits) / unit - 16) / 219;
    const double u = chroma(in, 1, x, y), v = chroma(in, 2, x, y);
    pixel[0] = e + 2 * (1 - in->kr) * v;
    pixel[2] = e + 2 * (1 - in->kb) * u;
    pixel[1] = (e - in->kr * pixel[0] - in->kb * pixel[2]) / (1 - in->kr - in->kb);
    pixel[3] = 1;
}

int32_t ck_resample_yuv_ref(float *out, ptrdiff_t out_stride, ck_picture in, int32_t bits, double kr, double kb, ck_resampling r) {
    if (!ck_resampling_is_sound(&r) || (bits != 8 && bits != 10) || in.width != r.in_width || in.height != r.in_height) return -1;
    const stored picture = {in, bits, kr, kb, halving_of(&r)};
    ck_resample_exactly(out, out_stride, &picture, read_pixel, r, !is_copy(&r));
    return 0;
}
