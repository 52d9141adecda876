/*
 * Overlays on a canvas of 10 bits: as in overlay.c, but the colours go through a table of light, samples have 16 bits, and
 * alpha, which keeps 8, is weighted by an opacity in 1/65536, so that a slow fade has no steps.
 */
#include <stdlib.h>
#include "hdr.h"

struct ck_overlay_10 {
    int32_t width, height, odd_x, odd_y;
    int32_t chroma_width, chroma_height;
    uint16_t *y, *u, *v;
    uint8_t *alpha, *chroma_alpha;
};

/* Neighbours are mostly alike: a colour is changed only where it differs from the one before. */
typedef struct memory {
    int rgb[3], signal[3];
} memory;

static void look_up(memory *m, const ck_light *light, const int rgb[3]) {
    if (rgb[0] == m->rgb[0] && rgb[1] == m->rgb[1] && rgb[2] == m->rgb[2]) return;
    memcpy(m->rgb, rgb, sizeof m->rgb);
    ck_light_signals(light, m->rgb, m->signal);
}

static void prepare_luma(ck_overlay_10 *o, const uint8_t *rgba, ptrdiff_t stride, const ck_light *light) {
    memory m = {{-1, -1, -1}, {0, 0, 0}};
    for (int y = 0; y < o->height; y++) {
        const uint8_t *in = rgba + y * stride;
        for (int x = 0; x < o->width; x++, in += 4) {
            look_up(&m, light, (const int[3]){in[0], in[1], in[2]});
            o->y[(size_t)y * (size_t)o->width + (size_t)x] = ck_light_luma(light, m.signal);
            o->alpha[(size_t)y * (size_t)o->width + (size_t)x] = in[3];
        }
    }
}

static void prepare_chroma(ck_overlay_10 *o, const uint8_t *rgba, ptrdiff_t stride, const ck_light *light) {
    memory m = {{-1, -1, -1}, {0, 0, 0}};
    for (int row = 0; row < o->chroma_height; row++) {
        for (int column = 0; column < o->chroma_width; column++) {
            int sum[3] = {0, 0, 0}, alpha = 0;
            for (int i = 0; i < 4; i++) {
                const int x = 2 * column - o->odd_x + (i & 1), y = 2 * row - o->odd_y + (i >> 1);
                if (x < 0 || y < 0 || x >= o->width || y >= o->height) continue;
                const uint8_t *in = rgba + y * stride + 4 * (ptrdiff_t)x;
                look_up(&m, light, (const int[3]){in[0], in[1], in[2]});
                for (int c = 0; c < 3; c++) sum[c] += m.signal[c] * in[3];
                alpha += in[3];
            }
            const size_t at = (size_t)row * (size_t)o->chroma_width + (size_t)column;
            int four[3] = {0, 0, 0};
            for (int c = 0; c < 3 && alpha > 0; c++) four[c] = (int)((4 * (int64_t)sum[c] + alpha / 2) / alpha);
            ck_light_chroma(light, four, o->u + at, o->v + at);
            o->chroma_alpha[at] = (uint8_t)((alpha + 2) / 4);
        }
    }
}

ck_overlay_10 *ck_overlay_10_prepare(const uint8_t *rgba, ptrdiff_t stride, int32_t width, int32_t height, int32_t odd_x,
                                     int32_t odd_y, const ck_light *light) {
    if (width < 1 || height < 1 || width > 32768 || height > 32768 || (odd_x | odd_y) & ~1) return NULL;
    const int chroma_width = (width + odd_x + 1) / 2, chroma_height = (height + odd_y + 1) / 2;
    const size_t luma = (size_t)width * (size_t)height, chroma = (size_t)chroma_width * (size_t)chroma_height;
    ck_overlay_10 *o = malloc(sizeof *o + 3 * luma + 5 * chroma);
    if (!o) return NULL;
    uint16_t *wide = (uint16_t *)(o + 1);
    uint8_t *narrow = (uint8_t *)(wide + luma + 2 * chroma);
    *o = (ck_overlay_10){.width = width, .height = height, .odd_x = odd_x, .odd_y = odd_y, .chroma_width = chroma_width,
                         .chroma_height = chroma_height, .y = wide, .u = wide + luma, .v = wide + luma + chroma,
                         .alpha = narrow, .chroma_alpha = narrow + luma};
    prepare_luma(o, rgba, stride, light);
    prepare_chroma(o, rgba, stride, light);
    return o;
}

void ck_overlay_10_free(ck_overlay_10 *overlay) { free(overlay); }

/* to = to · (1 − a) + from · a, rounded; a is alpha · opacity in 1/65535. All within 32 bits. */
CK_INLINE void blend_body(uint16_t *to, const uint16_t *from, const uint8_t *alpha, int n, uint32_t opacity) {
    for (int i = 0; i < n; i++) {
        const uint32_t a = (alpha[i] * 257u * opacity + CK_ONE / 2) / CK_ONE;
        to[i] = (uint16_t)((to[i] * (65535u - a) + from[i] * a + 32767u) / 65535u);
    }
}

static void blend_base(uint16_t *restrict to, const uint16_t *restrict from, const uint8_t *restrict alpha, int n,
                       uint32_t opacity) {
    blend_body(to, from, alpha, n, opacity);
}
CK_AVX2 static void blend_avx2(uint16_t *restrict to, const uint16_t *restrict from, const uint8_t *restrict alpha, int n,
                               uint32_t opacity) {
    blend_body(to, from, alpha, n, opacity);
}

/* A floor, also of negative numbers: which chroma sample a pixel belongs to. */
static int64_t half(int64_t x) { return (x - (x & 1)) / 2; }

int32_t ck_overlay_10_blend(ck_picture canvas, const ck_overlay_10 *o, int32_t x, int32_t y, int32_t opacity) {
    if ((x & 1) != o->odd_x || (y & 1) != o->odd_y) return -1;
    const uint32_t strength = (uint32_t)ck_clamp(opacity, 0, CK_ONE);
    if (strength == 0) return 0;
    void (*blend)(uint16_t *, const uint16_t *, const uint8_t *, int, uint32_t) = ck_has_avx2() ? blend_avx2 : blend_base;
    for (int plane = 0; plane < 3; plane++) {
        const int64_t left = plane ? half(x) : x, top = plane ? half(y) : y;
        const int width = plane ? o->chroma_width : o->width, height = plane ? o->chroma_height : o->height;
        const uint16_t *from = plane == 0 ? o->y : plane == 1 ? o->u : o->v;
        const uint8_t *alpha = plane ? o->chroma_alpha : o->alpha;
        const int64_t first = left < 0 ? -left : 0, skip = top < 0 ? -top : 0;
        int64_t last = ck_columns(canvas, plane) - left, end = ck_rows(canvas, plane) - top;
        if (last > width) last = width;
        if (end > height) end = height;
        if (first >= last) continue;
        for (int64_t row = skip; row < end; row++) {
            const int64_t at = row * width + first;
            blend(ck_row_10(canvas, plane, (int)(top + row)) + left + first, from + at, alpha + at, (int)(last - first),
                  strength);
        }
    }
    return 0;
}

int32_t ck_overlay_10_blend_ref(ck_picture canvas, const ck_overlay_10 *o, int32_t x, int32_t y, int32_t opacity) {
    if ((x & 1) != o->odd_x || (y & 1) != o->odd_y) return -1;
    const double strength = ck_clamp(opacity, 0, CK_ONE) / (double)CK_ONE;
    for (int plane = 0; plane < 3; plane++) {
        const int64_t left = plane ? half(x) : x, top = plane ? half(y) : y;
        const int width = plane ? o->chroma_width : o->width, height = plane ? o->chroma_height : o->height;
        for (int row = 0; row < height; row++) {
            for (int column = 0; column < width; column++) {
                const int64_t to_x = left + column, to_y = top + row;
                if (to_x < 0 || to_y < 0 || to_x >= ck_columns(canvas, plane) || to_y >= ck_rows(canvas, plane)) continue;
                const int at = row * width + column;
                const double from = (plane == 0 ? o->y : plane == 1 ? o->u : o->v)[at];
                const double a = (plane ? o->chroma_alpha : o->alpha)[at] / 255.0 * strength;
                uint16_t *to = ck_row_10(canvas, plane, (int)to_y) + to_x;
                *to = (uint16_t)(*to * (1 - a) + from * a + 0.5);
            }
        }
    }
    return 0;
}

void ck_rgbaf_from_srgb(float *out, ptrdiff_t out_stride, const uint8_t *rgba, ptrdiff_t stride, int32_t width, int32_t height,
                        const ck_light *light) {
    memory m = {{-1, -1, -1}, {0, 0, 0}};
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
