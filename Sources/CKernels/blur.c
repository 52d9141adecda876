/*
 * Blurs and turns by quarters of pictures with alpha.
 *
 * A Gaussian is three running means one after the other, whose widths have its variance together
 * (P. Kovesi, "Fast Almost-Gaussian Filtering", DICTA 2010): the cost does not depend on how wide
 * it is. Sums are doubles, so that nothing drifts along a row.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "layers.h"

#pragma STDC FP_CONTRACT OFF

#define PASSES 3

/* The odd widths of the three means. */
static void widths(double sigma, int width[PASSES]) {
    const double ideal = sqrt(12 * sigma * sigma / PASSES + 1);
    int low = (int)floor(ideal);
    if (low % 2 == 0) low--;
    if (low < 1) low = 1;
    const double count = (12 * sigma * sigma - PASSES * (double)low * low - 4.0 * PASSES * low - 3 * PASSES) / (-4.0 * low - 4);
    for (int i = 0; i < PASSES; i++) width[i] = i < (int)rint(count) ? low : low + 2;
}

/* `length` pixels, `step` floats apart; what lies outside is nothing. */
static void mean(const float *in, float *out, int length, ptrdiff_t step, int width) {
    const int reach = width / 2;
    const double share = 1.0 / width;
    double sum[4] = {0, 0, 0, 0};
    for (int x = 0; x < reach && x < length; x++)
        for (int c = 0; c < 4; c++) sum[c] += in[x * step + c];
    for (int x = 0; x < length; x++) {
        if (x + reach < length)
            for (int c = 0; c < 4; c++) sum[c] += in[(x + reach) * step + c];
        for (int c = 0; c < 4; c++) out[4 * (ptrdiff_t)x + c] = (float)(sum[c] * share);
        if (x - reach >= 0)
            for (int c = 0; c < 4; c++) sum[c] -= in[(x - reach) * step + c];
    }
}

static void blur_line(float *line, int length, ptrdiff_t step, const int width[PASSES], float *a, float *b) {
    mean(line, a, length, step, width[0]);
    mean(a, b, length, 4, width[1]);
    mean(b, a, length, 4, width[2]);
    for (int x = 0; x < length; x++) memcpy(line + x * step, a + 4 * (ptrdiff_t)x, 4 * sizeof *a);
}

int32_t ck_blur_rgba(float *rgba, ptrdiff_t stride, int32_t width, int32_t height, double sigma) {
    if (width < 1 || height < 1 || !(sigma >= 0) || sigma > 16384) return -1;
    int box[PASSES];
    widths(sigma, box);
    const int longest = width > height ? width : height;
    float *lines = malloc(2 * 4 * sizeof *lines * (size_t)longest);
    if (!lines) return -1;
    const ptrdiff_t row = stride / (ptrdiff_t)sizeof(float);
    for (int y = 0; y < height; y++) blur_line(rgba + y * row, width, 4, box, lines, lines + 4 * (ptrdiff_t)longest);
    for (int x = 0; x < width; x++) blur_line(rgba + 4 * (ptrdiff_t)x, height, row, box, lines, lines + 4 * (ptrdiff_t)longest);
    free(lines);
    return 0;
}

void ck_reorient_rgba(float *out, ptrdiff_t out_stride, const float *in, ptrdiff_t in_stride, int32_t width, int32_t height,
                      ck_orientation orientation) {
    for (int32_t y = 0; y < height; y++) {
        const int32_t from_y = orientation & CK_REVERSED_ROWS ? height - 1 - y : y;
        const float *from = (const float *)((const char *)in + from_y * in_stride);
        for (int32_t x = 0; x < width; x++) {
            const int32_t from_x = orientation & CK_REVERSED_COLUMNS ? width - 1 - x : x;
            char *to = (char *)out + (orientation & CK_TRANSPOSED ? x * out_stride + 16 * (ptrdiff_t)y : y * out_stride + 16 * (ptrdiff_t)x);
            memcpy(to, from + 4 * (ptrdiff_t)from_x, 16);
        }
    }
}
