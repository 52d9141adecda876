/*
 * Colour: from one coding of pictures to another, in three kinds of work: another matrix, other
 * primaries, and HDR's tones.
 *
 * Pictures are Y'CbCr 4:2:0 of limited range. Code values here are those of 8 bits, with fractions:
 * a 10-bit code is four times as large. A 10-bit picture has 16-bit samples in the machine's order;
 * what is larger than 1023 counts as 1023.
 */
#ifndef CKERNELS_COLOR_H
#define CKERNELS_COLOR_H

#include "ckernels.h"

/* What R'G'B' means as light. */
typedef int32_t ck_transfer;
/* BT.709, BT.601, sRGB and their kin. */
#define CK_SDR ((ck_transfer)0)
/* Hybrid log-gamma on its nominal display of 1000 cd/m² (ITU-R BT.2100, table 5). */
#define CK_HLG ((ck_transfer)1)
/* Perceptual quantisation (ITU-R BT.2100, table 4). */
#define CK_PQ ((ck_transfer)2)
/* What ck_lut_bake_tones makes: SDR with room above white. */
#define CK_MAPPED ((ck_transfer)3)

/* A coding of pictures. */
typedef struct ck_coding {
    /* The weights of red and blue in luma (ITU-T H.273, table 4). */
    double kr, kb;
    /* Chromaticities x, y of red, green, blue and white (ITU-T H.273, table 2). */
    double xy[8];
    ck_transfer transfer;
    /* cd/m² of the brightest content, 203…10000; only CK_PQ looks at it. */
    double peak;
} ck_coding;

/* ---- Matrix ------------------------------------------------------------------------------------------------------------ */

/*
 * Rewrites an 8-bit picture from one matrix to another in place, without a detour through RGB,
 * which would clip what lies outside its cube. Grey keeps its luma under every matrix, so the
 * change is linear in the colour differences alone. The factors have 14 bits of fraction; each 2×2
 * block of luma uses its one chroma sample.
 */
typedef struct ck_matrix_change {
    int32_t luma_from_u, luma_from_v, u_from_u, u_from_v, v_from_u, v_from_v;
} ck_matrix_change;

void ck_change_matrix(ck_picture picture, ck_matrix_change change);
void ck_change_matrix_ref(ck_picture picture, ck_matrix_change change);

/* ---- Primaries --------------------------------------------------------------------------------------------------------- */

/* A change of matrix and primaries, from SDR or CK_MAPPED to SDR. */
typedef struct ck_gamut ck_gamut;

/*
 * In the linear light of BT.709's camera curve (ITU-R BT.2087-0); a white that differs is adapted
 * by Bradford's matrix. What the target's primaries cannot show is clipped to what they can. Null
 * without memory (30 kB). To be freed with ck_gamut_free.
 */
ck_gamut *ck_gamut_make(const ck_coding *from, const ck_coding *to);
void ck_gamut_free(ck_gamut *gamut);

/* The same as a table for ck_lut_apply, which is faster. It is as right only where the primaries
 * differ little, as BT.601's from BT.709's (two codes, three at the border): the corner at the
 * target's border is rounded off. Codes above white keep what they have. Null without memory (1.7
 * MB). To be freed with ck_lut_free. Takes about 0.1 s. */
ck_lut *ck_lut_bake_primaries(const ck_coding *from, const ck_coding *to);

/* From 8 bits to 8, where `out` may be `in`, and from 10 bits to 8. The pixels of a 2×2 block share
 * their chroma on the way in; on the way out chroma is that of their mean. */
void ck_gamut_apply(ck_picture out, ck_picture in, const ck_gamut *gamut);
void ck_gamut_apply_ref(ck_picture out, ck_picture in, const ck_gamut *gamut);
void ck_gamut_apply_10_8(ck_picture out, ck_picture in, const ck_gamut *gamut);
void ck_gamut_apply_10_8_ref(ck_picture out, ck_picture in, const ck_gamut *gamut);

/* ---- Tones ------------------------------------------------------------------------------------------------------------- */

/*
 * A table from an HDR coding to SDR of BT.2020 by method A of ITU-R BT.2446-1, which makes bright
 * colours brighter than white: the result is CK_MAPPED with BT.2020's matrix, for ck_gamut to go on
 * with. Null without memory (1.7 MB). To be freed with ck_lut_free. Takes about 0.1 s.
 */
ck_lut *ck_lut_bake_tones(const ck_coding *hdr);

#endif
