/* Change of matrix. */
#include "internal.h"
#include "ckernels_color.h"

enum { CHUNK = 256, ROUND = 1 << 13, BITS = 14 };

/* Colour differences in place, and what their luma moves by, for each of the two pixels that share
 * one. */
CK_INLINE void chroma_body(uint8_t *u, uint8_t *v, int16_t *shift, int n, ck_matrix_change m) {
    for (int i = 0; i < n; i++) {
        const int cu = u[i] - 128, cv = v[i] - 128;
        const int16_t moved = (int16_t)((m.luma_from_u * cu + m.luma_from_v * cv + ROUND) >> BITS);
        shift[2 * i] = shift[2 * i + 1] = moved;
        u[i] = ck_u8(((m.u_from_u * cu + m.u_from_v * cv + ROUND) >> BITS) + 128);
        v[i] = ck_u8(((m.v_from_u * cu + m.v_from_v * cv + ROUND) >> BITS) + 128);
    }
}

CK_INLINE void luma_body(uint8_t *luma, const int16_t *shift, int n) {
    for (int i = 0; i < n; i++) luma[i] = ck_u8(luma[i] + shift[i]);
}

CK_INLINE void change_body(ck_picture p, ck_matrix_change m) {
    int16_t shift[2 * CHUNK];
    for (int y = 0; y < p.height; y += 2)
        for (int x = 0; x < p.width; x += 2 * CHUNK) {
            const int columns = p.width - x < 2 * CHUNK ? p.width - x : 2 * CHUNK;
            chroma_body(ck_row(p, 1, y / 2) + x / 2, ck_row(p, 2, y / 2) + x / 2, shift, (columns + 1) / 2, m);
            luma_body(ck_row(p, 0, y) + x, shift, columns);
            if (y + 1 < p.height) luma_body(ck_row(p, 0, y + 1) + x, shift, columns);
        }
}

static void change_base(ck_picture p, ck_matrix_change m) { change_body(p, m); }
CK_AVX2 static void change_avx2(ck_picture p, ck_matrix_change m) { change_body(p, m); }

void ck_change_matrix(ck_picture picture, ck_matrix_change change) {
    if (ck_has_avx2()) change_avx2(picture, change);
    else change_base(picture, change);
}

void ck_change_matrix_ref(ck_picture p, ck_matrix_change m) {
    for (int y = 0; y < p.height; y++)
        for (int x = 0; x < p.width; x++) {
            const int u = ck_row(p, 1, y / 2)[x / 2] - 128, v = ck_row(p, 2, y / 2)[x / 2] - 128;
            uint8_t *luma = ck_row(p, 0, y) + x;
            *luma = ck_u8(*luma + ((m.luma_from_u * u + m.luma_from_v * v + ROUND) >> BITS));
        }
    for (int y = 0; y < ck_rows(p, 1); y++)
        for (int x = 0; x < ck_columns(p, 1); x++) {
            uint8_t *to_u = ck_row(p, 1, y) + x, *to_v = ck_row(p, 2, y) + x;
            const int u = *to_u - 128, v = *to_v - 128;
            *to_u = ck_u8(((m.u_from_u * u + m.u_from_v * v + ROUND) >> BITS) + 128);
            *to_v = ck_u8(((m.v_from_u * u + m.v_from_v * v + ROUND) >> BITS) + 128);
        }
}
