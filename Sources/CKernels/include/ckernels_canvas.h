/*
 * A canvas picture while layers are laid over it: 8- or 10-bit Y'CbCr 4:2:0 whose chroma lies on
 * the left column of each 2×2 block, between its rows (AVCHROMA_LOC_LEFT). A chroma sample
 * therefore spans three columns, and layers that meet share samples. To blend each layer with the
 * right colour, touched chroma is kept at full resolution until all layers are painted. All
 * functions give the same bytes on every processor.
 */
#ifndef CKERNELS_CANVAS_H
#define CKERNELS_CANVAS_H

#include "ckernels_hdr.h"
#include "ckernels_layers.h"

typedef struct ck_canvas {
    ck_picture picture;
    int32_t bits;   /* 8 or 10 */
    double kr, kb;  /* the weights of red and blue in luma */
    /* Cb and Cr at full resolution, less the code of grey, in fixed point; defined where `opened`
     * says. */
    int16_t *chroma[2];
    ptrdiff_t pitch; /* samples from one row to the next */
    int32_t *opened; /* for each row of chroma samples: the first one that is open, and the one after the last */
} ck_canvas;

/* Bytes of memory that a canvas needs while layers are laid over it. */
size_t ck_canvas_bytes(int32_t width, int32_t height);

/* Begins painting; `memory` has as many bytes as ck_canvas_bytes gives, aligned to 16. Both stay
 * the caller's. */
void ck_canvas_begin(ck_canvas *canvas, ck_picture picture, int32_t bits, double kr, double kb, void *memory);

/* Writes the chroma of what was painted into the picture. Chroma samples that no layer changed keep
 * their codes. */
void ck_canvas_end(ck_canvas *canvas);

/* Blends an overlay with its top left pixel at (x, y), which may be negative or outside; `opacity`
 * is 0…65536 of its own alpha, for ck_overlay rounded to 1/256. */
void ck_canvas_overlay(ck_canvas *canvas, const ck_overlay *overlay, int32_t x, int32_t y, int32_t opacity);
void ck_canvas_overlay_ref(ck_canvas *canvas, const ck_overlay *overlay, int32_t x, int32_t y, int32_t opacity);
void ck_canvas_overlay_10(ck_canvas *canvas, const ck_overlay_10 *overlay, int32_t x, int32_t y, int32_t opacity);
void ck_canvas_overlay_10_ref(ck_canvas *canvas, const ck_overlay_10 *overlay, int32_t x, int32_t y, int32_t opacity);

/*
 * Blends RGBA of floats (`samples` is CK_RGBAF_PRE or CK_RGBAF) with an opacity of 0…1. Pixels
 * without alpha change nothing. Straight alpha counts within 0…1; NaN counts as 0, as does a colour
 * of 10⁶ or more.
 */
void ck_canvas_blend(ck_canvas *canvas, const float *over, ptrdiff_t stride, ck_samples samples, int32_t x, int32_t y,
                     int32_t width, int32_t height, float opacity, ck_blend_mode mode);
void ck_canvas_blend_ref(ck_canvas *canvas, const float *over, ptrdiff_t stride, ck_samples samples, int32_t x, int32_t y,
                         int32_t width, int32_t height, float opacity, ck_blend_mode mode);

#endif
