/*
 * Pictures with alpha in floats, as layers are placed and composed: RGBA, R'G'B' as encoded with
 * 0…1 from black to white, *premultiplied* by alpha, which lies in 0…1. Strides are in bytes. All
 * functions give the same bytes on every processor.
 */
#ifndef CKERNELS_LAYERS_H
#define CKERNELS_LAYERS_H

#include "ckernels.h"

/* ---- Resampling -------------------------------------------------------------------------------------------------------- */

/* The samples of a picture that is resampled. */
typedef int32_t ck_samples;
#define CK_RGBA8 ((ck_samples)0)       /* straight alpha */
#define CK_RGBA16 ((ck_samples)1)      /* straight alpha, in the machine's order */
#define CK_RGBAF ((ck_samples)2)       /* floats, straight alpha; NaN counts as 0 */
#define CK_RGBAF_PRE ((ck_samples)3)   /* floats, premultiplied */

/* Sample (x, y) of the output is the input at (first_x + x · scale_x, first_y + y · scale_y), where
 * the middle of the first sample is 0. The filter is Lanczos' with three lobes, stretched where the
 * picture becomes smaller; what lies outside is the nearest edge. */
typedef struct ck_resampling {
    int32_t in_width, in_height, out_width, out_height; /* 1…32768 */
    double scale_x, scale_y;                            /* input samples per output sample: over 0 and up to 4096 */
    double first_x, first_y;                            /* within 2²⁰ of 0 */
} ck_resampling;

/* Returns 0, or −1 where an argument is out of range or memory is short. Memory for as many rows of
 * the output as the filter is high. */
int32_t ck_resample_rgba(float *out, ptrdiff_t out_stride, const void *in, ptrdiff_t in_stride, ck_samples samples,
                         ck_resampling resampling);
/* All samples that there are, in double precision. */
int32_t ck_resample_rgba_ref(float *out, ptrdiff_t out_stride, const void *in, ptrdiff_t in_stride, ck_samples samples,
                             ck_resampling resampling);

/* The same of an opaque picture of 8 or 10 `bits` with a matrix of weights `kr` and `kb`, of the
 * size that the resampling says; alpha is 1. Chroma is interpolated along rows and repeated down
 * columns. Values outside black and white are clipped after the filter, unless pixels only change
 * their place by whole samples of chroma: then the codes that come to a canvas are those of the
 * picture. */
int32_t ck_resample_yuv(float *out, ptrdiff_t out_stride, ck_picture in, int32_t bits, double kr, double kb,
                        ck_resampling resampling);
int32_t ck_resample_yuv_ref(float *out, ptrdiff_t out_stride, ck_picture in, int32_t bits, double kr, double kb,
                            ck_resampling resampling);

/* The same for many pictures: the filters are made once, which costs about as much as one small
 * picture. */
typedef struct ck_yuv_resampler ck_yuv_resampler;
/* NULL where an argument is out of range or memory is short. */
ck_yuv_resampler *ck_yuv_resampler_make(ck_resampling resampling);
void ck_yuv_resampler_free(ck_yuv_resampler *resampler);
/* What its filters take. */
size_t ck_yuv_resampler_bytes(const ck_yuv_resampler *resampler);
/* Returns as ck_resample_yuv does. One call at a time. */
int32_t ck_yuv_resampler_run(ck_yuv_resampler *resampler, float *out, ptrdiff_t out_stride, ck_picture in, int32_t bits, double kr,
                             double kb);

/* The point of the input for pixel (x, y) of the output: (a x + b y + c, d x + e y + f), middles of
 * pixels at whole numbers. */
typedef struct ck_affine {
    double a, b, c, d, e, f;
} ck_affine;

/* Samples a premultiplied picture where a map says, by the cubic with B = 0, C = 0.5 (Catmull and
 * Rom); around it there is nothing. For maps that neither enlarge nor reduce much. */
void ck_turn_rgba(float *out, ptrdiff_t out_stride, int32_t out_width, int32_t out_height, const float *in, ptrdiff_t in_stride,
                  int32_t in_width, int32_t in_height, ck_affine map);
void ck_turn_rgba_ref(float *out, ptrdiff_t out_stride, int32_t out_width, int32_t out_height, const float *in, ptrdiff_t in_stride,
                      int32_t in_width, int32_t in_height, ck_affine map);

/* ---- Order and blur ------------------------------------------------------------------------------------------------------ */

/* How the pixels of a picture are put: first with rows or columns in reverse, then with rows as
 * columns. */
typedef int32_t ck_orientation;
#define CK_REVERSED_COLUMNS ((ck_orientation)1) /* left and right change places */
#define CK_REVERSED_ROWS ((ck_orientation)2)
#define CK_TRANSPOSED ((ck_orientation)4)

/* `width` and `height` are those of `in`; `out` is other memory, and has them the other way round
 * where it is transposed. */
void ck_reorient_rgba(float *out, ptrdiff_t out_stride, const float *in, ptrdiff_t in_stride, int32_t width, int32_t height,
                      ck_orientation orientation);

/* Blurs a premultiplied picture by nearly a Gaussian of that standard deviation in pixels, 0…16384;
 * around it there is nothing. Returns 0, or −1 where an argument is out of range or memory is
 * short. */
int32_t ck_blur_rgba(float *rgba, ptrdiff_t stride, int32_t width, int32_t height, double sigma);

/* ---- Shapes -------------------------------------------------------------------------------------------------------------- */

/* A rectangle in pixels, whose first one reaches from 0 to 1, with round corners; a radius beyond
 * half of a side counts as that. */
typedef struct ck_round_rect {
    double left, top, right, bottom, radius;
} ck_round_rect;

/* Multiplies a premultiplied picture by how much of each pixel the rectangle covers: exactly along
 * straight edges, in corners by the distance from the circle to the pixel's middle. */
void ck_crop_rgba(float *rgba, ptrdiff_t stride, int32_t width, int32_t height, ck_round_rect shape);

/* What a mask's pixel lets through. */
typedef int32_t ck_mask_kind;
#define CK_MASK_ALPHA ((ck_mask_kind)0)
#define CK_MASK_LUMA ((ck_mask_kind)1) /* the luma of BT.709, of the premultiplied colour */

/* Multiplies a premultiplied picture by a mask of the same size, or by what that leaves of 1. */
void ck_mask_rgba(float *rgba, ptrdiff_t stride, const float *mask, ptrdiff_t mask_stride, int32_t width, int32_t height,
                  ck_mask_kind kind, int32_t is_inverted);

/* ---- Alpha of its own ---------------------------------------------------------------------------------------------------- */

/* Straight alpha from a plane of its own, samples of 8 or 10 bits, into RGBA, and the other way. */
void ck_rgba_take_alpha(uint8_t *rgba, ptrdiff_t stride, const uint8_t *alpha, ptrdiff_t alpha_stride, int32_t width, int32_t height,
                        int32_t bits);
void ck_rgba_give_alpha(const uint8_t *rgba, ptrdiff_t stride, uint8_t *alpha, ptrdiff_t alpha_stride, int32_t width, int32_t height,
                        int32_t bits);
void ck_rgbaf_take_alpha(float *rgba, ptrdiff_t stride, const uint8_t *alpha, ptrdiff_t alpha_stride, int32_t width, int32_t height,
                         int32_t bits);
void ck_rgbaf_give_alpha(const float *rgba, ptrdiff_t stride, uint8_t *alpha, ptrdiff_t alpha_stride, int32_t width, int32_t height,
                         int32_t bits);

/* Gives transparent pixels of straight alpha a colour that continues from those around them,
 * however far away these are. So neither chroma, which pixels share, nor an effect that looks at
 * neighbours mixes a hidden colour into what is seen. Where all is transparent nothing changes.
 * Returns 0, or −1 where memory is short. */
int32_t ck_spread_rgba(uint8_t *rgba, ptrdiff_t stride, int32_t width, int32_t height);
int32_t ck_spread_rgbaf(float *rgba, ptrdiff_t stride, int32_t width, int32_t height);

/* Pixels of one colour, premultiplied, as strong as the alpha of a picture's. */
void ck_tint_rgba(float *out, ptrdiff_t out_stride, const float *in, ptrdiff_t in_stride, int32_t width, int32_t height,
                  const float color[4]);

/* ---- Composing ----------------------------------------------------------------------------------------------------------- */

/* Modes of the W3C's "Compositing and Blending Level 1": section 10.1; CK_BLEND_PLUS_LIGHTER is
 * "lighter" of 9.1.13. */
typedef int32_t ck_blend_mode;
#define CK_BLEND_NORMAL ((ck_blend_mode)0)
#define CK_BLEND_MULTIPLY ((ck_blend_mode)1)
#define CK_BLEND_SCREEN ((ck_blend_mode)2)
#define CK_BLEND_OVERLAY ((ck_blend_mode)3)
#define CK_BLEND_DARKEN ((ck_blend_mode)4)
#define CK_BLEND_LIGHTEN ((ck_blend_mode)5)
#define CK_BLEND_COLOR_DODGE ((ck_blend_mode)6)
#define CK_BLEND_COLOR_BURN ((ck_blend_mode)7)
#define CK_BLEND_HARD_LIGHT ((ck_blend_mode)8)
#define CK_BLEND_SOFT_LIGHT ((ck_blend_mode)9)
#define CK_BLEND_DIFFERENCE ((ck_blend_mode)10)
#define CK_BLEND_EXCLUSION ((ck_blend_mode)11)
#define CK_BLEND_PLUS_LIGHTER ((ck_blend_mode)12)
#define CK_BLEND_MODES 13

/* Lays `over` with an opacity of 0…1 over a premultiplied picture, in place; what is under may be
 * transparent itself. */
void ck_blend_rgba(float *onto, ptrdiff_t onto_stride, const float *over, ptrdiff_t over_stride, int32_t width, int32_t height,
                   float opacity, ck_blend_mode mode);
/* One pixel by the specification's formulas, in double precision. */
void ck_blend_exact(const double under[4], const double over[4], double opacity, ck_blend_mode mode, double out[4]);

#endif
