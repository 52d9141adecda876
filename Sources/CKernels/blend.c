/*
 * Premultiplied pictures over others, by the W3C's "Compositing and Blending Level 1".
 *
 * With αs, αb for the alphas of what lies over and under, cs, cb for their premultiplied colours,
 * and B for the mode's function of straight colours (section 10.1), the result (section 9) is co =
 * (1 − αb) cs + αs αb B + (1 − αs) cb, αo = αs + αb − αs αb. Where B is a polynomial, αs αb B is
 * written with cs and cb, so that nothing is divided.
 */
#include <math.h>
#include "canvas.h"
#include "layers.h"

#pragma STDC FP_CONTRACT OFF

CK_INLINE float least(float a, float b) { return a < b ? a : b; }
CK_INLINE float most(float a, float b) { return a > b ? a : b; }

CK_INLINE float hard_light(float s, float as, float b, float ab) {
    return 2 * s <= as ? 2 * s * b : as * ab - 2 * (ab - b) * (as - s);
}

CK_INLINE float soft_light(float s, float as, float b, float ab) {
    if (!(ab > 0)) return 0;
    const float straight = b / ab;
    if (2 * s <= as) return as * b - (as - 2 * s) * b * (1 - straight);
    const float lifted = straight <= 0.25f ? ((16 * straight - 12) * straight + 4) * straight : sqrtf(straight);
    return as * b + (2 * s - as) * ab * (lifted - straight);
}

/* αs αb B. */
CK_INLINE float mixed(float s, float as, float b, float ab, ck_blend_mode mode) {
    switch (mode) {
    case CK_BLEND_MULTIPLY: return s * b;
    case CK_BLEND_SCREEN: return b * as + s * ab - s * b;
    case CK_BLEND_OVERLAY: return hard_light(b, ab, s, as);
    case CK_BLEND_DARKEN: return least(b * as, s * ab);
    case CK_BLEND_LIGHTEN: return most(b * as, s * ab);
    case CK_BLEND_COLOR_DODGE: return b <= 0 ? 0 : s >= as ? as * ab : least(as * ab, b * as * as / (as - s));
    case CK_BLEND_COLOR_BURN: return b >= ab ? as * ab : s <= 0 ? 0 : as * ab - least(as * ab, (ab - b) * as * as / s);
    case CK_BLEND_HARD_LIGHT: return hard_light(s, as, b, ab);
    case CK_BLEND_SOFT_LIGHT: return soft_light(s, as, b, ab);
    case CK_BLEND_DIFFERENCE: return most(b * as - s * ab, s * ab - b * as);
    case CK_BLEND_EXCLUSION: return b * as + s * ab - 2 * s * b;
    default: return s * ab;
    }
}

CK_INLINE void blend_row(float *restrict onto, const float *restrict over, int width, float opacity, ck_blend_mode mode) {
    for (int x = 0; x < width; x++, onto += 4, over += 4) {
        const float as = over[3] * opacity, ab = onto[3];
        const float ao = mode == CK_BLEND_PLUS_LIGHTER ? least(1, as + ab) : as + (1 - as) * ab;
        for (int c = 0; c < 3; c++) {
            const float s = over[c] * opacity, b = onto[c];
            const float sum = mode == CK_BLEND_NORMAL         ? s + (1 - as) * b
                              : mode == CK_BLEND_PLUS_LIGHTER ? s + b
                                                              : (1 - ab) * s + mixed(s, as, b, ab, mode) + (1 - as) * b;
            onto[c] = ck_within(sum, ao);
        }
        onto[3] = ao;
    }
}

/* One function for each mode, so that each is vectorised by itself. */
typedef void blender(float *, const float *, int, float);
#define MODES(M)                                                                                                       \
    M(NORMAL) M(MULTIPLY) M(SCREEN) M(OVERLAY) M(DARKEN) M(LIGHTEN) M(COLOR_DODGE) M(COLOR_BURN) M(HARD_LIGHT) M(SOFT_LIGHT) \
    M(DIFFERENCE) M(EXCLUSION) M(PLUS_LIGHTER)
#define DEFINE(MODE)                                                                       \
    static void base_##MODE(float *onto, const float *over, int width, float opacity) {    \
        blend_row(onto, over, width, opacity, CK_BLEND_##MODE);                            \
    }                                                                                      \
    CK_AVX2 static void avx2_##MODE(float *onto, const float *over, int width, float opacity) { \
        blend_row(onto, over, width, opacity, CK_BLEND_##MODE);                            \
    }
MODES(DEFINE)
#define BASE(MODE) [CK_BLEND_##MODE] = base_##MODE,
#define FAST(MODE) [CK_BLEND_##MODE] = avx2_##MODE,
static blender *const blenders[2][CK_BLEND_MODES] = {{MODES(BASE)}, {MODES(FAST)}};

void ck_blend_rgba(float *onto, ptrdiff_t onto_stride, const float *over, ptrdiff_t over_stride, int32_t width, int32_t height,
                   float opacity, ck_blend_mode mode) {
    if (mode < 0 || mode >= CK_BLEND_MODES || !(opacity > 0)) return;
    blender *const blend = blenders[ck_has_avx2() != 0][mode];
    for (int y = 0; y < height; y++)
        blend(ck_row_f(onto, onto_stride, y), ck_row_cf(over, over_stride, y), width, opacity < 1 ? opacity : 1);
}

void ck_blend_row(float *onto, const float *over, int32_t width, float opacity, ck_blend_mode mode) {
    blenders[ck_has_avx2() != 0][mode](onto, over, width, opacity);
}

/* ---- The specification, in double precision -------------------------------------------------------------------------------------- */

static double exact_hard_light(double s, double b) {
    if (s <= 0.5) return b * 2 * s;
    return b + (2 * s - 1) - b * (2 * s - 1);
}

static double exact_mode(double s, double b, ck_blend_mode mode) {
    switch (mode) {
    case CK_BLEND_MULTIPLY: return b * s;
    case CK_BLEND_SCREEN: return b + s - b * s;
    case CK_BLEND_OVERLAY: return exact_hard_light(b, s);
    case CK_BLEND_DARKEN: return fmin(b, s);
    case CK_BLEND_LIGHTEN: return fmax(b, s);
    case CK_BLEND_COLOR_DODGE: return b == 0 ? 0 : s == 1 ? 1 : fmin(1, b / (1 - s));
    case CK_BLEND_COLOR_BURN: return b == 1 ? 1 : s == 0 ? 0 : 1 - fmin(1, (1 - b) / s);
    case CK_BLEND_HARD_LIGHT: return exact_hard_light(s, b);
    case CK_BLEND_SOFT_LIGHT: {
        if (s <= 0.5) return b - (1 - 2 * s) * b * (1 - b);
        const double d = b <= 0.25 ? ((16 * b - 12) * b + 4) * b : sqrt(b);
        return b + (2 * s - 1) * (d - b);
    }
    case CK_BLEND_DIFFERENCE: return fabs(b - s);
    case CK_BLEND_EXCLUSION: return b + s - 2 * b * s;
    default: return s;
    }
}

void ck_blend_exact(const double under[4], const double over[4], double opacity, ck_blend_mode mode, double out[4]) {
    const double as = over[3] * opacity, ab = under[3];
    if (mode == CK_BLEND_PLUS_LIGHTER) {
        for (int c = 0; c < 4; c++) out[c] = fmin(1, over[c] * opacity + under[c]);
        return;
    }
    out[3] = as + ab - as * ab;
    for (int c = 0; c < 3; c++) {
        const double s = over[3] > 0 ? over[c] / over[3] : 0, b = ab > 0 ? under[c] / ab : 0;
        const double colour = (1 - ab) * s + ab * exact_mode(s, b, mode);
        out[c] = as * colour + (1 - as) * ab * b;
    }
}
