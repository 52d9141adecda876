/* Shared by the kernels for 10 bits. */
#ifndef CK_HDR_H
#define CK_HDR_H

#include "ckernels_hdr.h"
#include "internal.h"

/* A row of 16-bit samples. Planes and strides are even. */
CK_INLINE uint16_t *ck_row_10(ck_picture p, int plane, int y) { return (uint16_t *)(void *)ck_row(p, plane, y); }

CK_INLINE uint16_t ck_u10(int x) { return (uint16_t)ck_clamp(x, 0, 1023); }

/* The R'G'B' (8 bits) to signals of the target, 0…CK_SIGNAL. */
enum { CK_SIGNAL = 876 * 16 };
void ck_light_signals(const ck_light *light, const int rgb[3], int signal[3]);
/* Code values of signals whose sum over `count` (1 or 4) pixels is given. */
uint16_t ck_light_luma(const ck_light *light, const int signal[3]);
void ck_light_chroma(const ck_light *light, const int sum[3], uint16_t *u, uint16_t *v);

#endif
