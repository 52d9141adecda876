/* A palette of 256 colours for many pictures, and pictures in it. Colours are 8-bit R'G'B'. */
#ifndef CKERNELS_PALETTE_H
#define CKERNELS_PALETTE_H

#include <stddef.h>
#include <stdint.h>

/* How often each colour occurs: 20 MB, however many pictures are counted. Up to 2^18 colours are
 * counted one by one. Where there are more, cells of 2³ colours are, or at last of 4³. */
typedef struct ck_histogram ck_histogram;

/* Null without memory. To be freed with ck_histogram_free. */
ck_histogram *ck_histogram_create(void);
void ck_histogram_free(ck_histogram *histogram);

/* Counts every pixel of a picture of packed RGB (3 bytes each), rows `stride` bytes apart. What is
 * counted does not depend on the order of pixels and pictures. Returns 0, or −1 without memory. */
int32_t ck_histogram_add(ck_histogram *histogram, const uint8_t *rgb, ptrdiff_t stride, int32_t width, int32_t height);

/*
 * Chooses at most `limit` (2…256) colours: boxes of cells are split across the axis of their
 * largest variance, the box with the largest squared error first (Wu, "Efficient statistical
 * computations for optimal color quantization", Graphics Gems II, 1991, in plan), at the cut with
 * the least error on both sides; then each colour moves to the mean of the cells that are nearest
 * to it, until the error falls by less than 1/1000 or 16 times (Lloyd). Returns how many colours
 * there are in `palette`, as 0xRRGGBB in order of their green, then red, then blue.
 */
int32_t ck_palette_choose(const ck_histogram *histogram, int32_t limit, uint32_t *palette);

/* A palette and the nearest colours to those that were met lately: 256 KiB. */
typedef struct ck_palette ck_palette;

/* `count` in 1…256. Null without memory. To be freed with ck_palette_free. */
ck_palette *ck_palette_create(const uint32_t *colors, int32_t count);
void ck_palette_free(ck_palette *palette);

/*
 * Gives each pixel of packed RGB the index of a colour. Three quarters of the error go on to its
 * neighbours (in the proportions of Sierra's filter "Lite": 3/8 right, 3/16 below left, 3/16
 * below), from row to row in turns from the left and from the right. All of it would pile up where
 * a colour lies outside of all that the palette has, until a pixel gets one that is far off. An
 * error of one step in at most two channels is not handed on: it is invisible, and the colour that
 * its sum would force on a neighbour is further off. Where a colour of `before`, the indices of the
 * picture before (null: none), is nearly as near as the nearest, a pixel keeps it: so what is the
 * same but for noise stays the same. Both rows of indices are `indices_stride` bytes apart. Returns
 * 0, or −1 without memory.
 */
int32_t ck_palette_dither(ck_palette *palette, const uint8_t *rgb, ptrdiff_t stride, int32_t width, int32_t height,
                          const uint8_t *before, uint8_t *indices, ptrdiff_t indices_stride);

#endif
