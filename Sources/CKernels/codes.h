/* Codes of a canvas picture, of 8 or 10 bits, as fractions of the light between black and white. */
#ifndef CK_CODES_H
#define CK_CODES_H

#include "internal.h"

/* What a matrix and a depth make of codes. */
typedef struct ck_terms {
    float luma_scale, luma_black, r_v, g_u, g_v, b_u; /* from codes */
    float kr, kg, kb, u_scale, v_scale, zero;         /* to codes */
    float most;
} ck_terms;

CK_INLINE ck_terms ck_make_terms(int bits, double kr, double kb) {
    const double unit = 1 << (bits - 8), kg = 1 - kr - kb, chroma = 224 * unit;
    return (ck_terms){.luma_scale = (float)(219 * unit), .luma_black = (float)(16 * unit),
                   .r_v = (float)(2 * (1 - kr) / chroma), .g_u = (float)(2 * (1 - kb) * kb / kg / chroma),
                   .g_v = (float)(2 * (1 - kr) * kr / kg / chroma), .b_u = (float)(2 * (1 - kb) / chroma),
                   .kr = (float)kr, .kg = (float)kg, .kb = (float)kb, .u_scale = (float)(chroma / 2 / (1 - kb)),
                   .v_scale = (float)(chroma / 2 / (1 - kr)), .zero = (float)(128 * unit), .most = (float)(256 * unit - 1)};
}

CK_INLINE float ck_sample(const uint8_t *row, int x, int bits) {
    return bits == 8 ? row[x] : ((const uint16_t *)(const void *)row)[x];
}

#endif
