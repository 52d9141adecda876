/* Pictures that come back from RGBA as they went there. */
#include "internal.h"

enum { CHUNK = 256 };

CK_INLINE uint32_t pixel_at(const uint8_t *row, int x) {
    uint32_t pixel;
    memcpy(&pixel, row + 4 * (ptrdiff_t)x, 4);
    return pixel;
}

/* 255 where two pixels are the same, or transparent both. Alpha is the last byte. */
CK_INLINE uint8_t same(const uint8_t *a, const uint8_t *b, int x) {
    const uint32_t p = pixel_at(a, x), q = pixel_at(b, x), opaque = (p | q) >> 24;
    return p == q || opaque == 0 ? 255 : 0;
}

/* Both rows of luma and a row of chroma: `same` of columns [x − 2, x + n + 2) of both rows. */
typedef struct flags {
    uint8_t rows[2][CHUNK + 4], both[CHUNK + 4];
} flags;

CK_INLINE void compare(uint8_t *restrict to, const uint8_t *returned, const uint8_t *given, int x, int n, int width) {
    for (int i = 0; i < n; i++) to[i + 2] = same(returned + 4 * (ptrdiff_t)x, given + 4 * (ptrdiff_t)x, i);
    for (int i = 0; i < 2; i++) {
        to[i] = same(returned, given, ck_mirrored(x - 2 + i, width));
        to[n + 2 + i] = same(returned, given, ck_mirrored(x + n + i, width));
    }
}

CK_INLINE void choose(uint8_t *restrict to, const uint8_t *restrict from, const uint8_t *restrict mask, int n) {
    for (int i = 0; i < n; i++) to[i] = (uint8_t)((from[i] & mask[i]) | (to[i] & ~mask[i]));
}

CK_INLINE void keep_rows(ck_picture out, ck_picture original, const uint8_t *returned[2], const uint8_t *given[2], int y, int rows) {
    flags f;
    for (int x = 0; x < out.width; x += CHUNK) {
        const int n = out.width - x < CHUNK ? out.width - x : CHUNK, pairs = (n + 1) / 2;
        for (int r = 0; r < rows; r++) {
            compare(f.rows[r], returned[r], given[r], x, n, out.width);
            choose(ck_row(out, 0, y + r) + x, ck_row(original, 0, y + r) + x, f.rows[r] + 2, n);
        }
        uint8_t all[CHUNK / 2];
        for (int i = 0; i < n + 4; i++) f.both[i] = f.rows[0][i] & f.rows[rows - 1][i];
        for (int i = 0; i < pairs; i++) {
            const uint8_t *at = f.both + 2 * i;
            all[i] = at[0] & at[1] & at[2] & at[3] & at[4];
        }
        for (int plane = 1; plane < 3; plane++)
            choose(ck_row(out, plane, y / 2) + x / 2, ck_row(original, plane, y / 2) + x / 2, all, pairs);
    }
}

static void keep_base(ck_picture out, ck_picture original, const uint8_t *returned[2], const uint8_t *given[2], int y, int rows) {
    keep_rows(out, original, returned, given, y, rows);
}
CK_AVX2 static void keep_avx2(ck_picture out, ck_picture original, const uint8_t *returned[2], const uint8_t *given[2], int y,
                              int rows) {
    keep_rows(out, original, returned, given, y, rows);
}

void ck_keep_yuv(ck_picture out, ck_picture original, const uint8_t *returned, ptrdiff_t returned_stride, const uint8_t *given,
                 ptrdiff_t given_stride) {
    for (int y = 0; y < out.height; y += 2) {
        const int rows = y + 1 < out.height ? 2 : 1;
        const uint8_t *from[2] = {returned + y * returned_stride, returned + (y + rows - 1) * returned_stride};
        const uint8_t *to[2] = {given + y * given_stride, given + (y + rows - 1) * given_stride};
        (ck_has_avx2() ? keep_avx2 : keep_base)(out, original, from, to, y, rows);
    }
}

void ck_keep_yuv_ref(ck_picture out, ck_picture original, const uint8_t *returned, ptrdiff_t returned_stride,
                     const uint8_t *given, ptrdiff_t given_stride) {
    for (int plane = 0; plane < 3; plane++)
        for (int y = 0; y < ck_rows(out, plane); y++)
            for (int x = 0; x < ck_columns(out, plane); x++) {
                const int side = plane ? 2 : 1, reach = plane ? 2 : 0;
                int is_same = 1;
                for (int row = y * side; row < (y + 1) * side && row < out.height; row++)
                    for (int tap = -reach; tap <= reach; tap++) {
                        const int column = ck_mirrored(x * side + tap, out.width);
                        const uint8_t *a = returned + row * returned_stride + 4 * (ptrdiff_t)column;
                        const uint8_t *b = given + row * given_stride + 4 * (ptrdiff_t)column;
                        if (memcmp(a, b, 4) != 0 && (a[3] | b[3]) != 0) is_same = 0;
                    }
                if (is_same) ck_row(out, plane, y)[x] = ck_row(original, plane, y)[x];
            }
}
