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

/* What chroma adds to each channel of a stretch of pixels, rounding and the black level included.
 */
typedef struct additions {
    int red[CHUNK], green[CHUNK], blue[CHUNK];
} additions;

/* Sets the additions of pixels 2i and 2i + 1, which lie at sample i and between it and the `next`
 * one. */
CK_INLINE void add_pair(additions *add, int i, const uint8_t *u, const uint8_t *v, int next, int share) {
    const int base = HALF - 16 * Y_GAIN, du = u[i] - 128, dv = v[i] - 128;
    const int u_odd = share * du + (256 - share) * (u[next] - 128), v_odd = share * dv + (256 - share) * (v[next] - 128);
    add->red[2 * i] = base + R_V * dv;
    add->green[2 * i] = base - G_U * du - G_V * dv;
    add->blue[2 * i] = base + B_U * du;
    add->red[2 * i + 1] = base + (R_V * v_odd >> 8);
    add->green[2 * i + 1] = base - ((G_U * u_odd + G_V * v_odd) >> 8);
    add->blue[2 * i + 1] = base + (B_U * u_odd >> 8);
}

/* - `has_next`: whether luma and chroma go on behind the `n` pixels. */
CK_INLINE void add_chroma(additions *add, const uint8_t *y, const uint8_t *u, const uint8_t *v, int n, int has_next) {
    const int pairs = (n + 1) / 2, inner = has_next ? pairs : pairs - 1;
    for (int i = 0; i < inner; i++)
        add_pair(add, i, u, v, i + 1, ck_share_of_left(4 * y[2 * i], 4 * y[2 * i + 1], 4 * y[2 * i + 2]));
    if (!has_next) add_pair(add, inner, u, v, inner, 128);
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
    for (int y = 0; y < in.height; y++) {
        for (int x = 0; x < in.width; x += CHUNK) {
            const int n = in.width - x < CHUNK ? in.width - x : CHUNK;
            const uint8_t *luma = ck_row(in, 0, y) + x;
            add_chroma(&add, luma, ck_row(in, 1, y / 2) + x / 2, ck_row(in, 2, y / 2) + x / 2, n, x + n < in.width);
            rgba_row(rgba + y * stride + 4 * (ptrdiff_t)x, luma, &add, n);
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
            const uint8_t *luma = ck_row(in, 0, y);
            const int next = (x + 1) / 2 < ck_columns(in, 1) ? (x + 1) / 2 : x / 2;
            const double share = next > x / 2 ? ck_share_ref(luma[x - 1], luma[x], luma[x + 1]) : 1;
            double codes[3] = {luma[x]};
            for (int c = 1; c < 3; c++)
                codes[c] = share * ck_row(in, c, y / 2)[x / 2] + (1 - share) * ck_row(in, c, y / 2)[next];
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

/* A stretch of a row with two columns before it and two behind; luma has SHIFT bits of fraction. */
typedef struct stretch {
    int red[CHUNK + 4], green[CHUNK + 4], blue[CHUNK + 4], luma[CHUNK + 4];
} stretch;

/* Sums for samples of chroma over the pixels that have a share in them. */
typedef struct sums {
    int red[CHUNK / 2], green[CHUNK / 2], blue[CHUNK / 2];
} sums;

CK_INLINE void read_pixel(stretch *row, int i, const uint8_t *rgba) {
    uint32_t pixel;
    memcpy(&pixel, rgba, 4);
    const int r = pixel & 255, g = pixel >> 8 & 255, b = pixel >> 16 & 255;
    row->red[i] = r, row->green[i] = g, row->blue[i] = b;
    row->luma[i] = Y_R * r + Y_G * g + Y_B * b;
}

/* Reads `n` pixels from column `x` of a row of `width`, and writes their luma. */
CK_INLINE void read_row(stretch *restrict row, uint8_t *restrict y, const uint8_t *restrict rgba, int x, int n, int width) {
    for (int i = 0; i < n; i++) {
        read_pixel(row, i + 2, rgba + 4 * ((ptrdiff_t)x + i));
        y[i] = (uint8_t)((row->luma[i + 2] + (16 << SHIFT) + HALF) >> SHIFT);
    }
    for (int i = 0; i < 2; i++) {
        read_pixel(row, i, rgba + 4 * (ptrdiff_t)ck_mirrored(x - 2 + i, width));
        read_pixel(row, n + 2 + i, rgba + 4 * (ptrdiff_t)ck_mirrored(x + n + i, width));
    }
}

CK_INLINE void add_mean(int *restrict sum, const int *restrict row, int pairs) {
    for (int i = 0; i < pairs; i++) sum[i] += row[2 * i + 1] + 2 * row[2 * i + 2] + row[2 * i + 3];
}

/* The share of the left neighbour in each pixel of an odd column, from the one before the stretch
 * to the last of it. */
CK_INLINE void find_shares(int *restrict share, const stretch *row, int pairs) {
    const int *luma = row->luma, shift = SHIFT - 2;
    for (int i = 0; i <= pairs; i++)
        share[i] = ck_share_of_left(luma[2 * i] >> shift, luma[2 * i + 1] >> shift, luma[2 * i + 2] >> shift);
}

/* Adds what the pixels of even columns have, and a quarter of what the odd ones beside them have
 * beyond their interpolation. */
CK_INLINE void add_inverse(int *restrict sum, const int *restrict row, const int *restrict share, int pairs) {
    int rest[CHUNK / 2 + 1];
    for (int i = 0; i <= pairs; i++)
        rest[i] = 256 * row[2 * i + 1] - share[i] * row[2 * i] - (256 - share[i]) * row[2 * i + 2];
    for (int i = 0; i < pairs; i++) sum[i] += 1024 * row[2 * i + 2] + rest[i] + rest[i + 1];
}

CK_INLINE void add_row(sums *sum, const stretch *row, int pairs, ck_chroma_filter filter) {
    if (filter == CK_CHROMA_MEAN) {
        add_mean(sum->red, row->red, pairs);
        add_mean(sum->green, row->green, pairs);
        add_mean(sum->blue, row->blue, pairs);
    } else {
        int share[CHUNK / 2 + 1];
        find_shares(share, row, pairs);
        add_inverse(sum->red, row->red, share, pairs);
        add_inverse(sum->green, row->green, share, pairs);
        add_inverse(sum->blue, row->blue, share, pairs);
    }
}

CK_INLINE void chroma_row(uint8_t *u, uint8_t *v, const sums *sum, int pairs, ck_chroma_filter filter) {
    /* Sums are 8 or 2048 times the mean; the latter lose bits that are worth less than the
     * coefficients' own error. */
    const int bits = filter == CK_CHROMA_MEAN ? 3 : 6, spare = filter == CK_CHROMA_MEAN ? 0 : 5;
    const int shift = SHIFT + bits, zero = (128 << shift) + (1 << (shift - 1));
    for (int i = 0; i < pairs; i++) {
        const int r = sum->red[i] >> spare, g = sum->green[i] >> spare, b = sum->blue[i] >> spare;
        u[i] = ck_u8((U_R * r + U_G * g + U_B * b + zero) >> shift);
        v[i] = ck_u8((V_R * r + V_G * g + V_B * b + zero) >> shift);
    }
}

CK_INLINE void from_rgba_body(ck_picture out, const uint8_t *rgba, ptrdiff_t stride, ck_chroma_filter filter) {
    stretch row;
    for (int y = 0; y < out.height; y += 2) {
        for (int x = 0; x < out.width; x += CHUNK) {
            const int n = out.width - x < CHUNK ? out.width - x : CHUNK, pairs = (n + 1) / 2;
            sums sum = {0};
            for (int i = y; i < y + 2; i++) {
                const int there = i < out.height ? i : y;
                read_row(&row, ck_row(out, 0, there) + x, rgba + there * stride, x, n, out.width);
                add_row(&sum, &row, pairs, filter);
            }
            chroma_row(ck_row(out, 1, y / 2) + x / 2, ck_row(out, 2, y / 2) + x / 2, &sum, pairs, filter);
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
                double sum[3] = {0, 0, 0}, codes[3];
                const int rows = plane ? 2 : 1;
                for (int i = 0; i < rows; i++) {
                    const int there = y * rows + i < out.height ? y * rows + i : y * rows;
                    double pixels[5][3], luma[5], rgb[3];
                    for (int tap = 0; tap < 5; tap++) {
                        const uint8_t *in = rgba + there * stride + 4 * (ptrdiff_t)ck_mirrored(x * rows + tap - 2, out.width);
                        for (int c = 0; c < 3; c++) pixels[tap][c] = in[c] / 255.0;
                        ck_codes_from_rgb(pixels[tap], codes);
                        luma[tap] = codes[0];
                    }
                    if (plane) ck_filter_ref(rgb, pixels, luma, filter);
                    else memcpy(rgb, pixels[2], sizeof rgb);
                    for (int c = 0; c < 3; c++) sum[c] += rgb[c] / rows;
                }
                ck_codes_from_rgb(sum, codes);
                ck_row(out, plane, y)[x] = ck_u8((int)floor(codes[plane] + 0.5));
            }
}
