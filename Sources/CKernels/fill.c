#include "internal.h"

void ck_fill(ck_picture picture, int32_t x, int32_t y, int32_t width, int32_t height, uint8_t luma, uint8_t u, uint8_t v) {
    const int64_t left = x < 0 ? 0 : x, top = y < 0 ? 0 : y;
    int64_t right = (int64_t)x + width, bottom = (int64_t)y + height;
    if (right > picture.width) right = picture.width;
    if (bottom > picture.height) bottom = picture.height;
    if (left >= right || top >= bottom) return;
    const uint8_t color[3] = {luma, u, v};
    for (int plane = 0; plane < 3; plane++) {
        const int shift = plane > 0;
        const int64_t first = left >> shift, last = (right + shift) >> shift;
        for (int64_t row = top >> shift; row < (bottom + shift) >> shift; row++)
            memset(ck_row(picture, plane, (int)row) + first, color[plane], (size_t)(last - first));
    }
}

void ck_color(uint8_t red, uint8_t green, uint8_t blue, uint8_t yuv[3]) {
    const double rgb[3] = {red / 255.0, green / 255.0, blue / 255.0};
    double codes[3];
    ck_codes_from_rgb(rgb, codes);
    for (int c = 0; c < 3; c++) yuv[c] = ck_u8((int)(codes[c] + 0.5));
}
