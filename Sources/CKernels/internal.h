/* Shared by the kernels, not by their users. */
#ifndef CK_INTERNAL_H
#define CK_INTERNAL_H

#include <string.h>
#include "ckernels.h"

/*
 * One body, several processors: a kernel is an always-inline function, wrapped by one function for
 * the base instruction set and one for AVX2. The compiler vectorises each for its set.
 * (`target_clones` would do it in one line, but its resolvers run before a sanitiser's run-time is
 * up.)
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

/* Column `x`, at most two outside of a row of `width`, as in the row's mirror image around its
 * first and last pixel. */
CK_INLINE int ck_mirrored(int x, int width) {
    if (width == 1) return 0;
    if (x < 0) x = -x;
    const int round = 2 * (width - 1);
    if (x > round) x = x % round;
    return x < width ? x : round - x;
}

/*
 * How chroma of a pixel between two samples follows luma: the share of the left sample, of 256,
 * where `left`, `here` and `right` are luma in quarters of a code of 8 bits. Both have half where
 * luma is alike; a neighbour whose luma is nearer by 32 codes has all. So an edge of colour is
 * where the edge of luma is. (The idea is that of J. Kopf and others, Joint Bilateral Upsampling,
 * SIGGRAPH 2007.)
 */
CK_INLINE int ck_share_of_left(int left, int here, int right) {
    const int to_left = here > left ? here - left : left - here, to_right = here > right ? here - right : right - here;
    return ck_clamp(128 + to_right - to_left, 0, 256);
}

/* The same of 1, with luma in codes of 8 bits. */
CK_INLINE float ck_share_of_left_f(float left, float here, float right) {
    const float to_left = here > left ? here - left : left - here, to_right = here > right ? here - right : right - here;
    const float share = 0.5f + (to_right - to_left) * (1 / 64.0f);
    return share < 0 ? 0 : share > 1 ? 1 : share;
}

CK_INLINE double ck_share_ref(double left, double here, double right) {
    const double to_left = here > left ? here - left : left - here, to_right = here > right ? here - right : right - here;
    const double share = 0.5 + (to_right - to_left) / 64;
    return share < 0 ? 0 : share > 1 ? 1 : share;
}

/* What a sample of chroma gets of the five pixels around it in one row, whose luma is in codes of 8
 * bits. */
static inline void ck_filter_ref(double rgb[3], double pixels[5][3], const double luma[5], ck_chroma_filter filter) {
    for (int c = 0; c < 3; c++) rgb[c] = pixels[2][c] * (filter == CK_CHROMA_MEAN ? 0.5 : 1);
    for (int odd = 1; odd < 5; odd += 2) {
        const double share = ck_share_ref(luma[odd - 1], luma[odd], luma[odd + 1]);
        for (int c = 0; c < 3; c++) {
            const double between = share * pixels[odd - 1][c] + (1 - share) * pixels[odd + 1][c];
            rgb[c] += 0.25 * (filter == CK_CHROMA_MEAN ? pixels[odd][c] : pixels[odd][c] - between);
        }
    }
}

/* ITU-R BT.709-6, item 3.2: E'Y = Kr E'R + Kg E'G + Kb E'B; colour differences divided by 2 (1 −
 * Kb), 2 (1 − Kr). */
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
