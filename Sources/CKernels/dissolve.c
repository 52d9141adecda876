/* Dissolve, and fade through black: both mix rows of bytes with weights in 1/256. */
#include "internal.h"

static const uint8_t black[3] = {16, 128, 128};

/* `w` is b's weight. 256 · 255 + 128 fits 16 bits, which is what makes this fast. */
CK_INLINE void mix_body(uint8_t *out, const uint8_t *a, const uint8_t *b, int n, uint16_t w) {
    const uint16_t wa = (uint16_t)(256 - w);
    for (int i = 0; i < n; i++) out[i] = (uint8_t)((uint16_t)(a[i] * wa + b[i] * w + 128) >> 8);
}

CK_INLINE void mix_value_body(uint8_t *out, const uint8_t *a, uint8_t b, int n, uint16_t w) {
    const uint16_t wa = (uint16_t)(256 - w), bw = (uint16_t)(b * w + 128);
    for (int i = 0; i < n; i++) out[i] = (uint8_t)((uint16_t)(a[i] * wa + bw) >> 8);
}

static void mix_base(uint8_t *out, const uint8_t *a, const uint8_t *b, int n, uint16_t w) {
    mix_body(out, a, b, n, w);
}
CK_AVX2 static void mix_avx2(uint8_t *out, const uint8_t *a, const uint8_t *b, int n, uint16_t w) {
    mix_body(out, a, b, n, w);
}
static void mix_value_base(uint8_t *out, const uint8_t *a, uint8_t b, int n, uint16_t w) {
    mix_value_body(out, a, b, n, w);
}
CK_AVX2 static void mix_value_avx2(uint8_t *out, const uint8_t *a, uint8_t b, int n, uint16_t w) {
    mix_value_body(out, a, b, n, w);
}

static void copy_row(uint8_t *out, const uint8_t *in, int n) {
    if (out != in) memcpy(out, in, (size_t)n);
}

static int weight(int32_t p, int scale) { return (int)(((int64_t)ck_clamp(p, 0, CK_ONE) * scale + CK_ONE / 2) / CK_ONE); }

void ck_dissolve(ck_picture out, ck_picture a, ck_picture b, int32_t p) {
    const int w = weight(p, 256);
    void (*mix)(uint8_t *, const uint8_t *, const uint8_t *, int, uint16_t) = ck_has_avx2() ? mix_avx2 : mix_base;
    for (int plane = 0; plane < 3; plane++) {
        const int n = ck_columns(out, plane), rows = ck_rows(out, plane);
        for (int y = 0; y < rows; y++) {
            uint8_t *to = ck_row(out, plane, y);
            const uint8_t *from = ck_row(a, plane, y), *next = ck_row(b, plane, y);
            if (w == 0) copy_row(to, from, n);
            else if (w == 256) copy_row(to, next, n);
            else mix(to, from, next, n, (uint16_t)w);
        }
    }
}

void ck_fade_black(ck_picture out, ck_picture a, ck_picture b, int32_t p) {
    const int w = weight(p, 512);
    const ck_picture in = w <= 256 ? a : b;
    const int dark = w <= 256 ? w : 512 - w;
    void (*mix)(uint8_t *, const uint8_t *, uint8_t, int, uint16_t) = ck_has_avx2() ? mix_value_avx2 : mix_value_base;
    for (int plane = 0; plane < 3; plane++) {
        const int n = ck_columns(out, plane), rows = ck_rows(out, plane);
        for (int y = 0; y < rows; y++) {
            if (dark == 0) copy_row(ck_row(out, plane, y), ck_row(in, plane, y), n);
            else mix(ck_row(out, plane, y), ck_row(in, plane, y), black[plane], n, (uint16_t)dark);
        }
    }
}

void ck_dissolve_ref(ck_picture out, ck_picture a, ck_picture b, int32_t p) {
    const int w = weight(p, 256);
    for (int plane = 0; plane < 3; plane++)
        for (int y = 0; y < ck_rows(out, plane); y++)
            for (int x = 0; x < ck_columns(out, plane); x++) {
                const int from = ck_row(a, plane, y)[x], to = ck_row(b, plane, y)[x];
                ck_row(out, plane, y)[x] = (uint8_t)((from * (256 - w) + to * w + 128) / 256);
            }
}

void ck_fade_black_ref(ck_picture out, ck_picture a, ck_picture b, int32_t p) {
    const int w = weight(p, 512), dark = w <= 256 ? w : 512 - w;
    for (int plane = 0; plane < 3; plane++)
        for (int y = 0; y < ck_rows(out, plane); y++)
            for (int x = 0; x < ck_columns(out, plane); x++) {
                const int in = ck_row(w <= 256 ? a : b, plane, y)[x];
                ck_row(out, plane, y)[x] = (uint8_t)((in * (256 - dark) + black[plane] * dark + 128) / 256);
            }
}
