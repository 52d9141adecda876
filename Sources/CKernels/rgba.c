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

/* Pixel 2i + 1 lies midway between samples i and i + 1; `last` is the last sample that there is. */
CK_INLINE void add_chroma(additions *add, const uint8_t *u, const uint8_t *v, int n, int last) {
    for (int i = 0; i < (n + 1) / 2; i++) {
        const int next = i < last ? i + 1 : last, base = HALF - 16 * Y_GAIN;
        const int du = u[i] - 128, dv = v[i] - 128, u_sum = du + u[next] - 128, v_sum = dv + v[next] - 128;
        add->red[2 * i] = base + R_V * dv;
        add->green[2 * i] = base - G_U * du - G_V * dv;
        add->blue[2 * i] = base + B_U * du;
        add->red[2 * i + 1] = base + (R_V * v_sum >> 1);
        add->green[2 * i + 1] = base - ((G_U * u_sum + G_V * v_sum) >> 1);
        add->blue[2 * i + 1] = base + (B_U * u_sum >> 1);
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
            add_chroma(&add, ck_row(in, 1, y / 2) + x / 2, ck_row(in, 2, y / 2) + x / 2, n, ck_columns(in, 1) - 1 - x / 2);
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
            const int next = (x + 1) / 2 < ck_columns(in, 1) ? (x + 1) / 2 : x / 2;
            double codes[3] = {ck_row(in, 0, y)[x]};
            for (int c = 1; c < 3; c++) codes[c] = (ck_row(in, c, y / 2)[x / 2] + ck_row(in, c, y / 2)[next]) / 2.0;
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

/* Sums of two rows, so that chroma can add neighbours: those of a stretch of columns, of two before it and two behind. */
typedef struct sums {
    int red[CHUNK + 4], green[CHUNK + 4], blue[CHUNK + 4];
} sums;

CK_INLINE void luma_row(uint8_t *y, const uint8_t *rgba, sums *sum, int n, int first) {
    for (int i = 0; i < n; i++) {
        uint32_t pixel;
        memcpy(&pixel, rgba + 4 * (ptrdiff_t)i, 4);
        const int r = pixel & 255, g = pixel >> 8 & 255, b = pixel >> 16 & 255;
        y[i] = (uint8_t)((Y_R * r + Y_G * g + Y_B * b + (16 << SHIFT) + HALF) >> SHIFT);
        sum->red[i + 2] = (first ? 0 : sum->red[i + 2]) + r;
        sum->green[i + 2] = (first ? 0 : sum->green[i + 2]) + g;
        sum->blue[i + 2] = (first ? 0 : sum->blue[i + 2]) + b;
    }
}

/* The sums of column `x` of the picture, which may lie two columns outside, as sum `i`. */
CK_INLINE void add_column(sums *sum, int i, const uint8_t *upper, const uint8_t *lower, int x, int width) {
    const ptrdiff_t at = 4 * (ptrdiff_t)ck_mirrored(x, width);
    sum->red[i] = upper[at] + lower[at];
    sum->green[i] = upper[at + 1] + lower[at + 1];
    sum->blue[i] = upper[at + 2] + lower[at + 2];
}

/* Four times the mean that a filter gives, or eight times with CK_CHROMA_INVERSE; of sums of two rows so much more. */
CK_INLINE int weighed(const int *sum, int i, ck_chroma_filter filter) {
    const int *at = sum + 2 * i + 2, near = at[-1] + at[1];
    return filter == CK_CHROMA_MEAN ? 2 * at[0] + near : 6 * at[0] + 2 * near - at[-2] - at[2];
}

CK_INLINE void chroma_row(uint8_t *u, uint8_t *v, const sums *sum, int n, ck_chroma_filter filter) {
    const int shift = SHIFT + (filter == CK_CHROMA_MEAN ? 3 : 4), zero = (128 << shift) + (1 << (shift - 1));
    for (int i = 0; i < n; i++) {
        const int r = weighed(sum->red, i, filter), g = weighed(sum->green, i, filter), b = weighed(sum->blue, i, filter);
        u[i] = ck_u8((U_R * r + U_G * g + U_B * b + zero) >> shift);
        v[i] = ck_u8((V_R * r + V_G * g + V_B * b + zero) >> shift);
    }
}

CK_INLINE void from_rgba_body(ck_picture out, const uint8_t *rgba, ptrdiff_t stride, ck_chroma_filter filter) {
    sums sum;
    for (int y = 0; y < out.height; y += 2) {
        const int next = y + 1 < out.height ? y + 1 : y;
        const uint8_t *upper = rgba + y * stride, *lower = rgba + next * stride;
        for (int x = 0; x < out.width; x += CHUNK) {
            const int n = out.width - x < CHUNK ? out.width - x : CHUNK;
            luma_row(ck_row(out, 0, y) + x, upper + 4 * (ptrdiff_t)x, &sum, n, 1);
            luma_row(ck_row(out, 0, next) + x, lower + 4 * (ptrdiff_t)x, &sum, n, 0);
            for (int i = 0; i < 2; i++) {
                add_column(&sum, i, upper, lower, x - 2 + i, out.width);
                add_column(&sum, n + 2 + i, upper, lower, x + n + i, out.width);
            }
            chroma_row(ck_row(out, 1, y / 2) + x / 2, ck_row(out, 2, y / 2) + x / 2, &sum, (n + 1) / 2, filter);
        }
    }
}

#define FROM_RGBA(name, target, filter)                                                                                          \
    target static void name(ck_picture out, const uint8_t *rgba, ptrdiff_t stride) { from_rgba_body(out, rgba, stride, filter); }
FROM_RGBA(from_rgba_mean, , CK_CHROMA_MEAN)
FROM_RGBA(from_rgba_inverse, , CK_CHROMA_INVERSE)
FROM_RGBA(from_rgba_mean_avx2, CK_AVX2, CK_CHROMA_MEAN)
FROM_RGBA(from_rgba_inverse_avx2, CK_AVX2, CK_CHROMA_INVERSE)

void ck_yuv_from_rgba(ck_picture out, const uint8_t *rgba, ptrdiff_t stride, ck_chroma_filter filter) {
    if (filter == CK_CHROMA_MEAN) (ck_has_avx2() ? from_rgba_mean_avx2 : from_rgba_mean)(out, rgba, stride);
    else (ck_has_avx2() ? from_rgba_inverse_avx2 : from_rgba_inverse)(out, rgba, stride);
}

void ck_yuv_from_rgba_ref(ck_picture out, const uint8_t *rgba, ptrdiff_t stride, ck_chroma_filter filter) {
    for (int plane = 0; plane < 3; plane++)
        for (int y = 0; y < ck_rows(out, plane); y++)
            for (int x = 0; x < ck_columns(out, plane); x++) {
                double rgb[3] = {0, 0, 0}, codes[3];
                const int rows = plane ? 2 : 1;
                for (int tap = -2; tap <= 2; tap++) {
                    const double weight = plane ? ck_chroma_weight(tap, filter) : tap == 0;
                    for (int i = 0; i < rows && weight != 0; i++) {
                        const int px = ck_mirrored(x * rows + tap, out.width), py = y * rows + i;
                        const uint8_t *in = rgba + (py < out.height ? py : py - 1) * stride + 4 * (ptrdiff_t)px;
                        for (int c = 0; c < 3; c++) rgb[c] += weight * in[c] / 255.0 / rows;
                    }
                }
                ck_codes_from_rgb(rgb, codes);
                ck_row(out, plane, y)[x] = ck_u8((int)floor(codes[plane] + 0.5));
            }
}
