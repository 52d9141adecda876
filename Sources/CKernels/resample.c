/*
 * Changes of size and place of pictures with alpha, along rows and then down columns.
 *
 * Each input row is filtered along the row once. Down the columns a few such rows are kept where
 * the filter is short; where it is long, each is added to all output rows that it has a weight in,
 * so that memory does not grow with the ratio.
 */
#include <math.h>
#include <stdlib.h>
#include "filter.h"
#include "layers.h"

#pragma STDC FP_CONTRACT OFF

/* Filters down the columns that are longer add rows as they come. */
#define MOST_ROWS 48

/* ---- One input row, premultiplied ------------------------------------------------------------------------------------------ */

CK_INLINE float number(float x) { return x > -1e6f && x < 1e6f ? x : 0; }

CK_INLINE void read_row(float *restrict to, const void *restrict from, int width, ck_samples samples) {
    if (samples == CK_RGBA8) {
        const uint8_t *in = from;
        for (int x = 0; x < width; x++, in += 4, to += 4) {
            const float a = in[3] * (1 / 255.0f), scale = a * (1 / 255.0f);
            to[0] = in[0] * scale, to[1] = in[1] * scale, to[2] = in[2] * scale, to[3] = a;
        }
    } else if (samples == CK_RGBA16) {
        const uint16_t *in = from;
        for (int x = 0; x < width; x++, in += 4, to += 4) {
            const float a = in[3] * (1 / 65535.0f), scale = a * (1 / 65535.0f);
            to[0] = in[0] * scale, to[1] = in[1] * scale, to[2] = in[2] * scale, to[3] = a;
        }
    } else {
        const float *in = from;
        for (int x = 0; x < width; x++, in += 4, to += 4) {
            const float a = ck_within(in[3], 1), scale = samples == CK_RGBAF ? a : 1;
            for (int c = 0; c < 3; c++) to[c] = ck_within(number(in[c]) * scale, a);
            to[3] = a;
        }
    }
}

static void read_base(float *to, const void *from, int width, ck_samples samples) { read_row(to, from, width, samples); }
CK_AVX2 static void read_avx2(float *to, const void *from, int width, ck_samples samples) { read_row(to, from, width, samples); }

/* ---- Along the rows, and down the columns ------------------------------------------------------------------------------------ */

/* The even taps are summed apart from the odd ones: two pixels at a time. */
CK_INLINE void filter_row(float *restrict to, const float *restrict line, const ck_filter *f) {
    const float *weights = f->weights;
    for (int j = 0; j < f->count; j++, weights += f->taps, to += 4) {
        const float *from = line + 4 * (ptrdiff_t)f->start[j];
        ck_v8 sum = {0};
        for (int k = 0; k < f->taps; k += 2, from += 8) {
            const float a = weights[k], b = weights[k + 1];
            sum += CK_CV8(from) * (ck_v8){a, a, a, a, b, b, b, b};
        }
        float sums[8];
        CK_V8(sums) = sum;
        for (int c = 0; c < 4; c++) to[c] = sums[c] + sums[c + 4];
    }
}
static void filter_row_base(float *to, const float *line, const ck_filter *f) { filter_row(to, line, f); }
CK_AVX2 static void filter_row_avx2(float *to, const float *line, const ck_filter *f) { filter_row(to, line, f); }

/* A multiple of 8 floats, as all rows here are long. */
CK_INLINE void sum_rows(float *restrict to, const float *const *rows, const float *weights, int taps, int n) {
    for (int i = 0; i < n; i += 8) {
        ck_v8 sum = {0};
        for (int k = 0; k < taps; k++) sum += CK_CV8(rows[k] + i) * weights[k];
        CK_V8(to + i) = sum;
    }
}
static void sum_rows_base(float *to, const float *const *rows, const float *w, int taps, int n) { sum_rows(to, rows, w, taps, n); }
CK_AVX2 static void sum_rows_avx2(float *to, const float *const *rows, const float *w, int taps, int n) {
    sum_rows(to, rows, w, taps, n);
}

CK_INLINE void add_row(float *restrict to, const float *restrict from, float weight, int n) {
    for (int i = 0; i < n; i++) to[i] += from[i] * weight;
}
static void add_row_base(float *to, const float *from, float weight, int n) { add_row(to, from, weight, n); }
CK_AVX2 static void add_row_avx2(float *to, const float *from, float weight, int n) { add_row(to, from, weight, n); }

static void settle_row(float *row, int width) {
    for (int x = 0; x < width; x++) ck_settle(row + 4 * (ptrdiff_t)x);
}

/* What one call works with. */
typedef struct work {
    ck_resampling r;
    ck_filter rows, columns;
    const uint8_t *in;
    ptrdiff_t in_stride;
    ck_samples samples;
    float *line;     /* an input row */
    float *filtered; /* rows that are filtered along the row: `kept` of them, `pitch` floats apart */
    int kept, pitch;
} work;

static void filter_input(const work *w, int y, float *to) {
    const int fast = ck_has_avx2();
    (fast ? read_avx2 : read_base)(w->line, w->in + y * w->in_stride, w->r.in_width, w->samples);
    (fast ? filter_row_avx2 : filter_row_base)(to, w->line, &w->rows);
}

/* Each output row is a sum of kept rows. */
static void gather(const work *w, float *out, ptrdiff_t out_stride) {
    const float *rows[MOST_ROWS];
    float *sum = w->filtered + (size_t)w->kept * (size_t)w->pitch;
    int known = -1;
    for (int y = 0; y < w->r.out_height; y++) {
        const int first = w->columns.start[y];
        /* A tap beyond the input has no weight, and any row will do. */
        for (int k = 0; k < w->columns.taps; k++) {
            const int row = first + k < w->r.in_height ? first + k : w->r.in_height - 1;
            float *at = w->filtered + (size_t)(row % w->kept) * (size_t)w->pitch;
            if (row > known) {
                filter_input(w, row, at);
                known = row;
            }
            rows[k] = at;
        }
        (ck_has_avx2() ? sum_rows_avx2 : sum_rows_base)(
            sum, rows, w->columns.weights + (size_t)y * (size_t)w->columns.taps, w->columns.taps, w->pitch);
        settle_row(sum, w->r.out_width);
        memcpy(ck_row_f(out, out_stride, y), sum, 16 * (size_t)w->r.out_width);
    }
}

/* Each input row is added to the output rows that it has a weight in. */
static void scatter(const work *w, float *out, ptrdiff_t out_stride) {
    for (int y = 0; y < w->r.out_height; y++) memset(ck_row_f(out, out_stride, y), 0, 16 * (size_t)w->r.out_width);
    int first = 0;
    for (int row = 0; row < w->r.in_height; row++) {
        while (first < w->r.out_height && w->columns.start[first] + w->columns.taps <= row) first++;
        int is_filtered = 0;
        for (int y = first; y < w->r.out_height && w->columns.start[y] <= row; y++) {
            if (row >= w->columns.start[y] + w->columns.taps) continue;
            const float weight = w->columns.weights[(size_t)y * (size_t)w->columns.taps + (size_t)(row - w->columns.start[y])];
            if (weight == 0) continue;
            if (!is_filtered) filter_input(w, row, w->filtered);
            is_filtered = 1;
            (ck_has_avx2() ? add_row_avx2 : add_row_base)(ck_row_f(out, out_stride, y), w->filtered, weight, 4 * w->r.out_width);
        }
    }
    for (int y = 0; y < w->r.out_height; y++) settle_row(ck_row_f(out, out_stride, y), w->r.out_width);
}

int ck_resampling_is_sound(const ck_resampling *r) {
    const int32_t sizes[4] = {r->in_width, r->in_height, r->out_width, r->out_height};
    for (int i = 0; i < 4; i++)
        if (sizes[i] < 1 || sizes[i] > 32768) return 0;
    if (!(r->scale_x > 0 && r->scale_x <= 4096 && r->scale_y > 0 && r->scale_y <= 4096)) return 0;
    const double most = 1 << 20;
    return r->first_x >= -most && r->first_x <= most && r->first_y >= -most && r->first_y <= most;
}

int32_t ck_resample_rgba(float *out, ptrdiff_t out_stride, const void *in, ptrdiff_t in_stride, ck_samples samples,
                         ck_resampling r) {
    if (!ck_resampling_is_sound(&r) || samples < CK_RGBA8 || samples > CK_RGBAF_PRE) return -1;
    work w = {.r = r, .in = in, .in_stride = in_stride, .samples = samples, .pitch = (4 * r.out_width + 7) / 8 * 8};
    int32_t result = -1;
    if (ck_filter_make(&w.rows, r.out_width, r.in_width, r.scale_x, r.first_x, 2) == 0
        && ck_filter_make(&w.columns, r.out_height, r.in_height, r.scale_y, r.first_y, 2) == 0) {
        const int is_short = w.columns.taps <= MOST_ROWS;
        w.kept = is_short ? w.columns.taps : 1;
        /* An input of an odd number of columns may have a tap without weight beyond it. */
        w.line = calloc(4 * ((size_t)r.in_width + 2), sizeof *w.line);
        w.filtered = calloc(((size_t)w.kept + 1) * (size_t)w.pitch, sizeof *w.filtered);
        if (w.line && w.filtered) {
            (is_short ? gather : scatter)(&w, out, out_stride);
            result = 0;
        }
    }
    free(w.line);
    free(w.filtered);
    ck_filter_free(&w.rows);
    ck_filter_free(&w.columns);
    return result;
}

/* ---- The reference ----------------------------------------------------------------------------------------------------------- */

typedef struct source {
    const void *bytes;
    ptrdiff_t stride;
    ck_samples samples;
} source;

static void read_pixel(double pixel[4], const void *input, int x, int y) {
    const source *in = input;
    const uint8_t *row = (const uint8_t *)in->bytes + y * in->stride;
    const ck_samples samples = in->samples;
    for (int c = 0; c < 4; c++) {
        const ptrdiff_t at = 4 * (ptrdiff_t)x + c;
        pixel[c] = samples == CK_RGBA8    ? row[at] / 255.0
                   : samples == CK_RGBA16 ? ((const uint16_t *)(const void *)row)[at] / 65535.0
                                          : (double)((const float *)(const void *)row)[at];
        if (!(fabs(pixel[c]) < 1e6)) pixel[c] = 0;
    }
    pixel[3] = fmin(1, fmax(0, pixel[3]));
    for (int c = 0; c < 3; c++) pixel[c] = fmin(pixel[3], fmax(0, pixel[c] * (samples == CK_RGBAF_PRE ? 1 : pixel[3])));
}

void ck_resample_exactly(float *out, ptrdiff_t out_stride, const void *in, ck_pixel_reader read, ck_resampling r, int settles) {
    const double stretch_x = r.scale_x > 1 ? r.scale_x : 1, stretch_y = r.scale_y > 1 ? r.scale_y : 1;
    for (int y = 0; y < r.out_height; y++)
        for (int x = 0; x < r.out_width; x++) {
            const double cx = r.first_x + x * r.scale_x, cy = r.first_y + y * r.scale_y;
            double sum[4] = {0, 0, 0, 0}, total = 0;
            for (int64_t v = (int64_t)floor(cy - CK_LOBES * stretch_y); v <= (int64_t)ceil(cy + CK_LOBES * stretch_y); v++)
                for (int64_t u = (int64_t)floor(cx - CK_LOBES * stretch_x); u <= (int64_t)ceil(cx + CK_LOBES * stretch_x); u++) {
                    const double weight = ck_lanczos(((double)u - cx) / stretch_x) * ck_lanczos(((double)v - cy) / stretch_y);
                    const int64_t px = u < 0 ? 0 : u >= r.in_width ? r.in_width - 1 : u;
                    const int64_t py = v < 0 ? 0 : v >= r.in_height ? r.in_height - 1 : v;
                    double pixel[4];
                    read(pixel, in, (int)px, (int)py);
                    for (int c = 0; c < 4; c++) sum[c] += weight * pixel[c];
                    total += weight;
                }
            float *to = ck_row_f(out, out_stride, y) + 4 * (ptrdiff_t)x;
            for (int c = 0; c < 4; c++) to[c] = (float)(sum[c] / total);
            if (settles) ck_settle(to);
        }
}

int32_t ck_resample_rgba_ref(float *out, ptrdiff_t out_stride, const void *in, ptrdiff_t in_stride, ck_samples samples,
                             ck_resampling r) {
    if (!ck_resampling_is_sound(&r) || samples < CK_RGBA8 || samples > CK_RGBAF_PRE) return -1;
    const source picture = {in, in_stride, samples};
    ck_resample_exactly(out, out_stride, &picture, read_pixel, r, 1);
    return 0;
}
