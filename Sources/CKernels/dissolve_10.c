/* Dissolve, and fade through black, for 10 bits: rows of 16-bit samples are mixed with weights in
 * 1/65536, which 32 bits hold. */
#include "hdr.h"

static const uint16_t black[3] = {64, 512, 512};

CK_INLINE uint16_t mix(uint32_t a, uint32_t b, uint32_t w) {
    return (uint16_t)((a * (CK_ONE - w) + b * w + CK_ONE / 2) / CK_ONE);
}

CK_INLINE void mix_body(uint16_t *out, const uint16_t *a, const uint16_t *b, int n, uint32_t w) {
    for (int i = 0; i < n; i++) out[i] = mix(a[i], b[i], w);
}

CK_INLINE void mix_value_body(uint16_t *out, const uint16_t *a, uint16_t b, int n, uint32_t w) {
    for (int i = 0; i < n; i++) out[i] = mix(a[i], b, w);
}

static void mix_base(uint16_t *out, const uint16_t *a, const uint16_t *b, int n, uint32_t w) { mix_body(out, a, b, n, w); }
CK_AVX2 static void mix_avx2(uint16_t *out, const uint16_t *a, const uint16_t *b, int n, uint32_t w) {
    mix_body(out, a, b, n, w);
}
static void mix_value_base(uint16_t *out, const uint16_t *a, uint16_t b, int n, uint32_t w) {
    mix_value_body(out, a, b, n, w);
}
CK_AVX2 static void mix_value_avx2(uint16_t *out, const uint16_t *a, uint16_t b, int n, uint32_t w) {
    mix_value_body(out, a, b, n, w);
}

static void copy_row(uint16_t *out, const uint16_t *in, int n) {
    if (out != in) memcpy(out, in, 2 * (size_t)n);
}

void ck_dissolve_10(ck_picture out, ck_picture a, ck_picture b, int32_t p) {
    const uint32_t w = (uint32_t)ck_clamp(p, 0, CK_ONE);
    void (*mix)(uint16_t *, const uint16_t *, const uint16_t *, int, uint32_t) = ck_has_avx2() ? mix_avx2 : mix_base;
    for (int plane = 0; plane < 3; plane++) {
        const int n = ck_columns(out, plane), rows = ck_rows(out, plane);
        for (int y = 0; y < rows; y++) {
            uint16_t *to = ck_row_10(out, plane, y);
            const uint16_t *from = ck_row_10(a, plane, y), *next = ck_row_10(b, plane, y);
            if (w == 0) copy_row(to, from, n);
            else if (w == CK_ONE) copy_row(to, next, n);
            else mix(to, from, next, n, w);
        }
    }
}

/* The picture that a fade shows, and how much of black is over it. */
static uint32_t darkness(int32_t p, int *is_new) {
    const uint32_t w = 2 * (uint32_t)ck_clamp(p, 0, CK_ONE);
    *is_new = w > CK_ONE;
    return *is_new ? 2 * CK_ONE - w : w;
}

void ck_fade_black_10(ck_picture out, ck_picture a, ck_picture b, int32_t p) {
    int is_new;
    const uint32_t dark = darkness(p, &is_new);
    const ck_picture in = is_new ? b : a;
    void (*mix)(uint16_t *, const uint16_t *, uint16_t, int, uint32_t) = ck_has_avx2() ? mix_value_avx2 : mix_value_base;
    for (int plane = 0; plane < 3; plane++) {
        const int n = ck_columns(out, plane), rows = ck_rows(out, plane);
        for (int y = 0; y < rows; y++) {
            if (dark == 0) copy_row(ck_row_10(out, plane, y), ck_row_10(in, plane, y), n);
            else mix(ck_row_10(out, plane, y), ck_row_10(in, plane, y), black[plane], n, dark);
        }
    }
}

/* The references: the formulas in double precision. */

static uint16_t exact(double a, double b, double share) { return (uint16_t)(a * (1 - share) + b * share + 0.5); }

void ck_dissolve_10_ref(ck_picture out, ck_picture a, ck_picture b, int32_t p) {
    const double share = ck_clamp(p, 0, CK_ONE) / (double)CK_ONE;
    for (int plane = 0; plane < 3; plane++)
        for (int y = 0; y < ck_rows(out, plane); y++)
            for (int x = 0; x < ck_columns(out, plane); x++)
                ck_row_10(out, plane, y)[x] = exact(ck_row_10(a, plane, y)[x], ck_row_10(b, plane, y)[x], share);
}

void ck_fade_black_10_ref(ck_picture out, ck_picture a, ck_picture b, int32_t p) {
    const double way = 2.0 * ck_clamp(p, 0, CK_ONE) / CK_ONE, dark = way <= 1 ? way : 2 - way;
    for (int plane = 0; plane < 3; plane++)
        for (int y = 0; y < ck_rows(out, plane); y++)
            for (int x = 0; x < ck_columns(out, plane); x++)
                ck_row_10(out, plane, y)[x] = exact(ck_row_10(way <= 1 ? a : b, plane, y)[x], black[plane], dark);
}
