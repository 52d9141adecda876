/* A baked look, shared by its maker and its users. */
#ifndef CK_LUT_H
#define CK_LUT_H

#include "internal.h"

/*
 * The grid has a point at every fourth code, 0, 4, … 256, so that a code's place in its cell is its
 * lower two bits, exactly. Values are code values in 1/64; those beyond 0…255 are kept, so that
 * interpolation towards them is right, and clipped in the end. A table's index is Y + 65 · (U + 65
 * · V): the two ends of a cell along Y are neighbours, and one 32-bit load gets both.
 */
enum { CK_LUT_SIDE = 65, CK_LUT_U = 65, CK_LUT_V = 65 * 65, CK_LUT_COUNT = 65 * 65 * 65, CK_LUT_FRACTION = 64 };

struct ck_lut {
    /* Y, U, V; two entries more, for the load of the last one's neighbour. */
    int16_t table[3][CK_LUT_COUNT + 2];
};

/* The RGB table at a point in 0…1, by tetrahedral interpolation. */
void ck_table_sample(const float *rgb, int n, const double at[3], double out[3]);

#endif
