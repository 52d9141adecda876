/*
 * Overlays: a picture with alpha in the canvas' own planes, and its blending.
 *
 * Memory of a prepared overlay: Y and its alpha at full size; U, V and their alpha on the canvas' chroma grid. The alpha of
 * a chroma sample is the mean over the four pixels that share it, those outside the overlay counting as transparent.
 */
#include <stdlib.h>
#include "internal.h"

struct ck_overlay {
    int32_t width, height, odd_x, odd_y;
    int32_t chroma_width, chroma_height;
    uint8_t *y, *alpha, *u, *v, *chroma_alpha;
};

/* R'G'B' to code values in 1/32768, rounded so that each row adds up as in ck_codes_from_rgb. */
enum { SHIFT = 15, HALF = 1 << 14 };
#define FIXED(x) ((int)((x) * 32768 + ((x) < 0 ? -0.5 : 0.5)))
static const int to_y[3] = {FIXED(CK_KR * 219 / 255), FIXED(CK_KG * 219 / 255), FIXED(CK_KB * 219 / 255)};
static const int to_u[3] = {FIXED(-CK_KR / CK_U_SCALE * 224 / 255), FIXED(-CK_KG / CK_U_SCALE * 224 / 255),
                            FIXED((1 - CK_KB) / CK_U_SCALE * 224 / 255)};
static const int to_v[3] = {FIXED((1 - CK_KR) / CK_V_SCALE * 224 / 255), FIXED(-CK_KG / CK_V_SCALE * 224 / 255),
                            FIXED(-CK_KB / CK_V_SCALE * 224 / 255)};

static uint8_t code(const int to[3], const int rgb[3], int zero) {
    return ck_u8((to[0] * rgb[0] + to[1] * rgb[1] + to[2] * rgb[2] + (zero << SHIFT) + HALF) >> SHIFT);
}

static void prepare_luma(ck_overlay *o, const uint8_t *rgba, ptrdiff_t stride) {
    for (int y = 0; y < o->height; y++) {
        const uint8_t *in = rgba + y * stride;
        for (int x = 0; x < o->width; x++, in += 4) {
            const int rgb[3] = {in[0], in[1], in[2]};
            o->y[(size_t)y * (size_t)o->width + (size_t)x] = code(to_y, rgb, 16);
            o->alpha[(size_t)y * (size_t)o->width + (size_t)x] = in[3];
        }
    }
}

static void prepare_chroma(ck_overlay *o, const uint8_t *rgba, ptrdiff_t stride) {
    for (int row = 0; row < o->chroma_height; row++) {
        for (int column = 0; column < o->chroma_width; column++) {
            int sum[3] = {0, 0, 0}, alpha = 0;
            for (int i = 0; i < 4; i++) {
                const int x = 2 * column - o->odd_x + (i & 1), y = 2 * row - o->odd_y + (i >> 1);
                if (x < 0 || y < 0 || x >= o->width || y >= o->height) continue;
                const uint8_t *in = rgba + y * stride + 4 * (ptrdiff_t)x;
                for (int c = 0; c < 3; c++) sum[c] += in[c] * in[3];
                alpha += in[3];
            }
            const size_t at = (size_t)row * (size_t)o->chroma_width + (size_t)column;
            int rgb[3] = {0, 0, 0};
            for (int c = 0; c < 3 && alpha > 0; c++) rgb[c] = (sum[c] + alpha / 2) / alpha;
            o->u[at] = code(to_u, rgb, 128);
            o->v[at] = code(to_v, rgb, 128);
            o->chroma_alpha[at] = (uint8_t)((alpha + 2) / 4);
        }
    }
}

ck_overlay *ck_overlay_prepare(const uint8_t *rgba, ptrdiff_t stride, int32_t width, int32_t height, int32_t odd_x,
                               int32_t odd_y) {
    if (width < 1 || height < 1 || width > 32768 || height > 32768 || (odd_x | odd_y) & ~1) return NULL;
    const int chroma_width = (width + odd_x + 1) / 2, chroma_height = (height + odd_y + 1) / 2;
    const size_t luma = (size_t)width * (size_t)height, chroma = (size_t)chroma_width * (size_t)chroma_height;
    ck_overlay *o = malloc(sizeof *o + 2 * luma + 3 * chroma);
    if (!o) return NULL;
    uint8_t *memory = (uint8_t *)(o + 1);
    *o = (ck_overlay){.width = width, .height = height, .odd_x = odd_x, .odd_y = odd_y, .chroma_width = chroma_width,
                      .chroma_height = chroma_height, .y = memory, .alpha = memory + luma, .u = memory + 2 * luma,
                      .v = memory + 2 * luma + chroma, .chroma_alpha = memory + 2 * luma + 2 * chroma};
    prepare_luma(o, rgba, stride);
    prepare_chroma(o, rgba, stride);
    return o;
}

void ck_overlay_free(ck_overlay *overlay) { free(overlay); }

/* to = (to · (255 − a) + from · a) / 255, rounded; a is alpha · opacity / 256. All within 16 bits: t / 255 rounded is
 * (t + 128 + (t + 128) / 256) / 256 for t ≤ 255². */
CK_INLINE void blend_body(uint8_t *to, const uint8_t *from, const uint8_t *alpha, int n, uint16_t opacity) {
    for (int i = 0; i < n; i++) {
        const uint16_t a = (uint16_t)(alpha[i] * opacity + 128) >> 8;
        const uint16_t t = (uint16_t)(to[i] * (uint16_t)(255 - a) + from[i] * a + 128);
        to[i] = (uint8_t)((uint16_t)(t + (t >> 8)) >> 8);
    }
}

static void blend_base(uint8_t *restrict to, const uint8_t *restrict from, const uint8_t *restrict alpha, int n,
                       uint16_t opacity) {
    blend_body(to, from, alpha, n, opacity);
}
CK_AVX2 static void blend_avx2(uint8_t *restrict to, const uint8_t *restrict from, const uint8_t *restrict alpha, int n,
                               uint16_t opacity) {
    blend_body(to, from, alpha, n, opacity);
}

static int opacity_of(int32_t opacity) { return (ck_clamp(opacity, 0, CK_ONE) + 128) / 256; }

/* A floor, also of negative numbers: which chroma sample a pixel belongs to. */
static int64_t half(int64_t x) { return (x - (x & 1)) / 2; }

int32_t ck_overlay_blend(ck_picture canvas, const ck_overlay *o, int32_t x, int32_t y, int32_t opacity) {
    if ((x & 1) != o->odd_x || (y & 1) != o->odd_y) return -1;
    const int strength = opacity_of(opacity);
    if (strength == 0) return 0;
    void (*blend)(uint8_t *, const uint8_t *, const uint8_t *, int, uint16_t) = ck_has_avx2() ? blend_avx2 : blend_base;
    for (int plane = 0; plane < 3; plane++) {
        const int64_t left = plane ? half(x) : x, top = plane ? half(y) : y;
        const int width = plane ? o->chroma_width : o->width, height = plane ? o->chroma_height : o->height;
        const uint8_t *from = plane == 0 ? o->y : plane == 1 ? o->u : o->v, *alpha = plane ? o->chroma_alpha : o->alpha;
        const int64_t first = left < 0 ? -left : 0, skip = top < 0 ? -top : 0;
        int64_t last = ck_columns(canvas, plane) - left, end = ck_rows(canvas, plane) - top;
        if (last > width) last = width;
        if (end > height) end = height;
        if (first >= last) continue;
        for (int64_t row = skip; row < end; row++) {
            const int64_t at = row * width + first;
            blend(ck_row(canvas, plane, (int)(top + row)) + left + first, from + at, alpha + at, (int)(last - first),
                  (uint16_t)strength);
        }
    }
    return 0;
}

int32_t ck_overlay_blend_ref(ck_picture canvas, const ck_overlay *o, int32_t x, int32_t y, int32_t opacity) {
    if ((x & 1) != o->odd_x || (y & 1) != o->odd_y) return -1;
    const int strength = opacity_of(opacity);
    for (int plane = 0; plane < 3; plane++) {
        const int64_t left = plane ? half(x) : x, top = plane ? half(y) : y;
        const int width = plane ? o->chroma_width : o->width, height = plane ? o->chroma_height : o->height;
        for (int row = 0; row < height; row++) {
            for (int column = 0; column < width; column++) {
                const int64_t to_x = left + column, to_y_ = top + row;
                if (to_x < 0 || to_y_ < 0 || to_x >= ck_columns(canvas, plane) || to_y_ >= ck_rows(canvas, plane)) continue;
                const int at = row * width + column;
                const int from = (plane == 0 ? o->y : plane == 1 ? o->u : o->v)[at];
                const int a = ((plane ? o->chroma_alpha : o->alpha)[at] * strength + 128) / 256;
                uint8_t *to = ck_row(canvas, plane, (int)to_y_) + to_x;
                /* Rounded division. */
                *to = (uint8_t)((2 * (*to * (255 - a) + from * a) + 255) / 510);
            }
        }
    }
    return 0;
}
