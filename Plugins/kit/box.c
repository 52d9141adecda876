/*
 * Box filters by running sums: their cost does not depend on the radius. Rows first, into 16 bits;
 * then columns, in strips that stay in the processor's cache. Three boxes in a row come close to a
 * Gaussian; the box whose last samples have a fraction of the weight makes its width continuous
 * (Gwosdek, Grewenig, Bruhn and Weickert: Theoretical foundations of Gaussian convolution by
 * extended box filtering, 2011).
 */
#include "kit.h"
#include <math.h>

typedef struct box {
    int radius;
    float edge, scale; /* weight of the samples after the last; 1 / sum of weights */
} box;

enum { STRIP = 64 };

static inline int reach(box b) { return b.radius + 1; }

/* A running sum cannot be vectorised, what becomes of it can. `padded` begins reach(b) samples
 * before the row. */
KIT_INLINE void sum_row(const uint16_t *padded, int32_t *sums, int count, int channels, int radius) {
    for (int c = 0; c < channels; c++) {
        int32_t sum = 0;
        for (int i = 1; i <= 2 * radius + 1; i++) sum += padded[i * channels + c];
        const uint16_t *first = padded + channels + c, *next = padded + (2 * radius + 2) * channels + c;
        int32_t *to = sums + c;
        for (int x = 0; x < count; x++, first += channels, next += channels, to += channels) {
            *to = sum;
            sum += *next - *first;
        }
    }
}

KIT_INLINE uint16_t mean(int32_t sum, int32_t ends, box b) {
    return (uint16_t)(int32_t)(((float)sum + b.edge * (float)ends) * b.scale + 0.5f);
}

KIT_INLINE void mean_row_body(const uint16_t *padded, const int32_t *sums, uint16_t *out, int count, int far, box b) {
    for (int i = 0; i < count; i++) out[i] = mean(sums[i], padded[i] + padded[i + far], b);
}
KIT_KERNEL(mean_row, (const uint16_t *padded, const int32_t *sums, uint16_t *out, int count, int far, box b),
           (padded, sums, out, count, far, b))

KIT_INLINE void widen_body(const uint8_t *in, uint16_t *out, int count) {
    for (int i = 0; i < count; i++) out[i] = (uint16_t)(in[i] << 8);
}
KIT_KERNEL(widen, (const uint8_t *in, uint16_t *out, int count), (in, out, count))

/* The nearest sample of the row, `count` times on each side of it. */
static void extend(uint16_t *row, int width, int channels, int count) {
    for (int i = 1; i <= count; i++) {
        memcpy(row - i * channels, row, sizeof *row * (size_t)channels);
        memcpy(row + (width - 1 + i) * channels, row + (width - 1) * channels, sizeof *row * (size_t)channels);
    }
}

/* `work` has room for a padded row; `row` is in it, after the padding. */
static void filter_row(uint16_t *row, int32_t *sums, uint16_t *out, int width, int channels, int passes, box b) {
    const int pad = reach(b), count = width * channels;
    for (int pass = 0; pass < passes; pass++) {
        extend(row, width, channels, pad);
        const uint16_t *padded = row - pad * channels;
        if (channels == 1) sum_row(padded, sums, width, 1, b.radius);
        else sum_row(padded, sums, width, 4, b.radius);
        /* The sums are complete, and a mean needs the padded row at its own place and further right
         * only once it was read. */
        mean_row(padded, sums, out, count, 2 * pad * channels, b);
        if (pass + 1 < passes) memcpy(row, out, sizeof *row * (size_t)count);
    }
}

/* Rows [begin, end) of one pass down the columns of a strip. Rows of `in` are there from `low` to
 * `high`; what lies outside the picture is its first or last row. */
typedef struct column_pass {
    const uint16_t *in; /* row 0 of the picture */
    ptrdiff_t in_stride;
    uint16_t *out;
    ptrdiff_t out_stride;
    int height, begin, end;
} column_pass;

KIT_INLINE const uint16_t *row_at(const column_pass *p, int y) {
    return p->in + kit_clamp(y, 0, p->height - 1) * p->in_stride;
}

KIT_INLINE void filter_columns_body(const column_pass *p, int count, box b) {
    int32_t sums[STRIP] = {0};
    for (int y = p->begin - b.radius; y <= p->begin + b.radius; y++) {
        const uint16_t *row = row_at(p, y);
        for (int i = 0; i < count; i++) sums[i] += row[i];
    }
    for (int y = p->begin; y < p->end; y++) {
        const uint16_t *above = row_at(p, y - reach(b)), *below = row_at(p, y + reach(b)), *first = row_at(p, y - b.radius);
        uint16_t *to = p->out + y * p->out_stride;
        for (int i = 0; i < count; i++) {
            to[i] = mean(sums[i], above[i] + below[i], b);
            sums[i] += below[i] - first[i];
        }
    }
}
/* The count known in advance is worth a version of its own. */
KIT_INLINE void filter_strip_body(const column_pass *p, int count, box b) {
    if (count == STRIP) filter_columns_body(p, STRIP, b);
    else filter_columns_body(p, count, b);
}
KIT_KERNEL(filter_strip, (const column_pass *p, int count, box b), (p, count, b))

KIT_INLINE void narrow_body(const uint16_t *in, uint8_t *out, int count) {
    for (int i = 0; i < count; i++) out[i] = (uint8_t)((in[i] + 128u) >> 8);
}
KIT_KERNEL(narrow, (const uint16_t *in, uint8_t *out, int count), (in, out, count))

cutroom_status kit_box(const cutroom_host *host, kit_source source, kit_target target, int passes, int radius, double edge,
                       int begin, int end) {
    const box b = {radius, (float)edge, (float)(1 / (2 * radius + 1 + 2 * edge))};
    const int count = source.width * source.channels, pad = reach(b) * source.channels;
    /* Rows that the passes down the columns need. */
    const int low = kit_clamp(begin - passes * reach(b), 0, source.height),
        high = kit_clamp(end + passes * reach(b), 0, source.height);
    const size_t rows = (size_t)(high - low);
    const size_t padded = (size_t)(count + 2 * pad);
    uint16_t *filtered = kit_alloc(host, sizeof *filtered * rows * (size_t)count);
    uint16_t *strips = kit_alloc(host, sizeof *strips * rows * STRIP * 2);
    uint16_t *line = kit_alloc(host, sizeof *line * padded);
    int32_t *sums = kit_alloc(host, sizeof *sums * (size_t)count);
    const int complete = filtered && strips && line && sums;
    for (int y = low; complete && y < high; y++) {
        if (source.bytes) widen(source.bytes + y * source.stride, line + pad, count);
        else memcpy(line + pad, source.words + y * source.stride, sizeof *line * (size_t)count);
        filter_row(line + pad, sums, filtered + (size_t)(y - low) * (size_t)count, source.width, source.channels, passes, b);
    }
    for (int x = 0; complete && x < count; x += STRIP) {
        const int columns = count - x < STRIP ? count - x : STRIP;
        column_pass p = {filtered + x - (ptrdiff_t)low * count, count, NULL, STRIP, source.height, 0, 0};
        for (int pass = 0; pass < passes; pass++) {
            const int more = (passes - 1 - pass) * reach(b);
            p.begin = kit_clamp(begin - more, 0, source.height), p.end = kit_clamp(end + more, 0, source.height);
            p.out = strips + (size_t)(pass & 1) * rows * STRIP - (ptrdiff_t)low * STRIP;
            filter_strip(&p, columns, b);
            p.in = p.out, p.in_stride = STRIP;
        }
        for (int y = begin; y < end; y++) {
            if (target.bytes) narrow(p.in + y * STRIP, target.bytes + y * target.stride + x, columns);
            else memcpy(target.words + y * target.stride + x, p.in + y * STRIP, sizeof *p.in * (size_t)columns);
        }
    }
    kit_release(host, sums), kit_release(host, line), kit_release(host, strips), kit_release(host, filtered);
    return complete ? CUTROOM_OK : CUTROOM_ERROR_MEMORY;
}

cutroom_status kit_gauss(const cutroom_host *host, kit_source source, kit_target target, double sigma, int begin, int end) {
    /* Variances add. That of a plain box is r (r + 1) / 3; `edge` makes up for what is missing. */
    const double variance = sigma * sigma / 3;
    const int radius = (int)floor((sqrt(12 * variance + 1) - 1) / 2);
    const double edge = (2 * radius + 1) * (3 * variance - (double)radius * (radius + 1)) /
                        (6 * ((double)(radius + 1) * (radius + 1) - variance));
    return kit_box(host, source, target, 3, radius, kit_bound(edge, 0, 1), begin, end);
}
