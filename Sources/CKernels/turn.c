/* Turns of premultiplied pictures, and the shapes that are cut out of them. */
#include <math.h>
#include "layers.h"

#pragma STDC FP_CONTRACT OFF

/* The weights of four neighbours at `t` (0…1) between the middle two: Catmull and Rom's. */
CK_INLINE void weights_at(float t, float w[4]) {
    const float t2 = t * t, t3 = t2 * t;
    w[0] = 0.5f * (2 * t2 - t3 - t);
    w[1] = 0.5f * (3 * t3 - 5 * t2 + 2);
    w[2] = 0.5f * (4 * t2 - 3 * t3 + t);
    w[3] = 0.5f * (t3 - t2);
}

/* The input as it is sampled: nothing lies around it. */
typedef struct input {
    const float *rgba;
    ptrdiff_t stride;
    int width, height;
} input;

CK_INLINE const float *pixel_at(const input *in, int64_t x, int64_t y) {
    static const float nothing[4];
    if (x < 0 || y < 0 || x >= in->width || y >= in->height) return nothing;
    return ck_row_cf(in->rgba, in->stride, y) + 4 * x;
}

CK_INLINE void turn_row(float *restrict out, int width, const input *in, const ck_affine *map, int y) {
    for (int x = 0; x < width; x++, out += 4) {
        const double u = map->a * x + (map->b * y + map->c), v = map->d * x + (map->e * y + map->f);
        /* What is no number fails the comparison. */
        if (!(u > -2 && v > -2 && u < in->width + 1 && v < in->height + 1)) {
            CK_V4(out) = (ck_v4){0};
            continue;
        }
        const double left = floor(u), top = floor(v);
        const int64_t i = (int64_t)left - 1, j = (int64_t)top - 1;
        float across[4], down[4];
        weights_at((float)(u - left), across);
        weights_at((float)(v - top), down);
        ck_v4 sum = {0};
        if (i >= 0 && j >= 0 && i + 3 < in->width && j + 3 < in->height) {
            for (int k = 0; k < 4; k++) {
                const float *from = ck_row_cf(in->rgba, in->stride, j + k) + 4 * i;
                const ck_v4 row = CK_CV4(from) * across[0] + CK_CV4(from + 4) * across[1] + CK_CV4(from + 8) * across[2]
                                  + CK_CV4(from + 12) * across[3];
                sum += row * down[k];
            }
        } else {
            for (int k = 0; k < 4; k++) {
                const ck_v4 row = CK_CV4(pixel_at(in, i, j + k)) * across[0] + CK_CV4(pixel_at(in, i + 1, j + k)) * across[1]
                                  + CK_CV4(pixel_at(in, i + 2, j + k)) * across[2] + CK_CV4(pixel_at(in, i + 3, j + k)) * across[3];
                sum += row * down[k];
            }
        }
        CK_V4(out) = sum;
        ck_settle(out);
    }
}
static void turn_base(float *out, int width, const input *in, const ck_affine *map, int y) { turn_row(out, width, in, map, y); }
CK_AVX2 static void turn_avx2(float *out, int width, const input *in, const ck_affine *map, int y) {
    turn_row(out, width, in, map, y);
}

void ck_turn_rgba(float *out, ptrdiff_t out_stride, int32_t out_width, int32_t out_height, const float *in, ptrdiff_t in_stride,
                  int32_t in_width, int32_t in_height, ck_affine map) {
    const input source = {in, in_stride, in_width, in_height};
    for (int y = 0; y < out_height; y++)
        (ck_has_avx2() ? turn_avx2 : turn_base)(ck_row_f(out, out_stride, y), out_width, &source, &map, y);
}

static double cubic(double x) {
    x = fabs(x);
    if (x < 1) return 1.5 * x * x * x - 2.5 * x * x + 1;
    return x < 2 ? -0.5 * x * x * x + 2.5 * x * x - 4 * x + 2 : 0;
}

void ck_turn_rgba_ref(float *out, ptrdiff_t out_stride, int32_t out_width, int32_t out_height, const float *in, ptrdiff_t in_stride,
                      int32_t in_width, int32_t in_height, ck_affine map) {
    for (int y = 0; y < out_height; y++)
        for (int x = 0; x < out_width; x++) {
            const double u = map.a * x + map.b * y + map.c, v = map.d * x + map.e * y + map.f;
            double sum[4] = {0, 0, 0, 0};
            for (int j = 0; j < in_height && fabs(v) < 1e9; j++)
                for (int i = 0; i < in_width && fabs(v - j) < 2; i++)
                    for (int c = 0; c < 4; c++)
                        sum[c] += cubic(u - i) * cubic(v - j) * (double)ck_row_cf(in, in_stride, j)[4 * (ptrdiff_t)i + c];
            float *to = ck_row_f(out, out_stride, y) + 4 * (ptrdiff_t)x;
            for (int c = 0; c < 4; c++) to[c] = (float)sum[c];
            ck_settle(to);
        }
}

/* ---- Shapes -------------------------------------------------------------------------------------------------------------------- */

/* How much of the pixel that begins at `at` lies between `low` and `high`. */
static double covered(int at, double low, double high) {
    const double begin = at > low ? at : low, end = at + 1 < high ? at + 1 : high;
    return end > begin ? end - begin : 0;
}

/* How far into the part of a side where a corner's circle rules the middle of the pixel at `at`
 * lies; 0 outside of it. */
static double beyond(int at, double low, double high, double radius) {
    const double middle = at + 0.5, before = low + radius - middle, after = middle - (high - radius);
    const double far = before > after ? before : after;
    return far > 0 ? far : 0;
}

static void scale_pixel(float *pixel, float factor) { CK_V4(pixel) = CK_V4(pixel) * factor; }

void ck_crop_rgba(float *rgba, ptrdiff_t stride, int32_t width, int32_t height, ck_round_rect s) {
    const double side = s.right - s.left < s.bottom - s.top ? s.right - s.left : s.bottom - s.top;
    const double radius = s.radius > side / 2 ? side / 2 : s.radius > 0 ? s.radius : 0;
    for (int y = 0; y < height; y++) {
        float *row = ck_row_f(rgba, stride, y);
        const double down = covered(y, s.top, s.bottom);
        if (!(down > 0)) {
            memset(row, 0, 16 * (size_t)width);
            continue;
        }
        const double into_y = beyond(y, s.top, s.bottom, radius);
        for (int x = 0; x < width; x++) {
            double part = covered(x, s.left, s.right) * down;
            const double into_x = beyond(x, s.left, s.right, radius);
            if (into_x > 0 && into_y > 0) {
                const double inside = radius + 0.5 - sqrt(into_x * into_x + into_y * into_y);
                const double round = inside < 0 ? 0 : inside;
                if (round < part) part = round;
            }
            if (part < 1) scale_pixel(row + 4 * (ptrdiff_t)x, (float)part);
        }
    }
}

CK_INLINE void mask_row(float *restrict rgba, const float *restrict mask, int width, ck_mask_kind kind, int is_inverted) {
    for (int x = 0; x < width; x++, rgba += 4, mask += 4) {
        const float luma = (float)CK_KR * mask[0] + (float)CK_KG * mask[1] + (float)CK_KB * mask[2];
        const float part = ck_within(kind == CK_MASK_LUMA ? luma : mask[3], 1), factor = is_inverted ? 1 - part : part;
        for (int c = 0; c < 4; c++) rgba[c] *= factor;
    }
}
static void mask_base(float *rgba, const float *mask, int width, ck_mask_kind kind, int inverted) {
    mask_row(rgba, mask, width, kind, inverted);
}
CK_AVX2 static void mask_avx2(float *rgba, const float *mask, int width, ck_mask_kind kind, int inverted) {
    mask_row(rgba, mask, width, kind, inverted);
}

void ck_mask_rgba(float *rgba, ptrdiff_t stride, const float *mask, ptrdiff_t mask_stride, int32_t width, int32_t height,
                  ck_mask_kind kind, int32_t is_inverted) {
    for (int y = 0; y < height; y++)
        (ck_has_avx2() ? mask_avx2 : mask_base)(ck_row_f(rgba, stride, y), ck_row_cf(mask, mask_stride, y), width, kind, is_inverted);
}
