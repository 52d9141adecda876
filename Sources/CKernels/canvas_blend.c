/*
 * Layers of floats over a canvas.
 *
 * The matrix from R'G'B' to Y'CbCr is linear, so an ordinary layer is blended in Y'CbCr, and the
 * canvas never becomes RGB. Other blend modes need R'G'B' of what is below. There, what lies
 * outside black and white is set aside first: it is blended as an ordinary layer would blend it,
 * because the modes' functions know colours only.
 */
#include <math.h>
#include "canvas.h"
#include "codes.h"
#include "layers.h"

#pragma STDC FP_CONTRACT OFF

enum { CHUNK = 256 };

/* A stretch of a row: its luma, and its chroma at full resolution. */
typedef struct row {
    uint8_t *luma;
    int16_t *u, *v;
} row;

CK_INLINE void put_luma(uint8_t *row, int x, float value, float most, int bits) {
    const int code = (int)(ck_within(value, most) + 0.5f);
    if (bits == 8) row[x] = (uint8_t)code;
    else ((uint16_t *)(void *)row)[x] = (uint16_t)code;
}

/* Rounded, and within what chroma may be. */
CK_INLINE int16_t fixed(float x) {
    const float most = CK_CHROMA_MOST, y = x > -most ? x < most ? x : most : -most;
    return (int16_t)((int)(y + 32768.5f) - 32768);
}

CK_INLINE void blend_normal(row to, const float *restrict over, int n, float opacity, ck_terms t, int bits) {
    const float one = (float)(1 << ck_chroma_fraction(bits)), u_scale = t.u_scale * one, v_scale = t.v_scale * one;
    for (int x = 0; x < n; x++) {
        const float *const in = over + 4 * (ptrdiff_t)x;
        const float r = in[0] * opacity, g = in[1] * opacity, b = in[2] * opacity, a = in[3] * opacity, rest = 1 - a;
        const float luma = t.kr * r + t.kg * g + t.kb * b;
        put_luma(to.luma, x, ck_sample(to.luma, x, bits) * rest + (t.luma_black * a + t.luma_scale * luma), t.most, bits);
        to.u[x] = fixed((float)to.u[x] * rest + u_scale * (b - luma));
        to.v[x] = fixed((float)to.v[x] * rest + v_scale * (r - luma));
    }
}

CK_INLINE void blend_mode(row to, const float *restrict over, int n, float opacity, ck_blend_mode mode, ck_terms t, int bits) {
    const float one = (float)(1 << ck_chroma_fraction(bits));
    float onto[4 * CHUNK], outside[3 * CHUNK];
    for (int x = 0; x < n; x++) {
        const float e = (ck_sample(to.luma, x, bits) - t.luma_black) / t.luma_scale;
        const float du = (float)to.u[x] / one, dv = (float)to.v[x] / one;
        const float rgb[3] = {e + t.r_v * dv, e - t.g_u * du - t.g_v * dv, e + t.b_u * du};
        for (int c = 0; c < 3; c++) {
            const float inside = ck_within(rgb[c], 1);
            onto[4 * x + c] = inside;
            outside[3 * x + c] = rgb[c] - inside;
        }
        onto[4 * x + 3] = 1;
    }
    ck_blend_row(onto, over, n, opacity, mode);
    for (int x = 0; x < n; x++) {
        const float a = over[4 * x + 3] * opacity;
        if (!(a > 0)) continue;
        float rgb[3];
        for (int c = 0; c < 3; c++) rgb[c] = onto[4 * x + c] + outside[3 * x + c] * (1 - a);
        const float luma = t.kr * rgb[0] + t.kg * rgb[1] + t.kb * rgb[2];
        put_luma(to.luma, x, t.luma_black + t.luma_scale * luma, t.most, bits);
        to.u[x] = fixed(t.u_scale * one * (rgb[2] - luma));
        to.v[x] = fixed(t.v_scale * one * (rgb[0] - luma));
    }
}

typedef void blender(row to, const float *over, int n, float opacity, ck_blend_mode mode, ck_terms t);
#define VERSION(name, target, bits)                                                                                              \
    target static void name(row to, const float *over, int n, float opacity, ck_blend_mode mode, ck_terms t) {                   \
        if (mode == CK_BLEND_NORMAL) blend_normal(to, over, n, opacity, t, bits);                                                \
        else blend_mode(to, over, n, opacity, mode, t, bits);                                                                    \
    }
VERSION(blend_8, , 8)
VERSION(blend_10, , 10)
VERSION(blend_8_avx2, CK_AVX2, 8)
VERSION(blend_10_avx2, CK_AVX2, 10)

CK_INLINE float number(float x) { return x > -1e6f && x < 1e6f ? x : 0; }

static void multiply(float *restrict to, const float *restrict from, int n) {
    for (int x = 0; x < n; x++, to += 4, from += 4) {
        const float a = ck_within(from[3], 1);
        for (int c = 0; c < 3; c++) to[c] = number(from[c]) * a;
        to[3] = a;
    }
}

/* The pixels of a row that begins at column `x` between the first and the last one with alpha. */
static ck_span opaque_part(const float *over, int32_t x, ck_span part) {
    while (part.first < part.end && !(over[4 * ((ptrdiff_t)part.first - x) + 3] > 0)) part.first++;
    while (part.first < part.end && !(over[4 * ((ptrdiff_t)part.end - x) - 1] > 0)) part.end--;
    return part;
}

void ck_canvas_blend(ck_canvas *canvas, const float *over, ptrdiff_t stride, ck_samples samples, int32_t x, int32_t y,
                     int32_t width, int32_t height, float opacity, ck_blend_mode mode) {
    if (mode < 0 || mode >= CK_BLEND_MODES || !(opacity > 0)) return;
    if (opacity > 1) opacity = 1;
    const ck_terms t = ck_make_terms(canvas->bits, canvas->kr, canvas->kb);
    const int fast = ck_has_avx2(), bytes = canvas->bits == 8 ? 1 : 2;
    blender *const blend = canvas->bits == 8 ? fast ? blend_8_avx2 : blend_8 : fast ? blend_10_avx2 : blend_10;
    const ck_span rows = ck_clipped(y, height, canvas->picture.height), columns = ck_clipped(x, width, canvas->picture.width);
    float multiplied[4 * CHUNK];
    for (int32_t line = rows.first; line < rows.end; line++) {
        const float *from = ck_row_cf(over, stride, (int64_t)line - y);
        const ck_span part = opaque_part(from, x, columns);
        if (part.first >= part.end) continue;
        ck_canvas_open(canvas, line, part.first, part.end);
        for (int32_t at = part.first; at < part.end; at += CHUNK) {
            const int n = part.end - at < CHUNK ? part.end - at : CHUNK;
            const float *in = from + 4 * ((ptrdiff_t)at - x);
            if (samples == CK_RGBAF) {
                multiply(multiplied, in, n);
                in = multiplied;
            }
            const row to = {ck_row(canvas->picture, 0, line) + (ptrdiff_t)at * bytes, ck_chroma_row(canvas, 0, line) + at,
                            ck_chroma_row(canvas, 1, line) + at};
            blend(to, in, n, opacity, mode, t);
        }
    }
}

/* ---- The reference, in double precision --------------------------------------------------------------------------------------- */

static void blend_pixel(ck_canvas *canvas, const double over[4], double opacity, ck_blend_mode mode, int32_t x, int32_t y) {
    const double unit = 1 << (canvas->bits - 8), kr = canvas->kr, kb = canvas->kb, kg = 1 - kr - kb;
    const double one = 1 << ck_chroma_fraction(canvas->bits);
    int16_t *const u = ck_chroma_row(canvas, 0, y) + x, *const v = ck_chroma_row(canvas, 1, y) + x;
    uint8_t *const luma = ck_row(canvas->picture, 0, y);
    const double e = (ck_sample(luma, x, canvas->bits) / unit - 16) / 219, du = *u / one / unit / 224, dv = *v / one / unit / 224;
    double under[4] = {e + 2 * (1 - kr) * dv, 0, e + 2 * (1 - kb) * du, 1}, inside[4] = {0, 0, 0, 1}, out[4];
    under[1] = (e - kr * under[0] - kb * under[2]) / kg;
    for (int c = 0; c < 3; c++) inside[c] = fmin(1, fmax(0, under[c]));
    if (mode == CK_BLEND_NORMAL)
        for (int c = 0; c < 3; c++) out[c] = under[c] * (1 - over[3] * opacity) + over[c] * opacity;
    else
        ck_blend_exact(inside, over, opacity, mode, out);
    if (mode != CK_BLEND_NORMAL)
        for (int c = 0; c < 3; c++) out[c] += (under[c] - inside[c]) * (1 - over[3] * opacity);
    const double made = kr * out[0] + kg * out[1] + kb * out[2];
    put_luma(luma, x, (float)((16 + 219 * made) * unit), (float)(256 * unit - 1), canvas->bits);
    *u = fixed((float)(112 * unit * one * (out[2] - made) / (1 - kb)));
    *v = fixed((float)(112 * unit * one * (out[0] - made) / (1 - kr)));
}

void ck_canvas_blend_ref(ck_canvas *canvas, const float *over, ptrdiff_t stride, ck_samples samples, int32_t x, int32_t y,
                         int32_t width, int32_t height, float opacity, ck_blend_mode mode) {
    for (int32_t row = 0; row < height; row++)
        for (int32_t column = 0; column < width; column++) {
            const int32_t to_x = x + column, to_y = y + row;
            if (to_x < 0 || to_y < 0 || to_x >= canvas->picture.width || to_y >= canvas->picture.height) continue;
            const float *in = ck_row_cf(over, stride, row) + 4 * (ptrdiff_t)column;
            double pixel[4] = {0, 0, 0, isnan(in[3]) ? 0 : fmin(1, fmax(0, (double)in[3]))};
            for (int c = 0; c < 3; c++) {
                const double value = fabs((double)in[c]) < 1e6 ? (double)in[c] : 0;
                pixel[c] = value * (samples == CK_RGBAF ? pixel[3] : 1);
            }
            if (!(pixel[3] > 0 && opacity > 0)) continue;
            ck_canvas_open(canvas, to_y, to_x, to_x + 1);
            blend_pixel(canvas, pixel, fmin(1, (double)opacity), mode, to_x, to_y);
        }
}
