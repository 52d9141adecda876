/* Pictures with straight alpha over a colour, in RGBA. */
#include <math.h>
#include "internal.h"

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
