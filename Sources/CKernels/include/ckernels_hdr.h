/*
 * Pictures of an HDR canvas: Y'CbCr 4:2:0 of 10 bits, limited range, in 16-bit samples in the
 * machine's order; mostly with the primaries and the matrix of ITU-R BT.2100. Sizes, chroma and the
 * names of arguments are those of ckernels.h.
 */
#ifndef CKERNELS_HDR_H
#define CKERNELS_HDR_H

#include "ckernels_color.h"

/* ---- Transitions: as those of 8 bits, with `p` in full. ------------------------------------------------------------------ */

void ck_dissolve_10(ck_picture out, ck_picture a, ck_picture b, int32_t p);
void ck_dissolve_10_ref(ck_picture out, ck_picture a, ck_picture b, int32_t p);
void ck_fade_black_10(ck_picture out, ck_picture a, ck_picture b, int32_t p);
void ck_fade_black_10_ref(ck_picture out, ck_picture a, ck_picture b, int32_t p);
void ck_wipe_10(ck_picture out, ck_picture a, ck_picture b, int32_t p, ck_direction direction);
void ck_wipe_10_ref(ck_picture out, ck_picture a, ck_picture b, int32_t p, ck_direction direction);
void ck_slide_10(ck_picture out, ck_picture a, ck_picture b, int32_t p, ck_direction direction);
void ck_slide_10_ref(ck_picture out, ck_picture a, ck_picture b, int32_t p, ck_direction direction);

/* ---- Light --------------------------------------------------------------------------------------------------------------- */

/* A change of pictures to an HDR coding, by the light of a display. */
typedef struct ck_light ck_light;

/*
 * HLG and PQ keep the light of their display, which for HLG is the nominal one of 1000 cd/m² (ITU-R
 * BT.2100, tables 4 and 5); what HLG cannot show is clipped. SDR is the light of a display with the
 * gamma of ITU-R BT.1886 whose white is at the HDR reference white of 203 cd/m²: 58 % of PQ and 75
 * % of HLG (ITU-R BT.2408). Another white is adapted by Bradford's matrix. `from` is CK_SDR, CK_HLG
 * or CK_PQ, `to` one of the latter two; peaks are not looked at. Null without memory (130 kB). To
 * be freed with ck_light_free.
 */
ck_light *ck_light_make(const ck_coding *from, const ck_coding *to);
void ck_light_free(ck_light *light);

/* From 10 bits to 10; `out` may be `in`. The pixels of a 2×2 block share their chroma on the way
 * in; on the way out chroma is that of their mean. The reference has the formulas in double
 * precision. */
void ck_light_apply(ck_picture out, ck_picture in, const ck_light *light);
void ck_light_apply_ref(ck_picture out, ck_picture in, const ck_light *light);

/* One full-range R'G'B' colour of 8 bits; `from`'s matrix is not looked at. */
void ck_light_color(const ck_light *light, const uint8_t rgb[3], uint16_t yuv[3]);

/* ---- Overlay: as that of 8 bits. --------------------------------------------------------------------------------------- */

typedef struct ck_overlay_10 ck_overlay_10;

/* - `light`: from sRGB, taken as CK_SDR with the primaries of BT.709, to the canvas. */
ck_overlay_10 *ck_overlay_10_prepare(const uint8_t *rgba, ptrdiff_t stride, int32_t width, int32_t height,
                                     const ck_light *light);
void ck_overlay_10_free(ck_overlay_10 *overlay);

/* sRGB with straight alpha as R'G'B' of the canvas in floats, with the same alpha; `light` as
 * above. */
void ck_rgbaf_from_srgb(float *out, ptrdiff_t out_stride, const uint8_t *rgba, ptrdiff_t stride, int32_t width, int32_t height,
                        const ck_light *light);

/* ---- Floats -------------------------------------------------------------------------------------------------------------- */

/*
 * RGBA of floats, R'G'B' as encoded with 0…1 from black to white, alpha 1; what lies outside stays
 * outside. From and to pictures of 8 or 10 `bits` with a matrix of weights `kr` and `kb`. Chroma is
 * interpolated as by ck_rgba_from_yuv; on the way back it is taken by a filter, alpha is not looked
 * at, and NaN counts as black.
 */
void ck_rgbaf_from_yuv(float *rgba, ptrdiff_t stride, ck_picture in, int32_t bits, double kr, double kb);
void ck_rgbaf_from_yuv_ref(float *rgba, ptrdiff_t stride, ck_picture in, int32_t bits, double kr, double kb);
void ck_yuv_from_rgbaf(ck_picture out, const float *rgba, ptrdiff_t stride, int32_t bits, double kr, double kb,
                       ck_chroma_filter filter);
void ck_yuv_from_rgbaf_ref(ck_picture out, const float *rgba, ptrdiff_t stride, int32_t bits, double kr, double kb,
                           ck_chroma_filter filter);

/*
 * Straight floats of a picture whose samples are multiplied with an alpha, that is: of one that
 * lies over black. Colours of a block's chroma are divided by the alpha that had the same share in
 * it, and are 0 where there is no alpha. `alpha` has samples of the same `bits`.
 */
void ck_rgbaf_from_yuva(float *rgba, ptrdiff_t stride, ck_picture in, const uint8_t *alpha, ptrdiff_t alpha_stride, int32_t bits,
                        double kr, double kb);

#endif
