/* Between the canvas, of 8 or 10 bits, and floats in RGBA. */
#include <math.h>
#include "codes.h"
#include "hdr.h"

#pragma STDC FP_CONTRACT OFF

enum { CHUNK = 256 };

CK_INLINE void put(uint8_t *row, int x, float value, float most, int bits) {
    /* What is no number fails every comparison. */
    const int code = (int)((value > 0 ? value < most ? value : most : 0) + 0.5f);
    if (bits == 8) row[x] = (uint8_t)code;
    else ((uint16_t *)(void *)row)[x] = (uint16_t)code;
}

CK_INLINE void put_pixel(float *out, float luma, float du, float dv, ck_terms t) {
    const float e = (luma - t.luma_black) / t.luma_scale;
    out[0] = e + t.r_v * dv;
    out[1] = e - t.g_u * du - t.g_v * dv;
    out[2] = e + t.b_u * du;
    out[3] = 1;
}

CK_INLINE void to_float(float *restrict rgba, ptrdiff_t stride, ck_picture in, ck_terms t, int bits) {
    const int count = ck_columns(in, 1);
    for (int y = 0; y < in.height; y++) {
        const uint8_t *restrict luma = ck_row(in, 0, y), *restrict u = ck_row(in, 1, y / 2), *restrict v = ck_row(in, 2, y / 2);
        float *restrict out = (float *)(void *)((uint8_t *)rgba + y * stride);
        /* Pixel 2i + 1 lies midway between samples i and i + 1. */
        for (int i = 0; i < count - 1; i++, out += 8) {
            const float u0 = ck_sample(u, i, bits) - t.zero, u1 = ck_sample(u, i + 1, bits) - t.zero;
            const float v0 = ck_sample(v, i, bits) - t.zero, v1 = ck_sample(v, i + 1, bits) - t.zero;
            put_pixel(out, ck_sample(luma, 2 * i, bits), u0, v0, t);
            put_pixel(out + 4, ck_sample(luma, 2 * i + 1, bits), (u0 + u1) * 0.5f, (v0 + v1) * 0.5f, t);
        }
        for (int x = 2 * count - 2; x < in.width; x++, out += 4)
            put_pixel(out, ck_sample(luma, x, bits), ck_sample(u, count - 1, bits) - t.zero, ck_sample(v, count - 1, bits) - t.zero, t);
    }
}

static void to_float_8(float *rgba, ptrdiff_t stride, ck_picture in, ck_terms t) { to_float(rgba, stride, in, t, 8); }
static void to_float_10(float *rgba, ptrdiff_t stride, ck_picture in, ck_terms t) { to_float(rgba, stride, in, t, 10); }
CK_AVX2 static void to_float_8_avx2(float *rgba, ptrdiff_t stride, ck_picture in, ck_terms t) { to_float(rgba, stride, in, t, 8); }
CK_AVX2 static void to_float_10_avx2(float *rgba, ptrdiff_t stride, ck_picture in, ck_terms t) { to_float(rgba, stride, in, t, 10); }

void ck_rgbaf_from_yuv(float *rgba, ptrdiff_t stride, ck_picture in, int32_t bits, double kr, double kb) {
    const ck_terms t = ck_make_terms(bits, kr, kb);
    if (ck_has_avx2()) (bits == 8 ? to_float_8_avx2 : to_float_10_avx2)(rgba, stride, in, t);
    else (bits == 8 ? to_float_8 : to_float_10)(rgba, stride, in, t);
}

/* ---- From a picture over black, with its alpha ------------------------------------------------------------------------------- */

/* The alpha that has a share in sample `i` of a row of chroma, of which 8 · `most` is all. */
static int share(const uint8_t *upper, const uint8_t *lower, int i, int width, int bits) {
    int sum = 0;
    for (int tap = -1; tap <= 1; tap++) {
        const int x = ck_mirrored(2 * i + tap, width);
        sum += (int)(ck_sample(upper, x, bits) + ck_sample(lower, x, bits)) * (tap == 0 ? 2 : 1);
    }
    return sum;
}

void ck_rgbaf_from_yuva(float *rgba, ptrdiff_t stride, ck_picture in, const uint8_t *alpha, ptrdiff_t alpha_stride, int32_t bits,
                        double kr, double kb) {
    const ck_terms t = ck_make_terms(bits, kr, kb);
    const int count = ck_columns(in, 1);
    for (int row = 0; row < ck_rows(in, 1); row++) {
        const int rows = 2 * row + 1 < in.height ? 2 : 1;
        const uint8_t *const upper = alpha + 2 * row * alpha_stride, *const lower = upper + (rows - 1) * alpha_stride;
        const uint8_t *const us = ck_row(in, 1, row), *const vs = ck_row(in, 2, row);
        int here = share(upper, lower, 0, in.width, bits);
        for (int i = 0; i < count; i++) {
            const int near = i + 1 < count ? i + 1 : i, there = i + 1 < count ? share(upper, lower, i + 1, in.width, bits) : here;
            const float u[2] = {ck_sample(us, i, bits) - t.zero, ck_sample(us, near, bits) - t.zero};
            const float v[2] = {ck_sample(vs, i, bits) - t.zero, ck_sample(vs, near, bits) - t.zero};
            for (int k = 0; k < 2 * rows; k++) {
                const int x = 2 * i + k % 2, y = 2 * row + k / 2;
                if (x >= in.width) continue;
                float *out = (float *)(void *)((uint8_t *)rgba + y * stride) + 4 * (ptrdiff_t)x;
                const float a = ck_sample(alpha + y * alpha_stride, x, bits) / t.most;
                /* An odd column lies midway between two samples: their sum belongs to the sum of their alphas. */
                const int all = k % 2 ? here + there : here;
                if (!(a > 0) || all == 0) {
                    out[0] = out[1] = out[2] = out[3] = 0;
                    continue;
                }
                const float factor = 8 * t.most / (float)all;
                const float luma = (ck_sample(ck_row(in, 0, y), x, bits) - t.luma_black) / a + t.luma_black;
                put_pixel(out, luma, (k % 2 ? u[0] + u[1] : u[0]) * factor, (k % 2 ? v[0] + v[1] : v[0]) * factor, t);
                out[3] = a;
            }
            here = there;
        }
    }
}

/* A plugin may write anything; luma of what is no number is black, and so is its share in chroma. */
CK_INLINE float number(float x) { return x > -1e6f ? x < 1e6f ? x : 1e6f : x <= -1e6f ? -1e6f : 0; }

/* Sums of two rows: those of a stretch of columns, of two before it and two behind. */
typedef struct sums {
    float red[CHUNK + 4], green[CHUNK + 4], blue[CHUNK + 4];
} sums;

CK_INLINE void luma_row(uint8_t *luma, int first, const float *restrict rgba, sums *sum, int n, int is_upper, ck_terms t, int bits) {
    for (int i = 0; i < n; i++) {
        const float *in = rgba + 4 * ((ptrdiff_t)first + i);
        const float r = number(in[0]), g = number(in[1]), b = number(in[2]);
        put(luma, first + i, t.luma_black + t.luma_scale * (t.kr * r + t.kg * g + t.kb * b), t.most, bits);
        sum->red[i + 2] = (is_upper ? 0 : sum->red[i + 2]) + r;
        sum->green[i + 2] = (is_upper ? 0 : sum->green[i + 2]) + g;
        sum->blue[i + 2] = (is_upper ? 0 : sum->blue[i + 2]) + b;
    }
}

/* The sums of column `x` of the picture, which may lie two columns outside, as sum `i`. */
CK_INLINE void add_column(sums *sum, int i, const float *upper, const float *lower, int x, int width) {
    const ptrdiff_t at = 4 * (ptrdiff_t)ck_mirrored(x, width);
    sum->red[i] = number(upper[at]) + number(lower[at]);
    sum->green[i] = number(upper[at + 1]) + number(lower[at + 1]);
    sum->blue[i] = number(upper[at + 2]) + number(lower[at + 2]);
}

/* The mean that a filter gives. */
CK_INLINE float weighed(const float *sum, int i, ck_chroma_filter filter) {
    const float *at = sum + 2 * i + 2, near = at[-1] + at[1];
    return filter == CK_CHROMA_MEAN ? (2 * at[0] + near) * 0.125f : (6 * at[0] + 2 * near - at[-2] - at[2]) * 0.0625f;
}

CK_INLINE void from_float(ck_picture out, const float *rgba, ptrdiff_t stride, ck_terms t, int bits, ck_chroma_filter filter) {
    sums sum;
    for (int y = 0; y < out.height; y += 2) {
        const int next = y + 1 < out.height ? y + 1 : y;
        const float *upper = (const float *)(const void *)((const uint8_t *)rgba + y * stride);
        const float *lower = (const float *)(const void *)((const uint8_t *)rgba + next * stride);
        for (int x = 0; x < out.width; x += CHUNK) {
            const int n = out.width - x < CHUNK ? out.width - x : CHUNK;
            luma_row(ck_row(out, 0, y), x, upper, &sum, n, 1, t, bits);
            luma_row(ck_row(out, 0, next), x, lower, &sum, n, 0, t, bits);
            for (int i = 0; i < 2; i++) {
                add_column(&sum, i, upper, lower, x - 2 + i, out.width);
                add_column(&sum, n + 2 + i, upper, lower, x + n + i, out.width);
            }
            uint8_t *const u = ck_row(out, 1, y / 2), *const v = ck_row(out, 2, y / 2);
            for (int i = 0; i < (n + 1) / 2; i++) {
                const float r = weighed(sum.red, i, filter), g = weighed(sum.green, i, filter), b = weighed(sum.blue, i, filter);
                const float luma = t.kr * r + t.kg * g + t.kb * b;
                put(u, x / 2 + i, t.zero + t.u_scale * (b - luma), t.most, bits);
                put(v, x / 2 + i, t.zero + t.v_scale * (r - luma), t.most, bits);
            }
        }
    }
}

typedef void from_floats(ck_picture out, const float *rgba, ptrdiff_t stride, ck_terms t);
#define FROM_FLOAT(name, target, bits, filter)                                                                                   \
    target static void name(ck_picture out, const float *rgba, ptrdiff_t stride, ck_terms t) {                                   \
        from_float(out, rgba, stride, t, bits, filter);                                                                          \
    }
FROM_FLOAT(mean_8, , 8, CK_CHROMA_MEAN)
FROM_FLOAT(mean_10, , 10, CK_CHROMA_MEAN)
FROM_FLOAT(inverse_8, , 8, CK_CHROMA_INVERSE)
FROM_FLOAT(inverse_10, , 10, CK_CHROMA_INVERSE)
FROM_FLOAT(mean_8_avx2, CK_AVX2, 8, CK_CHROMA_MEAN)
FROM_FLOAT(mean_10_avx2, CK_AVX2, 10, CK_CHROMA_MEAN)
FROM_FLOAT(inverse_8_avx2, CK_AVX2, 8, CK_CHROMA_INVERSE)
FROM_FLOAT(inverse_10_avx2, CK_AVX2, 10, CK_CHROMA_INVERSE)

void ck_yuv_from_rgbaf(ck_picture out, const float *rgba, ptrdiff_t stride, int32_t bits, double kr, double kb, ck_chroma_filter filter) {
    static from_floats *const versions[2][2][2] = {{{mean_8, inverse_8}, {mean_10, inverse_10}},
                                                   {{mean_8_avx2, inverse_8_avx2}, {mean_10_avx2, inverse_10_avx2}}};
    versions[ck_has_avx2() != 0][bits != 8][filter != CK_CHROMA_MEAN](out, rgba, stride, ck_make_terms(bits, kr, kb));
}

/* ---- The references, in double precision ----------------------------------------------------------------------------------- */

void ck_rgbaf_from_yuv_ref(float *rgba, ptrdiff_t stride, ck_picture in, int32_t bits, double kr, double kb) {
    const double unit = 1 << (bits - 8);
    for (int y = 0; y < in.height; y++)
        for (int x = 0; x < in.width; x++) {
            const double e = (ck_sample(ck_row(in, 0, y), x, bits) / unit - 16) / 219;
            const int next = (x + 1) / 2 < ck_columns(in, 1) ? (x + 1) / 2 : x / 2;
            const uint8_t *us = ck_row(in, 1, y / 2), *vs = ck_row(in, 2, y / 2);
            const double u = ((ck_sample(us, x / 2, bits) + ck_sample(us, next, bits)) / 2.0 / unit - 128) / 224;
            const double v = ((ck_sample(vs, x / 2, bits) + ck_sample(vs, next, bits)) / 2.0 / unit - 128) / 224;
            const double r = e + 2 * (1 - kr) * v, b = e + 2 * (1 - kb) * u;
            float *out = (float *)(void *)((uint8_t *)rgba + y * stride) + 4 * (ptrdiff_t)x;
            out[0] = (float)r, out[1] = (float)((e - kr * r - kb * b) / (1 - kr - kb)), out[2] = (float)b, out[3] = 1;
        }
}

void ck_yuv_from_rgbaf_ref(ck_picture out, const float *rgba, ptrdiff_t stride, int32_t bits, double kr, double kb,
                           ck_chroma_filter filter) {
    const double unit = 1 << (bits - 8), most = 256 * unit - 1;
    for (int plane = 0; plane < 3; plane++)
        for (int y = 0; y < ck_rows(out, plane); y++)
            for (int x = 0; x < ck_columns(out, plane); x++) {
                const int rows = plane ? 2 : 1;
                double rgb[3] = {0, 0, 0};
                for (int tap = -2; tap <= 2; tap++) {
                    const double weight = plane ? ck_chroma_weight(tap, filter) : tap == 0;
                    for (int i = 0; i < rows && weight != 0; i++) {
                        const int px = ck_mirrored(x * rows + tap, out.width), py = y * rows + i;
                        const uint8_t *row = (const uint8_t *)rgba + (py < out.height ? py : py - 1) * stride;
                        const float *in = (const float *)(const void *)row + 4 * (ptrdiff_t)px;
                        for (int c = 0; c < 3; c++) rgb[c] += weight * (double)in[c] / rows;
                    }
                }
                const double e = kr * rgb[0] + (1 - kr - kb) * rgb[1] + kb * rgb[2];
                const double codes[3] = {16 + 219 * e, 128 + 112 * (rgb[2] - e) / (1 - kb), 128 + 112 * (rgb[0] - e) / (1 - kr)};
                const double code = codes[plane] * unit;
                put(ck_row(out, plane, y), x, (float)(code < 0 ? 0 : code > most ? most : code), (float)most, bits);
            }
}
