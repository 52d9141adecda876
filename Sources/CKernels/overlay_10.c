/*
 * Overlays on a canvas of 10 bits: as in overlay.c, but the colours go through a table of light,
 * samples have 16 bits, and alpha, which keeps 8, is weighted by an opacity in 1/65536, so that a
 * slow fade has no steps.
 */
#include <math.h>
#include <stdlib.h>
#include "canvas.h"
#include "hdr.h"

struct ck_overlay_10 {
    int32_t width, height;
    uint16_t *y, *u, *v;
    uint8_t *alpha;
    ck_span *parts; /* for each row, the pixels between the first and the last one with alpha */
};

/* Neighbours are mostly alike: a colour is changed only where it differs from the one before. */
typedef struct memory {
    int rgb[3], signal[3];
    uint16_t y, u, v;
} memory;

static void look_up(memory *m, const ck_light *light, const int rgb[3]) {
    if (rgb[0] == m->rgb[0] && rgb[1] == m->rgb[1] && rgb[2] == m->rgb[2]) return;
    memcpy(m->rgb, rgb, sizeof m->rgb);
    ck_light_signals(light, m->rgb, m->signal);
    m->y = ck_light_luma(light, m->signal);
    ck_light_chroma(light, (const int[3]){4 * m->signal[0], 4 * m->signal[1], 4 * m->signal[2]}, &m->u, &m->v);
}

ck_overlay_10 *ck_overlay_10_prepare(const uint8_t *rgba, ptrdiff_t stride, int32_t width, int32_t height,
                                     const ck_light *light) {
    if (width < 1 || height < 1 || width > 32768 || height > 32768) return NULL;
    const size_t area = (size_t)width * (size_t)height;
    ck_overlay_10 *o = malloc(sizeof *o + (size_t)height * sizeof(ck_span) + 7 * area);
    if (!o) return NULL;
    ck_span *parts = (ck_span *)(o + 1);
    uint16_t *wide = (uint16_t *)(parts + height);
    *o = (ck_overlay_10){.width = width, .height = height, .y = wide, .u = wide + area, .v = wide + 2 * area,
                         .alpha = (uint8_t *)(wide + 3 * area), .parts = parts};
    memory m = {.rgb = {-1, -1, -1}};
    size_t at = 0;
    for (int y = 0; y < height; y++) {
        const uint8_t *in = rgba + y * stride;
        parts[y] = (ck_span){width, 0};
        for (int x = 0; x < width; x++, in += 4, at++) {
            look_up(&m, light, (const int[3]){in[0], in[1], in[2]});
            o->y[at] = m.y, o->u[at] = m.u, o->v[at] = m.v, o->alpha[at] = in[3];
            if (in[3] == 0) continue;
            if (parts[y].first > x) parts[y].first = x;
            parts[y].end = x + 1;
        }
    }
    return o;
}

void ck_overlay_10_free(ck_overlay_10 *overlay) { free(overlay); }

/* Alpha · opacity in 1/65535. */
CK_INLINE uint32_t strength(uint8_t alpha, uint32_t opacity) { return (alpha * 257u * opacity + CK_ONE / 2) / CK_ONE; }

/* to = to · (1 − a) + from · a, rounded. All within 32 bits. */
CK_INLINE void blend_luma(uint16_t *restrict to, const uint16_t *restrict from, const uint8_t *restrict alpha, int n, uint32_t opacity) {
    for (int i = 0; i < n; i++) {
        const uint32_t a = strength(alpha[i], opacity);
        to[i] = (uint16_t)((to[i] * (65535u - a) + from[i] * a + 32767u) / 65535u);
    }
}

/* to = to + (from − to) · a, rounded; a in 1/65536, of which 1 is 65535. */
CK_INLINE void blend_chroma(int16_t *restrict to, const uint16_t *restrict from, const uint8_t *restrict alpha, int n, uint32_t opacity) {
    for (int i = 0; i < n; i++) {
        const int d = (from[i] - 512) * (1 << 4) - to[i];
        to[i] = (int16_t)(to[i] + ((d * (int)strength(alpha[i], opacity) + (1 << 15)) >> 16));
    }
}

typedef struct line {
    uint16_t *luma;
    int16_t *u, *v;
    const uint16_t *from[3];
    const uint8_t *alpha;
} line;

CK_INLINE void blend_body(line l, int n, uint32_t opacity) {
    blend_luma(l.luma, l.from[0], l.alpha, n, opacity);
    blend_chroma(l.u, l.from[1], l.alpha, n, opacity);
    blend_chroma(l.v, l.from[2], l.alpha, n, opacity);
}
static void blend_base(line l, int n, uint32_t opacity) { blend_body(l, n, opacity); }
CK_AVX2 static void blend_avx2(line l, int n, uint32_t opacity) { blend_body(l, n, opacity); }

void ck_canvas_overlay_10(ck_canvas *canvas, const ck_overlay_10 *o, int32_t x, int32_t y, int32_t opacity) {
    const uint32_t factor = (uint32_t)ck_clamp(opacity, 0, CK_ONE);
    if (factor == 0) return;
    void (*const blend)(line, int, uint32_t) = ck_has_avx2() ? blend_avx2 : blend_base;
    const ck_span rows = ck_clipped(y, o->height, canvas->picture.height);
    for (int32_t row = rows.first; row < rows.end; row++) {
        const ck_span part = o->parts[row - y];
        const ck_span columns = ck_clipped((int64_t)x + part.first, (int64_t)part.end - part.first, canvas->picture.width);
        if (columns.first >= columns.end) continue;
        ck_canvas_open(canvas, row, columns.first, columns.end);
        const size_t at = (size_t)(row - y) * (size_t)o->width + (size_t)(columns.first - x);
        const line l = {ck_row_10(canvas->picture, 0, row) + columns.first, ck_chroma_row(canvas, 0, row) + columns.first,
                        ck_chroma_row(canvas, 1, row) + columns.first, {o->y + at, o->u + at, o->v + at}, o->alpha + at};
        blend(l, columns.end - columns.first, factor);
    }
}

void ck_canvas_overlay_10_ref(ck_canvas *canvas, const ck_overlay_10 *o, int32_t x, int32_t y, int32_t opacity) {
    const double factor = ck_clamp(opacity, 0, CK_ONE) / (double)CK_ONE;
    for (int row = 0; row < o->height; row++)
        for (int column = 0; column < o->width; column++) {
            const int64_t to_x = (int64_t)x + column, to_y = (int64_t)y + row;
            if (to_x < 0 || to_y < 0 || to_x >= canvas->picture.width || to_y >= canvas->picture.height) continue;
            const size_t at = (size_t)row * (size_t)o->width + (size_t)column;
            const double a = o->alpha[at] / 255.0 * factor;
            if (!(a > 0)) continue;
            ck_canvas_open(canvas, (int32_t)to_y, (int32_t)to_x, (int32_t)to_x + 1);
            uint16_t *const luma = ck_row_10(canvas->picture, 0, (int)to_y) + to_x;
            *luma = (uint16_t)(*luma * (1 - a) + o->y[at] * a + 0.5);
            for (int plane = 0; plane < 2; plane++) {
                int16_t *const to = ck_chroma_row(canvas, plane, (int32_t)to_y) + to_x;
                *to = (int16_t)lrint(*to * (1 - a) + ((plane ? o->v : o->u)[at] - 512) * 16 * a);
            }
        }
}

void ck_rgbaf_from_srgb(float *out, ptrdiff_t out_stride, const uint8_t *rgba, ptrdiff_t stride, int32_t width, int32_t height,
                        const ck_light *light) {
    memory m = {.rgb = {-1, -1, -1}};
    for (int y = 0; y < height; y++) {
        const uint8_t *in = rgba + y * stride;
        float *to = (float *)(void *)((uint8_t *)out + y * out_stride);
        for (int x = 0; x < width; x++, in += 4, to += 4) {
            look_up(&m, light, (const int[3]){in[0], in[1], in[2]});
            for (int c = 0; c < 3; c++) to[c] = (float)m.signal[c] * (1.0f / CK_SIGNAL);
            to[3] = (float)in[3] * (1.0f / 255);
        }
    }
}
