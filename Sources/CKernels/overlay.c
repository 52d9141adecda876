/*
 * Overlays: pictures with alpha in the canvas' own planes, all at full resolution, and their
 * blending.
 */
#include <math.h>
#include <stdlib.h>
#include "canvas.h"

struct ck_overlay {
    int32_t width, height;
    uint8_t *y, *u, *v, *alpha;
    ck_span *parts; /* for each row, the pixels between the first and the last one with alpha */
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

ck_overlay *ck_overlay_prepare(const uint8_t *rgba, ptrdiff_t stride, int32_t width, int32_t height) {
    if (width < 1 || height < 1 || width > 32768 || height > 32768) return NULL;
    const size_t area = (size_t)width * (size_t)height;
    ck_overlay *o = malloc(sizeof *o + (size_t)height * sizeof(ck_span) + 4 * area);
    if (!o) return NULL;
    ck_span *parts = (ck_span *)(o + 1);
    uint8_t *memory = (uint8_t *)(parts + height);
    *o = (ck_overlay){.width = width, .height = height, .y = memory, .u = memory + area, .v = memory + 2 * area,
                      .alpha = memory + 3 * area, .parts = parts};
    size_t at = 0;
    for (int y = 0; y < height; y++) {
        const uint8_t *in = rgba + y * stride;
        parts[y] = (ck_span){width, 0};
        for (int x = 0; x < width; x++, in += 4, at++) {
            const int rgb[3] = {in[0], in[1], in[2]};
            o->y[at] = code(to_y, rgb, 16);
            o->u[at] = code(to_u, rgb, 128);
            o->v[at] = code(to_v, rgb, 128);
            o->alpha[at] = in[3];
            if (in[3] == 0) continue;
            if (parts[y].first > x) parts[y].first = x;
            parts[y].end = x + 1;
        }
    }
    return o;
}

void ck_overlay_free(ck_overlay *overlay) { free(overlay); }

/* to = (to · (255 − a) + from · a) / 255, rounded; a is alpha · opacity / 256. All within 16 bits:
 * t / 255 rounded is (t + 128 + (t + 128) / 256) / 256 for t ≤ 255². */
CK_INLINE uint16_t strength(uint8_t alpha, uint16_t opacity) { return (uint16_t)(alpha * opacity + 128) >> 8; }

CK_INLINE void blend_luma(uint8_t *restrict to, const uint8_t *restrict from, const uint8_t *restrict alpha, int n, uint16_t opacity) {
    for (int i = 0; i < n; i++) {
        const uint16_t a = strength(alpha[i], opacity);
        const uint16_t t = (uint16_t)(to[i] * (uint16_t)(255 - a) + from[i] * a + 128);
        to[i] = (uint8_t)((uint16_t)(t + (t >> 8)) >> 8);
    }
}

/* to = to + (from − to) · a, rounded; a in 1/32768, of which 1 is 32767. */
CK_INLINE void blend_chroma(int16_t *restrict to, const uint8_t *restrict from, const uint8_t *restrict alpha, int n, uint16_t opacity) {
    for (int i = 0; i < n; i++) {
        const int16_t a = (int16_t)(strength(alpha[i], opacity) * 257 >> 1);
        const int16_t d = (int16_t)((int16_t)((from[i] - 128) * (1 << 6)) - to[i]);
        to[i] = (int16_t)(to[i] + (int16_t)((d * a + (1 << 14)) >> 15));
    }
}

typedef struct line {
    uint8_t *luma;
    int16_t *u, *v;
    const uint8_t *from[3], *alpha;
} line;

CK_INLINE void blend_body(line l, int n, uint16_t opacity) {
    blend_luma(l.luma, l.from[0], l.alpha, n, opacity);
    blend_chroma(l.u, l.from[1], l.alpha, n, opacity);
    blend_chroma(l.v, l.from[2], l.alpha, n, opacity);
}
static void blend_base(line l, int n, uint16_t opacity) { blend_body(l, n, opacity); }
CK_AVX2 static void blend_avx2(line l, int n, uint16_t opacity) { blend_body(l, n, opacity); }

static int opacity_of(int32_t opacity) { return (ck_clamp(opacity, 0, CK_ONE) + 128) / 256; }

void ck_canvas_overlay(ck_canvas *canvas, const ck_overlay *o, int32_t x, int32_t y, int32_t opacity) {
    const int factor = opacity_of(opacity);
    if (factor == 0) return;
    void (*const blend)(line, int, uint16_t) = ck_has_avx2() ? blend_avx2 : blend_base;
    const ck_span rows = ck_clipped(y, o->height, canvas->picture.height);
    for (int32_t row = rows.first; row < rows.end; row++) {
        const ck_span part = o->parts[row - y];
        const ck_span columns = ck_clipped((int64_t)x + part.first, (int64_t)part.end - part.first, canvas->picture.width);
        if (columns.first >= columns.end) continue;
        ck_canvas_open(canvas, row, columns.first, columns.end);
        const size_t at = (size_t)(row - y) * (size_t)o->width + (size_t)(columns.first - x);
        const line l = {ck_row(canvas->picture, 0, row) + columns.first, ck_chroma_row(canvas, 0, row) + columns.first,
                        ck_chroma_row(canvas, 1, row) + columns.first, {o->y + at, o->u + at, o->v + at}, o->alpha + at};
        blend(l, columns.end - columns.first, (uint16_t)factor);
    }
}

void ck_canvas_overlay_ref(ck_canvas *canvas, const ck_overlay *o, int32_t x, int32_t y, int32_t opacity) {
    const int factor = opacity_of(opacity);
    for (int row = 0; row < o->height; row++)
        for (int column = 0; column < o->width; column++) {
            const int64_t to_x = (int64_t)x + column, to_y = (int64_t)y + row;
            if (to_x < 0 || to_y < 0 || to_x >= canvas->picture.width || to_y >= canvas->picture.height) continue;
            const size_t at = (size_t)row * (size_t)o->width + (size_t)column;
            const int a = (o->alpha[at] * factor + 128) / 256;
            if (a == 0) continue;
            ck_canvas_open(canvas, (int32_t)to_y, (int32_t)to_x, (int32_t)to_x + 1);
            uint8_t *const luma = ck_row(canvas->picture, 0, (int)to_y) + to_x;
            /* Rounded division. */
            *luma = (uint8_t)((2 * (*luma * (255 - a) + o->y[at] * a) + 255) / 510);
            for (int plane = 0; plane < 2; plane++) {
                int16_t *const to = ck_chroma_row(canvas, plane, (int32_t)to_y) + to_x;
                const int d = ((plane ? o->v : o->u)[at] - 128) * 64 - *to;
                *to = (int16_t)(*to + (int)floor(d * (a * 257 / 2) / 32768.0 + 0.5));
            }
        }
}
