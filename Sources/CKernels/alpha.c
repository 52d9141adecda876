/* Straight alpha between RGBA and a plane of its own, and the colour of what is transparent. */
#include <stdlib.h>
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

/* ---- The colour of what is transparent ------------------------------------------------------------------------------------- */

/*
 * Beside what is seen, a transparent pixel's colour becomes the mean of those around it, weighted
 * by their alpha. Further away it comes from a pyramid of ever smaller pictures: from the smallest
 * block around it that has something to be seen (S. Gortler et al., "The Lumigraph", SIGGRAPH 1996,
 * section 3.4: pull and push, without smoothing).
 */
typedef struct level {
    int width, height;
    float *cells; /* red, green and blue, weighted by the fourth, which is alpha and at most 1 */
} level;
enum { LEVELS = 17 };

typedef struct straight {
    void *rgba;
    ptrdiff_t stride;
    int width, height, is_float;
} straight;

CK_INLINE void get_pixel(const straight *p, int x, int y, float pixel[4]) {
    const uint8_t *row = (const uint8_t *)p->rgba + y * p->stride;
    const float *floats = (const float *)(const void *)row + 4 * (ptrdiff_t)x;
    for (int c = 0; c < 4; c++) pixel[c] = p->is_float ? floats[c] : row[4 * (ptrdiff_t)x + c];
    if (!p->is_float) pixel[3] /= 255;
}

CK_INLINE void set_color(const straight *p, int x, int y, const float rgb[3]) {
    uint8_t *row = (uint8_t *)p->rgba + y * p->stride;
    float *floats = (float *)(void *)row + 4 * (ptrdiff_t)x;
    for (int c = 0; c < 3; c++)
        if (p->is_float) floats[c] = rgb[c];
        else row[4 * (ptrdiff_t)x + c] = (uint8_t)(rgb[c] + 0.5f);
}

CK_INLINE int is_transparent(const straight *p, int x, int y) {
    const uint8_t *row = (const uint8_t *)p->rgba + y * p->stride;
    return p->is_float ? !(((const float *)(const void *)row)[4 * (ptrdiff_t)x + 3] > 0) : row[4 * (ptrdiff_t)x + 3] == 0;
}

/* Returns whether a pixel beside it is seen. */
CK_INLINE int take_neighbours(const straight *p, int x, int y) {
    float sum[3] = {0, 0, 0}, all = 0;
    for (int v = y > 0 ? y - 1 : 0; v <= y + 1 && v < p->height; v++)
        for (int u = x > 0 ? x - 1 : 0; u <= x + 1 && u < p->width; u++) {
            if (is_transparent(p, u, v)) continue;
            float from[4];
            get_pixel(p, u, v, from);
            for (int c = 0; c < 3; c++) sum[c] += from[c] * from[3];
            all += from[3];
        }
    if (!(all > 0)) return 0;
    for (int c = 0; c < 3; c++) sum[c] /= all;
    set_color(p, x, y, sum);
    return 1;
}

/* A cell of the picture that is half as large: the sum of four, with a weight of at most 1. */
static void gather(float *cell, const float *sum) {
    const float factor = sum[3] > 1 ? 1 / sum[3] : 1;
    for (int c = 0; c < 4; c++) cell[c] = sum[c] * factor;
}

static void make_first(level *to, const straight *p) {
    for (int y = 0; y < to->height; y++)
        for (int x = 0; x < to->width; x++) {
            float sum[4] = {0, 0, 0, 0};
            for (int k = 0; k < 4; k++) {
                const int u = 2 * x + k % 2, v = 2 * y + k / 2;
                if (u >= p->width || v >= p->height || is_transparent(p, u, v)) continue;
                float from[4];
                get_pixel(p, u, v, from);
                for (int c = 0; c < 3; c++) sum[c] += from[c] * from[3];
                sum[3] += from[3];
            }
            gather(to->cells + 4 * ((size_t)y * (size_t)to->width + (size_t)x), sum);
        }
}

static void make_next(level *to, const level *from) {
    for (int y = 0; y < to->height; y++)
        for (int x = 0; x < to->width; x++) {
            float sum[4] = {0, 0, 0, 0};
            for (int k = 0; k < 4; k++) {
                const int u = 2 * x + k % 2, v = 2 * y + k / 2;
                if (u >= from->width || v >= from->height) continue;
                const float *cell = from->cells + 4 * ((size_t)v * (size_t)from->width + (size_t)u);
                for (int c = 0; c < 4; c++) sum[c] += cell[c];
            }
            gather(to->cells + 4 * ((size_t)y * (size_t)to->width + (size_t)x), sum);
        }
}

static void take_block(const straight *p, const level *levels, int count, int x, int y) {
    for (int k = 0; k < count; k++) {
        const size_t at = (size_t)(y >> (k + 1)) * (size_t)levels[k].width + (size_t)(x >> (k + 1));
        const float *cell = levels[k].cells + 4 * at;
        if (!(cell[3] > 0)) continue;
        set_color(p, x, y, (const float[3]){cell[0] / cell[3], cell[1] / cell[3], cell[2] / cell[3]});
        return;
    }
}

static int32_t spread(const straight *p) {
    int first = p->height, seen = 0;
    /* Alpha stays 0, so what was given a colour is no neighbour of others. */
    for (int y = 0; y < p->height; y++)
        for (int x = 0; x < p->width; x++) {
            if (!is_transparent(p, x, y)) seen = 1;
            else if (!take_neighbours(p, x, y) && first > y) first = y;
        }
    if (first == p->height || !seen) return 0;
    level levels[LEVELS];
    int count = 0;
    int32_t result = 0;
    for (int width = p->width, height = p->height; count < LEVELS && (width > 1 || height > 1); count++) {
        width = (width + 1) / 2, height = (height + 1) / 2;
        levels[count] = (level){width, height, malloc(16 * (size_t)width * (size_t)height)};
        if (!levels[count].cells) {
            result = -1;
            break;
        }
        if (count == 0) make_first(&levels[0], p);
        else make_next(&levels[count], &levels[count - 1]);
    }
    for (int y = first; y < p->height && result == 0; y++)
        for (int x = 0; x < p->width; x++) {
            if (!is_transparent(p, x, y)) continue;
            int is_beside = 0;
            for (int v = y > 0 ? y - 1 : 0; v <= y + 1 && v < p->height && !is_beside; v++)
                for (int u = x > 0 ? x - 1 : 0; u <= x + 1 && u < p->width; u++) is_beside |= !is_transparent(p, u, v);
            if (!is_beside) take_block(p, levels, count, x, y);
        }
    for (int k = 0; k < count; k++) free(levels[k].cells);
    return result;
}

int32_t ck_spread_rgba(uint8_t *rgba, ptrdiff_t stride, int32_t width, int32_t height) {
    const straight picture = {rgba, stride, width, height, 0};
    return spread(&picture);
}

int32_t ck_spread_rgbaf(float *rgba, ptrdiff_t stride, int32_t width, int32_t height) {
    const straight picture = {rgba, stride, width, height, 1};
    return spread(&picture);
}

void ck_tint_rgba(float *out, ptrdiff_t out_stride, const float *in, ptrdiff_t in_stride, int32_t width, int32_t height,
                  const float color[4]) {
    for (int y = 0; y < height; y++) {
        const float *from = (const float *)((const uint8_t *)in + y * in_stride);
        float *to = (float *)((uint8_t *)out + y * out_stride);
        for (int x = 0; x < width; x++)
            for (int c = 0; c < 4; c++) to[4 * (ptrdiff_t)x + c] = color[c] * from[4 * (ptrdiff_t)x + 3];
    }
}
