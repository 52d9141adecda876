/* Straight alpha between RGBA and a plane of its own, and the colour of what is transparent. */
#include "layers.h"

CK_INLINE int sample(const uint8_t *row, int x, int bits) {
    uint16_t wide;
    if (bits == 8) return row[x];
    memcpy(&wide, row + 2 * (ptrdiff_t)x, 2);
    return wide;
}

CK_INLINE void put(uint8_t *row, int x, int value, int bits) {
    const uint16_t wide = (uint16_t)value;
    if (bits == 8) row[x] = (uint8_t)value;
    else memcpy(row + 2 * (ptrdiff_t)x, &wide, 2);
}

void ck_rgba_take_alpha(uint8_t *rgba, ptrdiff_t stride, const uint8_t *alpha, ptrdiff_t alpha_stride, int32_t width, int32_t height,
                        int32_t bits) {
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++) {
            const int value = sample(alpha + y * alpha_stride, x, bits);
            rgba[y * stride + 4 * (ptrdiff_t)x + 3] = (uint8_t)(bits == 8 ? value : (value * 255 + 511) / 1023);
        }
}

void ck_rgba_give_alpha(const uint8_t *rgba, ptrdiff_t stride, uint8_t *alpha, ptrdiff_t alpha_stride, int32_t width, int32_t height,
                        int32_t bits) {
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++) {
            const int value = rgba[y * stride + 4 * (ptrdiff_t)x + 3];
            put(alpha + y * alpha_stride, x, bits == 8 ? value : (value * 1023 + 127) / 255, bits);
        }
}

void ck_rgbaf_take_alpha(float *rgba, ptrdiff_t stride, const uint8_t *alpha, ptrdiff_t alpha_stride, int32_t width, int32_t height,
                         int32_t bits) {
    const float most = bits == 8 ? 255 : 1023;
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++)
            ((float *)((uint8_t *)rgba + y * stride))[4 * (ptrdiff_t)x + 3] = (float)sample(alpha + y * alpha_stride, x, bits) / most;
}

void ck_rgbaf_give_alpha(const float *rgba, ptrdiff_t stride, uint8_t *alpha, ptrdiff_t alpha_stride, int32_t width, int32_t height,
                         int32_t bits) {
    const float most = bits == 8 ? 255 : 1023;
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++) {
            const float value = ((const float *)((const uint8_t *)rgba + y * stride))[4 * (ptrdiff_t)x + 3];
            /* What is no number counts as 0. */
            put(alpha + y * alpha_stride, x, value > 0 ? (int)((value < 1 ? value : 1) * most + 0.5f) : 0, bits);
        }
}

/* A transparent pixel's colour becomes the mean of those around it that are not, weighted by their alpha. `channel` is a type of sample, `mean` a
 * function of a sum and the sum of weights. */
#define SPREAD(channel, weight, mean)                                                                                       \
    for (int y = 0; y < height; y++) {                                                                                      \
        for (int x = 0; x < width; x++) {                                                                                   \
            channel *to = (channel *)((uint8_t *)rgba + y * stride) + 4 * (ptrdiff_t)x;                                     \
            if (to[3] > 0) continue;                                                                                        \
            weight sums[3] = {0}, all = 0;                                                                                  \
            for (int v = y > 0 ? y - 1 : 0; v <= y + 1 && v < height; v++) {                                                \
                for (int u = x > 0 ? x - 1 : 0; u <= x + 1 && u < width; u++) {                                             \
                    const channel *from = (const channel *)((const uint8_t *)rgba + v * stride) + 4 * (ptrdiff_t)u;         \
                    if (!(from[3] > 0)) continue;                                                                           \
                    for (int c = 0; c < 3; c++) sums[c] += (weight)from[c] * from[3];                                       \
                    all += from[3];                                                                                         \
                }                                                                                                           \
            }                                                                                                               \
            for (int c = 0; c < 3 && all > 0; c++) to[c] = (channel)mean(sums[c], all);                                     \
        }                                                                                                                   \
    }
#define MEAN_OF_BYTES(sum, all) (((sum) + (all) / 2) / (all))
#define MEAN_OF_FLOATS(sum, all) ((sum) / (all))

void ck_spread_rgba(uint8_t *rgba, ptrdiff_t stride, int32_t width, int32_t height) {
    SPREAD(uint8_t, int32_t, MEAN_OF_BYTES)
}

void ck_spread_rgbaf(float *rgba, ptrdiff_t stride, int32_t width, int32_t height) { SPREAD(float, float, MEAN_OF_FLOATS) }

void ck_tint_rgba(float *out, ptrdiff_t out_stride, const float *in, ptrdiff_t in_stride, int32_t width, int32_t height,
                  const float color[4]) {
    for (int y = 0; y < height; y++) {
        const float *from = (const float *)((const uint8_t *)in + y * in_stride);
        float *to = (float *)((uint8_t *)out + y * out_stride);
        for (int x = 0; x < width; x++)
            for (int c = 0; c < 4; c++) to[4 * (ptrdiff_t)x + c] = color[c] * from[4 * (ptrdiff_t)x + 3];
    }
}
