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
    const float unit = 1.0f / (1 << (bits - 8));
    for (int y = 0; y < in.height; y++) {
        const uint8_t *restrict luma = ck_row(in, 0, y), *restrict u = ck_row(in, 1, y / 2), *restrict v = ck_row(in, 2, y / 2);
        float *restrict out = (float *)(void *)((uint8_t *)rgba + y * stride);
        /* Pixel 2i + 1 lies between samples i and i + 1. */
        for (int i = 0; i < count - 1; i++, out += 8) {
            const float left = ck_sample(luma, 2 * i, bits), here = ck_sample(luma, 2 * i + 1, bits);
            const float share = ck_share_of_left_f(left * unit, here * unit, ck_sample(luma, 2 * i + 2, bits) * unit);
            const float u0 = ck_sample(u, i, bits) - t.zero, u1 = ck_sample(u, i + 1, bits) - t.zero;
            const float v0 = ck_sample(v, i, bits) - t.zero, v1 = ck_sample(v, i + 1, bits) - t.zero;
            put_pixel(out, left, u0, v0, t);
            put_pixel(out + 4, here, share * u0 + (1 - share) * u1, share * v0 + (1 - share) * v1, t);
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
                /* An odd column lies midway between two samples: their sum belongs to the sum of
                 * their alphas. */
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

/* A plugin may write any value. NaN counts as 0, in luma and in chroma. */
CK_INLINE float number(float x) { return x > -1e6f ? x < 1e6f ? x : 1e6f : x <= -1e6f ? -1e6f : 0; }

/* A stretch of a row with two columns before it and two behind; luma is in codes of 8 bits, without
 * the black level. */
typedef struct stretch {
    float red[CHUNK + 4], green[CHUNK + 4], blue[CHUNK + 4], luma[CHUNK + 4];
} stretch;

/* Sums for samples of chroma over the pixels that have a share in them. */
typedef struct sums {
    float red[CHUNK / 2], green[CHUNK / 2], blue[CHUNK / 2];
} sums;

CK_INLINE void read_pixel(stretch *row, int i, const float *rgba, ck_terms t) {
    const float r = number(rgba[0]), g = number(rgba[1]), b = number(rgba[2]);
    row->red[i] = r, row->green[i] = g, row->blue[i] = b;
    row->luma[i] = 219 * (t.kr * r + t.kg * g + t.kb * b);
}

/* Reads `n` pixels from column `x` of a row of `width`. */
CK_INLINE void read_row(stretch *row, const float *rgba, int x, int n, int width, ck_terms t) {
    for (int i = 0; i < n; i++) read_pixel(row, i + 2, rgba + 4 * ((ptrdiff_t)x + i), t);
    for (int i = 0; i < 2; i++) {
        read_pixel(row, i, rgba + 4 * (ptrdiff_t)ck_mirrored(x - 2 + i, width), t);
        read_pixel(row, n + 2 + i, rgba + 4 * (ptrdiff_t)ck_mirrored(x + n + i, width), t);
    }
}

CK_INLINE void write_luma(uint8_t *luma, int first, const stretch *row, int n, ck_terms t, int bits) {
    const float unit = (float)(1 << (bits - 8));
    for (int i = 0; i < n; i++) put(luma, first + i, t.luma_black + unit * row->luma[i + 2], t.most, bits);
}

CK_INLINE void add_mean(float *restrict sum, const float *restrict row, int pairs) {
    for (int i = 0; i < pairs; i++) sum[i] += (2 * row[2 * i + 2] + (row[2 * i + 1] + row[2 * i + 3])) * 0.125f;
}

/* Adds what the pixels of even columns have, and a quarter of what the odd ones beside them have
 * beyond their interpolation. */
CK_INLINE void add_inverse(float *restrict sum, const float *restrict row, const float *restrict share, int pairs) {
    float rest[CHUNK / 2 + 1];
    for (int i = 0; i <= pairs; i++)
        rest[i] = row[2 * i + 1] - (share[i] * row[2 * i] + (1 - share[i]) * row[2 * i + 2]);
    for (int i = 0; i < pairs; i++) sum[i] += 0.5f * row[2 * i + 2] + 0.125f * (rest[i] + rest[i + 1]);
}

CK_INLINE void add_row(sums *sum, const stretch *row, int pairs, ck_chroma_filter filter) {
    if (filter == CK_CHROMA_MEAN) {
        add_mean(sum->red, row->red, pairs);
        add_mean(sum->green, row->green, pairs);
        add_mean(sum->blue, row->blue, pairs);
    } else {
        /* From the odd column before the stretch to the last of it. */
        float share[CHUNK / 2 + 1];
        for (int i = 0; i <= pairs; i++)
            share[i] = ck_share_of_left_f(row->luma[2 * i], row->luma[2 * i + 1], row->luma[2 * i + 2]);
        add_inverse(sum->red, row->red, share, pairs);
        add_inverse(sum->green, row->green, share, pairs);
        add_inverse(sum->blue, row->blue, share, pairs);
    }
}

CK_INLINE void from_float(ck_picture out, const float *rgba, ptrdiff_t stride, ck_terms t, int bits, ck_chroma_filter filter) {
    stretch row;
    for (int y = 0; y < out.height; y += 2) {
        for (int x = 0; x < out.width; x += CHUNK) {
            const int n = out.width - x < CHUNK ? out.width - x : CHUNK, pairs = (n + 1) / 2;
            sums sum = {0};
            for (int i = y; i < y + 2; i++) {
                const int there = i < out.height ? i : y;
                read_row(&row, (const float *)(const void *)((const uint8_t *)rgba + there * stride), x, n, out.width, t);
                write_luma(ck_row(out, 0, there), x, &row, n, t, bits);
                add_row(&sum, &row, pairs, filter);
            }
            uint8_t *const u = ck_row(out, 1, y / 2), *const v = ck_row(out, 2, y / 2);
            for (int i = 0; i < pairs; i++) {
                const float luma = t.kr * sum.red[i] + t.kg * sum.green[i] + t.kb * sum.blue[i];
                put(u, x / 2 + i, t.zero + t.u_scale * (sum.blue[i] - luma), t.most, bits);
                put(v, x / 2 + i, t.zero + t.v_scale * (sum.red[i] - luma), t.most, bits);
            }
        }
    }
}

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

typedef void from_floats(ck_picture out, const float *rgba, ptrdiff_t stride, ck_terms t);

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
            const uint8_t *luma = ck_row(in, 0, y);
            const double share = next == x / 2 ? 1 : ck_share_ref(ck_sample(luma, x - 1, bits) / unit,
                                                                  ck_sample(luma, x, bits) / unit, ck_sample(luma, x + 1, bits) / unit);
            const double u = ((share * ck_sample(us, x / 2, bits) + (1 - share) * ck_sample(us, next, bits)) / unit - 128) / 224;
            const double v = ((share * ck_sample(vs, x / 2, bits) + (1 - share) * ck_sample(vs, next, bits)) / unit - 128) / 224;
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
                double sum[3] = {0, 0, 0};
                for (int i = 0; i < rows; i++) {
                    const int there = y * rows + i < out.height ? y * rows + i : y * rows;
                    const float *row = (const float *)(const void *)((const uint8_t *)rgba + there * stride);
                    double pixels[5][3], luma[5], rgb[3];
                    for (int tap = 0; tap < 5; tap++) {
                        const float *in = row + 4 * (ptrdiff_t)ck_mirrored(x * rows + tap - 2, out.width);
                        for (int c = 0; c < 3; c++) pixels[tap][c] = (double)in[c];
                        luma[tap] = 219 * (kr * pixels[tap][0] + (1 - kr - kb) * pixels[tap][1] + kb * pixels[tap][2]);
                    }
                    if (plane) ck_filter_ref(rgb, pixels, luma, filter);
                    else memcpy(rgb, pixels[2], sizeof rgb);
                    for (int c = 0; c < 3; c++) sum[c] += rgb[c] / rows;
                }
                const double e = kr * sum[0] + (1 - kr - kb) * sum[1] + kb * sum[2];
                const double codes[3] = {16 + 219 * e, 128 + 112 * (sum[2] - e) / (1 - kb), 128 + 112 * (sum[0] - e) / (1 - kr)};
                const double code = codes[plane] * unit;
                put(ck_row(out, plane, y), x, (float)(code < 0 ? 0 : code > most ? most : code), (float)most, bits);
            }
}
