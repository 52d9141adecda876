/* Between the canvas, of 8 or 10 bits, and floats in RGBA. */
#include <math.h>
#include "codes.h"
#include "hdr.h"

#pragma STDC FP_CONTRACT OFF

CK_INLINE void put(uint8_t *row, int x, float value, float most, int bits) {
    /* What is no number fails every comparison. */
    const int code = (int)((value > 0 ? value < most ? value : most : 0) + 0.5f);
    if (bits == 8) row[x] = (uint8_t)code;
    else ((uint16_t *)(void *)row)[x] = (uint16_t)code;
}

CK_INLINE void to_float(float *rgba, ptrdiff_t stride, ck_picture in, ck_terms t, int bits) {
    for (int y = 0; y < in.height; y++) {
        const uint8_t *luma = ck_row(in, 0, y), *u = ck_row(in, 1, y / 2), *v = ck_row(in, 2, y / 2);
        float *out = (float *)(void *)((uint8_t *)rgba + y * stride);
        for (int x = 0; x < in.width; x++, out += 4) {
            const float e = (ck_sample(luma, x, bits) - t.luma_black) / t.luma_scale;
            const float du = ck_sample(u, x / 2, bits) - t.zero, dv = ck_sample(v, x / 2, bits) - t.zero;
            out[0] = e + t.r_v * dv;
            out[1] = e - t.g_u * du - t.g_v * dv;
            out[2] = e + t.b_u * du;
            out[3] = 1;
        }
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

/* A plugin may write anything; luma of what is no number is black, and so is its share in chroma. */
CK_INLINE float number(float x) { return x > -1e6f ? x < 1e6f ? x : 1e6f : x <= -1e6f ? -1e6f : 0; }

CK_INLINE void from_float(ck_picture out, const float *rgba, ptrdiff_t stride, ck_terms t, int bits) {
    for (int y = 0; y < out.height; y += 2) {
        const int next = y + 1 < out.height ? y + 1 : y;
        const float *rows[2] = {(const float *)(const void *)((const uint8_t *)rgba + y * stride),
                                (const float *)(const void *)((const uint8_t *)rgba + next * stride)};
        for (int x = 0; x < out.width; x += 2) {
            const int right = x + 1 < out.width ? x + 1 : x;
            float sum[3] = {0, 0, 0};
            for (int k = 0; k < 4; k++) {
                const int column = k % 2 ? right : x;
                const float *in = rows[k / 2] + 4 * (ptrdiff_t)column;
                const float r = number(in[0]), g = number(in[1]), b = number(in[2]);
                put(ck_row(out, 0, k / 2 ? next : y), column, t.luma_black + t.luma_scale * (t.kr * r + t.kg * g + t.kb * b),
                    t.most, bits);
                sum[0] += r, sum[1] += g, sum[2] += b;
            }
            const float luma = t.kr * sum[0] + t.kg * sum[1] + t.kb * sum[2];
            put(ck_row(out, 1, y / 2), x / 2, t.zero + t.u_scale * (sum[2] - luma) / 4, t.most, bits);
            put(ck_row(out, 2, y / 2), x / 2, t.zero + t.v_scale * (sum[0] - luma) / 4, t.most, bits);
        }
    }
}

static void from_float_8(ck_picture out, const float *rgba, ptrdiff_t stride, ck_terms t) { from_float(out, rgba, stride, t, 8); }
static void from_float_10(ck_picture out, const float *rgba, ptrdiff_t stride, ck_terms t) { from_float(out, rgba, stride, t, 10); }
CK_AVX2 static void from_float_8_avx2(ck_picture out, const float *rgba, ptrdiff_t stride, ck_terms t) {
    from_float(out, rgba, stride, t, 8);
}
CK_AVX2 static void from_float_10_avx2(ck_picture out, const float *rgba, ptrdiff_t stride, ck_terms t) {
    from_float(out, rgba, stride, t, 10);
}

void ck_yuv_from_rgbaf(ck_picture out, const float *rgba, ptrdiff_t stride, int32_t bits, double kr, double kb) {
    const ck_terms t = ck_make_terms(bits, kr, kb);
    if (ck_has_avx2()) (bits == 8 ? from_float_8_avx2 : from_float_10_avx2)(out, rgba, stride, t);
    else (bits == 8 ? from_float_8 : from_float_10)(out, rgba, stride, t);
}

/* ---- The references, in double precision ----------------------------------------------------------------------------------- */

void ck_rgbaf_from_yuv_ref(float *rgba, ptrdiff_t stride, ck_picture in, int32_t bits, double kr, double kb) {
    const double unit = 1 << (bits - 8);
    for (int y = 0; y < in.height; y++)
        for (int x = 0; x < in.width; x++) {
            const double e = (ck_sample(ck_row(in, 0, y), x, bits) / unit - 16) / 219;
            const double u = (ck_sample(ck_row(in, 1, y / 2), x / 2, bits) / unit - 128) / 224;
            const double v = (ck_sample(ck_row(in, 2, y / 2), x / 2, bits) / unit - 128) / 224;
            const double r = e + 2 * (1 - kr) * v, b = e + 2 * (1 - kb) * u;
            float *out = (float *)(void *)((uint8_t *)rgba + y * stride) + 4 * (ptrdiff_t)x;
            out[0] = (float)r, out[1] = (float)((e - kr * r - kb * b) / (1 - kr - kb)), out[2] = (float)b, out[3] = 1;
        }
}

void ck_yuv_from_rgbaf_ref(ck_picture out, const float *rgba, ptrdiff_t stride, int32_t bits, double kr, double kb) {
    const double unit = 1 << (bits - 8), most = 256 * unit - 1;
    for (int plane = 0; plane < 3; plane++)
        for (int y = 0; y < ck_rows(out, plane); y++)
            for (int x = 0; x < ck_columns(out, plane); x++) {
                const int side = plane ? 2 : 1;
                double rgb[3] = {0, 0, 0};
                for (int i = 0; i < side * side; i++) {
                    const int px = x * side + i % side, py = y * side + i / side;
                    const uint8_t *row = (const uint8_t *)rgba + (py < out.height ? py : py - 1) * stride;
                    const float *in = (const float *)(const void *)row + 4 * (ptrdiff_t)(px < out.width ? px : px - 1);
                    for (int c = 0; c < 3; c++) rgb[c] += (double)in[c] / (side * side);
                }
                const double e = kr * rgb[0] + (1 - kr - kb) * rgb[1] + kb * rgb[2];
                const double codes[3] = {16 + 219 * e, 128 + 112 * (rgb[2] - e) / (1 - kb), 128 + 112 * (rgb[0] - e) / (1 - kr)};
                const double code = codes[plane] * unit;
                put(ck_row(out, plane, y), x, (float)(code < 0 ? 0 : code > most ? most : code), (float)most, bits);
            }
}
