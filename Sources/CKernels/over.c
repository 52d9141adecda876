/* Pictures with straight alpha over others, in RGBA. */
#include <math.h>
#include "hdr.h"

#pragma STDC FP_CONTRACT OFF

/* t / 255 rounded, for t up to 255². */
CK_INLINE uint8_t by_255(unsigned t) { return (uint8_t)((t + 128 + ((t + 128) >> 8)) >> 8); }

CK_INLINE void over_color_row(uint8_t *restrict row, int width, unsigned r, unsigned g, unsigned b) {
    for (int x = 0; x < width; x++, row += 4) {
        const unsigned a = row[3], rest = 255 - a;
        row[0] = by_255(row[0] * a + r * rest);
        row[1] = by_255(row[1] * a + g * rest);
        row[2] = by_255(row[2] * a + b * rest);
        row[3] = 255;
    }
}
static void over_color_base(uint8_t *row, int width, const uint8_t *c) { over_color_row(row, width, c[0], c[1], c[2]); }
CK_AVX2 static void over_color_avx2(uint8_t *row, int width, const uint8_t *c) { over_color_row(row, width, c[0], c[1], c[2]); }

void ck_rgba_over_color(uint8_t *rgba, ptrdiff_t stride, int32_t width, int32_t height, const uint8_t color[3]) {
    void (*over)(uint8_t *, int, const uint8_t *) = ck_has_avx2() ? over_color_avx2 : over_color_base;
    for (int y = 0; y < height; y++) over(rgba + y * stride, width, color);
}

void ck_rgba_over_color_ref(uint8_t *rgba, ptrdiff_t stride, int32_t width, int32_t height, const uint8_t color[3]) {
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++) {
            uint8_t *pixel = rgba + y * stride + 4 * (ptrdiff_t)x;
            for (int c = 0; c < 3; c++)
                pixel[c] = (uint8_t)floor((pixel[c] * pixel[3] + color[c] * (255 - pixel[3])) / 255.0 + 0.5);
            pixel[3] = 255;
        }
}

CK_INLINE float or_black(float x) { return x > -1e6f && x < 1e6f ? x : 0; }
CK_INLINE float mixed(float under, float over, float a) { return a >= 1 ? over : under + (over - under) * a; }

CK_INLINE void over_row(float *restrict to, const float *restrict from, int width, float opacity) {
    for (int x = 0; x < width; x++, to += 4, from += 4) {
        /* What is no number fails the comparison. */
        const float alpha = from[3] > 0 ? from[3] < 1 ? from[3] : 1 : 0, a = alpha * opacity;
        to[0] = mixed(to[0], or_black(from[0]), a);
        to[1] = mixed(to[1], or_black(from[1]), a);
        to[2] = mixed(to[2], or_black(from[2]), a);
        to[3] = 1;
    }
}
static void over_base(float *to, const float *from, int width, float opacity) { over_row(to, from, width, opacity); }
CK_AVX2 static void over_avx2(float *to, const float *from, int width, float opacity) { over_row(to, from, width, opacity); }

void ck_rgbaf_over(float *onto, ptrdiff_t onto_stride, const float *over, ptrdiff_t over_stride, int32_t width, int32_t height,
                   float opacity) {
    void (*blend)(float *, const float *, int, float) = ck_has_avx2() ? over_avx2 : over_base;
    for (int y = 0; y < height; y++)
        blend((float *)(void *)((uint8_t *)onto + y * onto_stride),
              (const float *)(const void *)((const uint8_t *)over + y * over_stride), width, opacity);
}

void ck_rgbaf_over_ref(float *onto, ptrdiff_t onto_stride, const float *over, ptrdiff_t over_stride, int32_t width, int32_t height,
                       float opacity) {
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++) {
            float *to = (float *)(void *)((uint8_t *)onto + y * onto_stride) + 4 * (ptrdiff_t)x;
            const float *from = (const float *)(const void *)((const uint8_t *)over + y * over_stride) + 4 * (ptrdiff_t)x;
            const double alpha = isnan(from[3]) ? 0 : fmin(1, fmax(0, (double)from[3])), a = alpha * (double)opacity;
            for (int c = 0; c < 3; c++) {
                const double value = fabs((double)from[c]) < 1e6 ? (double)from[c] : 0;
                to[c] = (float)((double)to[c] * (1 - a) + value * a);
            }
            to[3] = 1;
        }
}
