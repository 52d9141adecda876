/* Shared by the kernels, not by their users. */
#ifndef CK_INTERNAL_H
#define CK_INTERNAL_H

#include <string.h>
#include "ckernels.h"

/*
 * One body, several processors: a kernel is an always-inline function, wrapped by one function for the base instruction set
 * and one for AVX2. The compiler vectorises each for its set. (`target_clones` would do it in one line, but its resolvers
 * run before a sanitiser's run-time is up.)
 */
#define CK_INLINE static inline __attribute__((always_inline))

#if defined(__x86_64__)
#define CK_AVX2 __attribute__((target("avx2")))
/* What ck_use_portable was told on this thread. */
extern _Thread_local int ck_portable;
CK_INLINE int ck_has_avx2(void) { return !ck_portable && __builtin_cpu_supports("avx2"); }
#else
#define CK_AVX2
CK_INLINE int ck_has_avx2(void) { return 0; }
#endif

CK_INLINE int ck_clamp(int x, int low, int high) { return x < low ? low : x > high ? high : x; }
CK_INLINE uint8_t ck_u8(int x) { return (uint8_t)ck_clamp(x, 0, 255); }

CK_INLINE int ck_columns(ck_picture p, int plane) { return plane == 0 ? p.width : (p.width + 1) / 2; }
CK_INLINE int ck_rows(ck_picture p, int plane) { return plane == 0 ? p.height : (p.height + 1) / 2; }
CK_INLINE uint8_t *ck_row(ck_picture p, int plane, int y) { return p.plane[plane] + y * p.stride[plane]; }

/* Column `x`, at most two outside of a row of `width`, as in the row's mirror image around its first and last pixel. */
CK_INLINE int ck_mirrored(int x, int width) {
    if (width == 1) return 0;
    if (x < 0) x = -x;
    const int round = 2 * (width - 1);
    if (x > round) x = x % round;
    return x < width ? x : round - x;
}

/* The weight of the pixel `tap` columns beside a chroma sample. */
CK_INLINE double ck_chroma_weight(int tap, ck_chroma_filter filter) {
    static const double mean[3] = {0.5, 0.25, 0}, inverse[3] = {0.75, 0.25, -0.125};
    return (filter == CK_CHROMA_MEAN ? mean : inverse)[tap < 0 ? -tap : tap];
}

/* ITU-R BT.709-6, item 3.2: E'Y = Kr E'R + Kg E'G + Kb E'B; colour differences divided by 2 (1 − Kb), 2 (1 − Kr). */
#define CK_KR 0.2126
#define CK_KG 0.7152
#define CK_KB 0.0722
#define CK_U_SCALE 1.8556
#define CK_V_SCALE 1.5748

/* Items 3.4 and 3.5 for 8 bits: luma 16 + 219 E'Y, chroma 128 + 224 E'C. */
CK_INLINE void ck_rgb_from_codes(const double yuv[3], double rgb[3]) {
    const double y = (yuv[0] - 16) / 219, u = (yuv[1] - 128) / 224, v = (yuv[2] - 128) / 224;
    rgb[0] = y + CK_V_SCALE * v;
    rgb[1] = y - CK_U_SCALE * CK_KB / CK_KG * u - CK_V_SCALE * CK_KR / CK_KG * v;
    rgb[2] = y + CK_U_SCALE * u;
}

CK_INLINE void ck_codes_from_rgb(const double rgb[3], double yuv[3]) {
    const double y = CK_KR * rgb[0] + CK_KG * rgb[1] + CK_KB * rgb[2];
    yuv[0] = 16 + 219 * y;
    yuv[1] = 128 + 224 * (rgb[2] - y) / CK_U_SCALE;
    yuv[2] = 128 + 224 * (rgb[0] - y) / CK_V_SCALE;
}

#endif
