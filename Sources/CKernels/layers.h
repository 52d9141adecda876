/* Shared by the kernels for premultiplied floats. */
#ifndef CK_LAYERS_H
#define CK_LAYERS_H

#include "ckernels_layers.h"
#include "internal.h"

/* One pixel, and two neighbours, wherever floats lie in memory. Where a processor has no vectors
 * this wide, the compiler takes narrower ones: each lane is calculated the same. Not for arguments
 * and results of functions, whose ABI depends on the processor. */
typedef float ck_v4 __attribute__((vector_size(16), aligned(4), may_alias));
typedef float ck_v8 __attribute__((vector_size(32), aligned(4), may_alias));
#define CK_V4(pointer) (*(ck_v4 *)(void *)(pointer))
#define CK_CV4(pointer) (*(const ck_v4 *)(const void *)(pointer))
#define CK_V8(pointer) (*(ck_v8 *)(void *)(pointer))
#define CK_CV8(pointer) (*(const ck_v8 *)(const void *)(pointer))

CK_INLINE float *ck_row_f(float *rgba, ptrdiff_t stride, int64_t y) { return (float *)(void *)((uint8_t *)rgba + y * stride); }
CK_INLINE const float *ck_row_cf(const float *rgba, ptrdiff_t stride, int64_t y) {
    return (const float *)(const void *)((const uint8_t *)rgba + y * stride);
}

/* 0…most; what is no number is 0. */
CK_INLINE float ck_within(float x, float most) { return x > 0 ? x < most ? x : most : 0; }

/* Makes what a filter with negative weights gives a premultiplied pixel again. Where such a filter
 * overshoots an edge of alpha, it overshoots in colour by the same factor. Both are divided by it:
 * to cut off alpha alone would leave a rim in another colour. */
CK_INLINE void ck_settle(float *pixel) {
    const float factor = pixel[3] > 1 ? 1 / pixel[3] : 1;
    pixel[3] = ck_within(pixel[3], 1);
    for (int c = 0; c < 3; c++) pixel[c] = ck_within(pixel[c] * factor, pixel[3]);
}

int ck_resampling_is_sound(const ck_resampling *r);

/* One pixel of a picture, premultiplied. */
typedef void (*ck_pixel_reader)(double pixel[4], const void *picture, int x, int y);
/* The definition of resampling, in double precision. `settles`: values outside of a premultiplied
 * pixel's range are clipped. */
void ck_resample_exactly(float *out, ptrdiff_t out_stride, const void *in, ck_pixel_reader read, ck_resampling r, int settles);

#endif
