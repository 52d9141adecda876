/* Shared by the kernels that paint on a canvas. */
#ifndef CK_CANVAS_H
#define CK_CANVAS_H

#include "ckernels_canvas.h"
#include "internal.h"

/* Bits of fraction of chroma at full resolution: a code of 8 bits has 6 of them, one of 10 bits 4.
 * Upsampled codes reach twice as far from grey as codes do, so every value lies within ±16384. */
CK_INLINE int ck_chroma_fraction(int bits) { return 14 - bits; }
enum { CK_CHROMA_MOST = 16384 };

/* Makes the chroma that pixels [first, end) of a row share available at full resolution. The pixels
 * lie in the picture. */
void ck_canvas_open(ck_canvas *canvas, int32_t y, int32_t first, int32_t end);

CK_INLINE int16_t *ck_chroma_row(const ck_canvas *canvas, int plane, int32_t y) {
    return canvas->chroma[plane] + y * canvas->pitch;
}

/* The rectangle's rows and columns that lie in the picture; 0 where there are none. */
typedef struct ck_span {
    int32_t first, end;
} ck_span;
CK_INLINE ck_span ck_clipped(int64_t start, int64_t length, int32_t size) {
    const int64_t end = start + length;
    const ck_span span = {(int32_t)(start < 0 ? 0 : start > size ? size : start), (int32_t)(end < 0 ? 0 : end > size ? size : end)};
    return span;
}

/* One row of floats over another one that is opaque, by a mode; see blend.c. */
void ck_blend_row(float *onto, const float *over, int32_t width, float opacity, ck_blend_mode mode);

#endif
