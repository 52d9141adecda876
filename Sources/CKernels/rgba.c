/* Between the canvas and RGBA, in fixed point with 14 bits of fraction. */
#include <math.h>
#include "internal.h"

enum { SHIFT = 14, HALF = 1 << (SHIFT - 1), CHUNK = 256 };
#define FIXED(x) ((int)((x) * (1 << SHIFT) + ((x) < 0 ? -0.5 : 0.5)))

/* ---- To RGBA ------------------------------------------------------------------------------------------------------------- */

enum {
    Y_GAIN = FIXED(255.0 / 219),
    R_V = FIXED(CK_V_SCALE * 255 / 224),
    G_U = FIXED(CK_U_SCALE * CK_KB / CK_KG * 255 / 224),
    G_V = FIXED(CK_V_SCALE * CK_KR / CK_KG * 255 / 224),
    B_U = FIXED(CK_U_SCALE * 255 / 224),
};

/* What chroma adds to each channel of a stretch of pixels, rounding and the black level included. */
typedef struct additions {
    int red[CHUNK], green[CHUNK], blue[CHUNK];
} additions;

CK_INLINE void add_chroma(additions *add, const uint8_t *u, const uint8_t *v, int n) {
    for (int i = 0; i < (n + 1) / 2; i++) {
        const int du = u[i] - 128, dv = v[i] - 128, base = HALF - 16 * Y_GAIN;
        add->red[2 * i] = add->red[2 * i + 1] = base + R_V * dv;
        add->green[2 * i] = add->green[2 * i + 1] = base - G_U * du - G_V * dv;
        add->blue[2 * i] = add->blue[2 * i + 1] = base + B_U * du;
    }
}

CK_INLINE void rgba_row(uint8_t *out, const uint8_t *y, const additions *add, int n) {
    for (int i = 0; i < n; i++) {
        const int luma = Y_GAIN * y[i];
        const int r = ck_clamp((luma + add->red[i]) >> SHIFT, 0, 255);
        const int g = ck_clamp((luma + add->green[i]) >> SHIFT, 0, 255);
        const int b = ck_clamp((luma + add->blue[i]) >> SHIFT, 0, 255);
        const uint32_t pixel = (uint32_t)r | (uint32_t)g << 8 | (uint32_t)b << 16 | 0xff000000u;
        memcpy(out + 4 * (ptrdiff_t)i, &pixel, 4);
    }
}

CK_INLINE void to_rgba_body(uint8_t *rgba, ptrdiff_t stride, ck_picture in) {
    additions add;
    for (int y = 0; y < in.height; y += 2) {
        for (int x = 0; x < in.width; x += CHUNK) {
            const int n = in.width - x < CHUNK ? in.width - x : CHUNK;
            add_chroma(&add, ck_row(in, 1, y / 2) + x / 2, ck_row(in, 2, y / 2) + x / 2, n);
            for (int row = y; row < y + 2 && row < in.height; row++)
                rgba_row(rgba + row * stride + 4 * (ptrdiff_t)x, ck_row(in, 0, row) + x, &add, n);
        }
    }
}

static void to_rgba_base(uint8_t *rgba, ptrdiff_t stride, ck_picture in) { to_rgba_body(rgba, stride, in); }
CK_AVX2 static void to_rgba_avx2(uint8_t *rgba, ptrdiff_t stride, ck_picture in) { to_rgba_body(rgba, stride, in); }

void ck_rgba_from_yuv(uint8_t *rgba, ptrdiff_t stride, ck_picture in) {
    (ck_has_avx2() ? to_rgba_avx2 : to_rgba_base)(rgba, stride, in);
}

void ck_rgba_from_yuv_ref(uint8_t *rgba, ptrdiff_t stride, ck_picture in) {
    for (int y = 0; y < in.height; y++)
        for (int x = 0; x < in.width; x++) {
            const double codes[3] = {ck_row(in, 0, y)[x], ck_row(in, 1, y / 2)[x / 2], ck_row(in, 2, y / 2)[x / 2]};
            double rgb[3];
            ck_rgb_from_codes(codes, rgb);
            uint8_t *out = rgba + y * stride + 4 * (ptrdiff_t)x;
            for (int c = 0; c < 3; c++) out[c] = ck_u8((int)floor(rgb[c] * 255 + 0.5));
            out[3] = 255;
        }
}

/* ---- From RGBA ----------------------------------------------------------------------------------------------------------- */

enum {
    Y_R = FIXED(CK_KR * 219 / 255), Y_G = FIXED(CK_KG * 219 / 255), Y_B = FIXED(CK_KB * 219 / 255),
    U_R = FIXED(-CK_KR / CK_U_SCALE * 224 / 255), U_G = FIXED(-CK_KG / CK_U_SCALE * 224 / 255),
    U_B = FIXED((1 - CK_KB) / CK_U_SCALE * 224 / 255),
    V_R = FIXED((1 - CK_KR) / CK_V_SCALE * 224 / 255), V_G = FIXED(-CK_KG / CK_V_SCALE * 224 / 255),
    V_B = FIXED(-CK_KB / CK_V_SCALE * 224 / 255),
};

/* Sums of two rows, so that chroma can add neighbours; one column more for an odd width. */
typedef struct sums {
    int red[CHUNK + 1], green[CHUNK + 1], blue[CHUNK + 1];
} sums;

CK_INLINE void luma_row(uint8_t *y, const uint8_t *rgba, sums *sum, int n, int first) {
    for (int i = 0; i < n; i++) {
        uint32_t pixel;
        memcpy(&pixel, rgba + 4 * (ptrdiff_t)i, 4);
        const int r = pixel & 255, g = pixel >> 8 & 255, b = pixel >> 16 & 255;
        y[i] = (uint8_t)((Y_R * r + Y_G * g + Y_B * b + (16 << SHIFT) + HALF) >> SHIFT);
        sum->red[i] = (first ? 0 : sum->red[i]) + r;
        sum->green[i] = (first ? 0 : sum->green[i]) + g;
        sum->blue[i] = (first ? 0 : sum->blue[i]) + b;
    }
}

CK_INLINE void chroma_row(uint8_t *u, uint8_t *v, const sums *sum, int n) {
    for (int i = 0; i < n; i++) {
        const int r = sum->red[2 * i] + sum->red[2 * i + 1], g = sum->green[2 * i] + sum->green[2 * i + 1];
        const int b = sum->blue[2 * i] + sum->blue[2 * i + 1];
        /* Four pixels: two bits more. */
        const int zero = (128 << (SHIFT + 2)) + (HALF << 2);
        u[i] = (uint8_t)((U_R * r + U_G * g + U_B * b + zero) >> (SHIFT + 2));
        v[i] = (uint8_t)((V_R * r + V_G * g + V_B * b + zero) >> (SHIFT + 2));
    }
}

CK_INLINE void from_rgba_body(ck_picture out, const uint8_t *rgba, ptrdiff_t stride) {
    sums sum;
    for (int y = 0; y < out.height; y += 2) {
        const int next = y + 1 < out.height ? y + 1 : y;
        for (int x = 0; x < out.width; x += CHUNK) {
            const int n = out.width - x < CHUNK ? out.width - x : CHUNK;
            luma_row(ck_row(out, 0, y) + x, rgba + y * stride + 4 * (ptrdiff_t)x, &sum, n, 1);
            luma_row(ck_row(out, 0, next) + x, rgba + next * stride + 4 * (ptrdiff_t)x, &sum, n, 0);
            sum.red[n] = sum.red[n - 1], sum.green[n] = sum.green[n - 1], sum.blue[n] = sum.blue[n - 1];
            chroma_row(ck_row(out, 1, y / 2) + x / 2, ck_row(out, 2, y / 2) + x / 2, &sum, (n + 1) / 2);
        }
    }
}

static void from_rgba_base(ck_picture out, const uint8_t *rgba, ptrdiff_t stride) {
    from_rgba_body(out, rgba, stride);
}
CK_AVX2 static void from_rgba_avx2(ck_picture out, const uint8_t *rgba, ptrdiff_t stride) {
    from_rgba_body(out, rgba, stride);
}

void ck_yuv_from_rgba(ck_picture out, const uint8_t *rgba, ptrdiff_t stride) {
    (ck_has_avx2() ? from_rgba_avx2 : from_rgba_base)(out, rgba, stride);
}

void ck_yuv_from_rgba_ref(ck_picture out, const uint8_t *rgba, ptrdiff_t stride) {
    for (int plane = 0; plane < 3; plane++)
        for (int y = 0; y < ck_rows(out, plane); y++)
            for (int x = 0; x < ck_columns(out, plane); x++) {
                double rgb[3] = {0, 0, 0}, codes[3];
                const int side = plane ? 2 : 1;
                for (int i = 0; i < side * side; i++) {
                    const int px = x * side + i % side, py = y * side + i / side;
                    const uint8_t *in = rgba + (py < out.height ? py : py - 1) * stride
                        + 4 * (ptrdiff_t)(px < out.width ? px : px - 1);
                    for (int c = 0; c < 3; c++) rgb[c] += in[c] / 255.0 / (side * side);
                }
                ck_codes_from_rgb(rgb, codes);
                ck_row(out, plane, y)[x] = ck_u8((int)floor(codes[plane] + 0.5));
            }
}
