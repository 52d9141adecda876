/* Baking a look: an RGB table becomes a Y'CbCr table. */
#include <math.h>
#include <stdlib.h>
#include "lut.h"

/*
 * Tetrahedral interpolation: from the cell's lowest corner to its highest, along the axes in
 * falling order of the fractions. Source: Kasson, Nin, Plouffe, Hafner, "Performing color space
 * conversions with three-dimensional linear interpolation", Journal of Electronic Imaging 4(3),
 * 1995.
 */
void ck_table_sample(const float *rgb, int n, const double at[3], double out[3]) {
    const ptrdiff_t step[3] = {3, 3 * (ptrdiff_t)n, 3 * (ptrdiff_t)n * n};
    double fraction[3];
    const float *corner = rgb;
    for (int axis = 0; axis < 3; axis++) {
        const double x = at[axis] * (n - 1);
        const int cell = ck_clamp((int)x, 0, n - 2);
        fraction[axis] = x - cell;
        corner += cell * step[axis];
    }
    int order[3] = {0, 1, 2};
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2 - i; j++)
            if (fraction[order[j]] < fraction[order[j + 1]]) {
                const int swap = order[j];
                order[j] = order[j + 1], order[j + 1] = swap;
            }
    for (int c = 0; c < 3; c++) out[c] = corner[c];
    for (int i = 0; i < 3; i++) {
        const float *next = corner + step[order[i]];
        for (int c = 0; c < 3; c++) out[c] += fraction[order[i]] * ((double)next[c] - (double)corner[c]);
        corner = next;
    }
}

static double unit(double x) { return x < 0 ? 0 : x > 1 ? 1 : x; }

/*
 * The look of a colour that may lie outside the RGB cube: that of the nearest colour inside, and
 * from there on along the look's own slope, taken over an eighth of the range so that noise in a
 * table is not blown up.
 */
static void extended_sample(const float *table, int n, const double rgb[3], double out[3]) {
    const double reach = 0.125;
    double inside[3];
    for (int c = 0; c < 3; c++) inside[c] = unit(rgb[c]);
    ck_table_sample(table, n, inside, out);
    double sum[3] = {0, 0, 0};
    for (int axis = 0; axis < 3; axis++) {
        const double excess = rgb[axis] - inside[axis];
        if (excess == 0) continue;
        double inner[3] = {inside[0], inside[1], inside[2]}, there[3];
        inner[axis] += excess > 0 ? -reach : reach;
        ck_table_sample(table, n, inner, there);
        for (int c = 0; c < 3; c++) sum[c] += (out[c] - there[c]) / reach * fabs(excess);
    }
    for (int c = 0; c < 3; c++) out[c] += sum[c];
}

static int16_t fixed(double code) {
    const double x = code * CK_LUT_FRACTION;
    return (int16_t)lrint(x < -32768 ? -32768 : x > 32767 ? 32767 : x);
}

/* Codes to R'G'B' and back, of one matrix. */
typedef struct coder {
    void (*decode)(const double yuv[3], double rgb[3]);
    void (*encode)(const double rgb[3], double yuv[3]);
} coder;

static void decode_709(const double yuv[3], double rgb[3]) { ck_rgb_from_codes(yuv, rgb); }
static void encode_709(const double rgb[3], double yuv[3]) { ck_codes_from_rgb(rgb, yuv); }

/* ITU-R BT.2020-2, table 4. */
static const double kr_2020 = 0.2627, kb_2020 = 0.0593;

static void decode_2020(const double yuv[3], double rgb[3]) {
    const double y = (yuv[0] - 16) / 219, u = (yuv[1] - 128) / 112, v = (yuv[2] - 128) / 112;
    rgb[0] = y + (1 - kr_2020) * v, rgb[2] = y + (1 - kb_2020) * u;
    rgb[1] = (y - kr_2020 * rgb[0] - kb_2020 * rgb[2]) / (1 - kr_2020 - kb_2020);
}

static void encode_2020(const double rgb[3], double yuv[3]) {
    const double y = kr_2020 * rgb[0] + (1 - kr_2020 - kb_2020) * rgb[1] + kb_2020 * rgb[2];
    yuv[0] = 16 + 219 * y;
    yuv[1] = 128 + 112 * (rgb[2] - y) / (1 - kb_2020), yuv[2] = 128 + 112 * (rgb[0] - y) / (1 - kr_2020);
}

static ck_lut *bake(const float *rgb, int32_t n, double intensity, coder coder) {
    if (!rgb || n < 2 || n > 256 || !(intensity >= 0 && intensity <= 1)) return NULL;
    ck_lut *lut = malloc(sizeof *lut);
    if (!lut) return NULL;
    for (int i = 0; i < CK_LUT_COUNT; i++) {
        const double in[3] = {4.0 * (i % CK_LUT_SIDE), 4.0 * (i / CK_LUT_U % CK_LUT_SIDE), 4.0 * (i / CK_LUT_V)};
        double color[3], look[3], out[3];
        coder.decode(in, color);
        extended_sample(rgb, n, color, look);
        for (int c = 0; c < 3; c++) look[c] = color[c] + (look[c] - color[c]) * intensity;
        coder.encode(look, out);
        for (int c = 0; c < 3; c++) lut->table[c][i] = fixed(out[c]);
    }
    for (int c = 0; c < 3; c++) lut->table[c][CK_LUT_COUNT] = lut->table[c][CK_LUT_COUNT + 1] = 0;
    return lut;
}

ck_lut *ck_lut_bake(const float *rgb, int32_t n, double intensity) {
    return bake(rgb, n, intensity, (coder){decode_709, encode_709});
}

ck_lut *ck_lut_bake_2020(const float *rgb, int32_t n, double intensity) {
    return bake(rgb, n, intensity, (coder){decode_2020, encode_2020});
}

void ck_lut_free(ck_lut *lut) { free(lut); }

void ck_lut_exact(const float *rgb, int32_t n, double intensity, const double in[3], double out[3]) {
    double color[3], look[3];
    ck_rgb_from_codes(in, color);
    for (int c = 0; c < 3; c++) color[c] = unit(color[c]);
    ck_table_sample(rgb, n, color, look);
    for (int c = 0; c < 3; c++) look[c] = color[c] + (look[c] - color[c]) * intensity;
    ck_codes_from_rgb(look, out);
}
