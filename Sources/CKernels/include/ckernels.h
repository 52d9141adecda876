/*
 * Pixel kernels for the canvas: planar 8-bit Y'CbCr 4:2:0, BT.709, limited range (luma 16…235,
 * chroma 16…240, 128 is grey).
 *
 * Each fast kernel has a plain reference beside it, with the suffix `_ref`, that the tests compare
 * all its versions with. A kernel picks its processor's version when it is called. None allocates,
 * keeps or frees a picture; none writes beyond a row's width. All pictures of a call have the same
 * size, at least 1×1. Chroma planes have (width + 1) / 2 columns and (height + 1) / 2 rows. A
 * chroma sample lies on the left column of its 2×2 pixels, between their rows. Kernels that change
 * each pixel by itself treat it as the mean of the four.
 */
#ifndef CKERNELS_H
#define CKERNELS_H

#include <stddef.h>
#include <stdint.h>

/* A lent picture: Y, U, V, rows from the top, strides in bytes. */
typedef struct ck_picture {
    uint8_t *plane[3];
    ptrdiff_t stride[3];
    int32_t width;
    int32_t height;
} ck_picture;

static inline ck_picture ck_make_picture(uint8_t *y, ptrdiff_t y_stride, uint8_t *u, ptrdiff_t u_stride, uint8_t *v,
                                         ptrdiff_t v_stride, int32_t width, int32_t height) {
    ck_picture p = {{y, u, v}, {y_stride, u_stride, v_stride}, width, height};
    return p;
}

/* ---- Versions ---------------------------------------------------------------------------------------------------------- */

/* For tests and measurements: with 1 the kernels that this thread calls take the portable version
 * whatever the processor has, with 0, as at a thread's start, the fastest one. */
void ck_use_portable(int32_t on);
/* Whether kernels take their AVX2 version when this thread calls them. */
int32_t ck_uses_avx2(void);

/* ---- Transitions: from `a` to `b`, at `p` = 0…65536 of the way; 0 is exactly `a`, 65536 exactly `b`. ------------------- */

#define CK_ONE 65536

/* a · (1 − p) + b · p, with p rounded to 1/256. `out` may be `a` or `b`. */
void ck_dissolve(ck_picture out, ck_picture a, ck_picture b, int32_t p);
void ck_dissolve_ref(ck_picture out, ck_picture a, ck_picture b, int32_t p);

/* `a` to black in the first half, black to `b` in the second. `out` may be `a` or `b`. */
void ck_fade_black(ck_picture out, ck_picture a, ck_picture b, int32_t p);
void ck_fade_black_ref(ck_picture out, ck_picture a, ck_picture b, int32_t p);

/* Where the border (wipe) or the pictures (slide) move to. CK_LEFT: the new picture comes in at the
 * right edge. */
typedef int32_t ck_direction;
#define CK_LEFT ((ck_direction)0)
#define CK_RIGHT ((ck_direction)1)
#define CK_UP ((ck_direction)2)
#define CK_DOWN ((ck_direction)3)

/* Both pictures stand still; a hard border uncovers `b`. The border lies on even pixels, so that
 * chroma follows it exactly. `out` may be `a` or `b`. */
void ck_wipe(ck_picture out, ck_picture a, ck_picture b, int32_t p, ck_direction direction);
void ck_wipe_ref(ck_picture out, ck_picture a, ck_picture b, int32_t p, ck_direction direction);

/* `b` pushes `a` out, in steps of two pixels. `out` must be neither. */
void ck_slide(ck_picture out, ck_picture a, ck_picture b, int32_t p, ck_direction direction);
void ck_slide_ref(ck_picture out, ck_picture a, ck_picture b, int32_t p, ck_direction direction);

/* ---- Fill -------------------------------------------------------------------------------------------------------------- */

/* Paints the part of the rectangle that lies in the picture; every chroma sample it touches takes
 * the colour. */
void ck_fill(ck_picture picture, int32_t x, int32_t y, int32_t width, int32_t height, uint8_t luma, uint8_t u, uint8_t v);

/* The limited-range BT.709 code values of an 8-bit R'G'B' colour. */
void ck_color(uint8_t red, uint8_t green, uint8_t blue, uint8_t yuv[3]);

/* ---- Overlay ----------------------------------------------------------------------------------------------------------- */

/* A picture with alpha in the canvas' own terms, prepared for ck_canvas_overlay: luma, chroma and
 * alpha of every pixel. */
typedef struct ck_overlay ck_overlay;

/* From RGBA with straight alpha. Null where a size is not in 1…32768 or memory is short. To be
 * freed with ck_overlay_free. */
ck_overlay *ck_overlay_prepare(const uint8_t *rgba, ptrdiff_t stride, int32_t width, int32_t height);
void ck_overlay_free(ck_overlay *overlay);

/* ---- Look-up tables ---------------------------------------------------------------------------------------------------- */

/* A look in the canvas' own terms: from Y'CbCr to Y'CbCr. */
typedef struct ck_lut ck_lut;

/*
 * Bakes an RGB table of n³ triples (red fastest, then green, blue; nominally 0…1, n in 2…256) at an
 * intensity of 0…1 of the way from the picture to the look. Y'CbCr codes that are no RGB colour
 * follow the table's slope at its surface, so that the look is smooth across the gamut's border and
 * an identity table changes no code at all. Null where an argument is out of range or memory (1.7
 * MB) is short. To be freed with ck_lut_free. Takes about 0.05 s.
 */
ck_lut *ck_lut_bake(const float *rgb, int32_t n, double intensity);
/* The same for pictures with the matrix of BT.2020, as an HDR canvas has. */
ck_lut *ck_lut_bake_2020(const float *rgb, int32_t n, double intensity);
void ck_lut_free(ck_lut *lut);

/* Applies a look by tetrahedral interpolation; pixels of a 2×2 block share their chroma. `out` may
 * be `in`, but for the reference, which walks through each tetrahedron by itself, as ck_lut_exact
 * does. */
void ck_lut_apply(ck_picture out, ck_picture in, const ck_lut *lut);
void ck_lut_apply_ref(ck_picture out, ck_picture in, const ck_lut *lut);

/* The same for pictures of 10 bits, in 16-bit samples in the machine's order; what is larger than
 * 1023 counts as 1023. */
void ck_lut_apply_10(ck_picture out, ck_picture in, const ck_lut *lut);
void ck_lut_apply_10_ref(ck_picture out, ck_picture in, const ck_lut *lut);

/* What a baked look approximates: Y'CbCr to RGB (clipped to 0…1), the table by tetrahedral
 * interpolation, and back, in floating point for one pixel. `in` and `out` are code values. */
void ck_lut_exact(const float *rgb, int32_t n, double intensity, const double in[3], double out[3]);

/* ---- Scaling ----------------------------------------------------------------------------------------------------------- */

/* One plane's change of size: sample (x, y) of the output is the input at (first_x + x · scale_x,
 * first_y + y · scale_y), in samples, filtered by a cubic; what lies outside the input is its
 * nearest edge. */
typedef struct ck_scaling {
    int32_t in_width, in_height, out_width, out_height; /* 1…32768 */
    double scale_x, scale_y;                            /* input samples per output sample, over 0 and up to 256 */
    double first_x, first_y;
    double gain, offset; /* applied to every value: a change of range; gain over 0 and up to 1.5 */
} ck_scaling;

/* Filters for one scaling, and memory for one row. For one thread at a time. */
typedef struct ck_scaler ck_scaler;

/* Null where an argument is out of range or memory is short. To be freed with ck_scaler_free. */
ck_scaler *ck_scaler_make(ck_scaling scaling);
void ck_scaler_free(ck_scaler *scaler);

/* Scales a plane of the sizes that the scaler was made for. The planes must not overlap. The
 * reference is the portable version; the tests hold both against the definition above, the cubic (B
 * = 0, C = 0.6) in floating point over all samples. */
void ck_scale(ck_scaler *scaler, uint8_t *out, ptrdiff_t out_stride, const uint8_t *in, ptrdiff_t in_stride);
void ck_scale_ref(ck_scaler *scaler, uint8_t *out, ptrdiff_t out_stride, const uint8_t *in, ptrdiff_t in_stride);
/* Rows `first` up to `end` of the same, for several threads at once, each with memory of its own
 * for `ck_scale_scratch` bytes, aligned for pointers. */
size_t ck_scale_scratch(const ck_scaler *scaler);
void ck_scale_rows(const ck_scaler *scaler, uint8_t *out, ptrdiff_t out_stride, const uint8_t *in, ptrdiff_t in_stride, int32_t first,
                   int32_t end, void *scratch);

/* ---- RGBA -------------------------------------------------------------------------------------------------------------- */

/* Lays straight alpha over one colour, in place: c = (c · a + colour · (255 − a)) / 255, rounded;
 * alpha becomes 255. */
void ck_rgba_over_color(uint8_t *rgba, ptrdiff_t stride, int32_t width, int32_t height, const uint8_t color[3]);
void ck_rgba_over_color_ref(uint8_t *rgba, ptrdiff_t stride, int32_t width, int32_t height, const uint8_t color[3]);

/* How chroma is taken from pixels: three columns weighted 1 : 2 : 1, for pictures that are made; or
 * five columns, for pictures that come back. The latter undoes the interpolation of
 * ck_rgba_from_yuv by lifting (W. Sweldens, 1996; where luma is even, it is the 5/3 wavelet of D.
 * Le Gall and A. Tabatabai, ICASSP 1988): a sample is the pixel of its own column, plus a quarter
 * of what each neighbour has beyond its interpolation. Beyond its edges a row is mirrored. The two
 * rows have the same weight. */
typedef int32_t ck_chroma_filter;
#define CK_CHROMA_MEAN ((ck_chroma_filter)0)
#define CK_CHROMA_INVERSE ((ck_chroma_filter)1)

/* Full-range R'G'B' with alpha 255. Chroma is repeated down columns and interpolated along rows:
 * linearly where luma is even; where a neighbour's luma is nearer by up to 32 codes, with up to all
 * of that neighbour's chroma. So edges of colour lie on edges of luma. */
void ck_rgba_from_yuv(uint8_t *rgba, ptrdiff_t stride, ck_picture in);
void ck_rgba_from_yuv_ref(uint8_t *rgba, ptrdiff_t stride, ck_picture in);

/* Alpha is not looked at. */
void ck_yuv_from_rgba(ck_picture out, const uint8_t *rgba, ptrdiff_t stride, ck_chroma_filter filter);
void ck_yuv_from_rgba_ref(ck_picture out, const uint8_t *rgba, ptrdiff_t stride, ck_chroma_filter filter);

/*
 * Gives `out` the samples of `original` wherever a picture came back as it went: `given` is
 * `original` as RGBA, `returned` is what `out` was made of. Luma where the pixel is the same,
 * chroma where all pixels that have a share in it are; pixels that are transparent in both are the
 * same. So codes that are no colour in RGBA outlive a way through it.
 */
void ck_keep_yuv(ck_picture out, ck_picture original, const uint8_t *returned, ptrdiff_t returned_stride, const uint8_t *given,
                 ptrdiff_t given_stride);
void ck_keep_yuv_ref(ck_picture out, ck_picture original, const uint8_t *returned, ptrdiff_t returned_stride,
                     const uint8_t *given, ptrdiff_t given_stride);

#endif
