/*
 * From one SDR coding to another by linear light, pixel by pixel: a three-dimensional table would
 * round off the corner at the target's border, where a clipped component begins to rise steeply.
 *
 * Two one-dimensional tables do the curves: signal to light by the signal in quarters of a 10-bit
 * step, light to signal by the upper bits of the floating-point number, which are a logarithm. In
 * between there are integers and single-precision floats without fused operations, so that every
 * processor gives the same result.
 */
#include <stdlib.h>
#include "color.h"

enum {
    /* Quarters of a 10-bit luma step from black to white; below black and above white an eighth and
     * a quarter of that. */
    STEPS = 4 * 876, BELOW = STEPS / 8, DECODE_COUNT = BELOW + STEPS + STEPS / 4,
    FRACTION = 12,
    /* Light from 2⁻¹³ (an eighth of a code value of signal) to 1, 256 values for each doubling. */
    SHIFT = 23 - 8, FIRST = (127 - 13) << 8, ENCODE_COUNT = (13 << 8) + 1,
    /* Signal in 1/64 of an 8-bit luma step. */
    SIGNAL = 219 * 64,
    CHUNK = 128
};

struct ck_gamut {
    int32_t r_from_v, g_from_u, g_from_v, b_from_u;
    float matrix[9];
    int32_t kr, kb;
    int32_t u_scale, v_scale;
    float light[DECODE_COUNT];
    int16_t signal[ENCODE_COUNT];
};

static float float_of(uint32_t bits) {
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static int32_t fixed(double x) { return (int32_t)lrint(x * (1 << FRACTION)); }

ck_gamut *ck_gamut_make(const ck_coding *from, const ck_coding *to) {
    ck_gamut *g = malloc(sizeof *g);
    if (!g) return NULL;
    const double kg = 1 - from->kr - from->kb, chroma = 4 * 876.0 / 896;
    g->r_from_v = fixed(chroma * 2 * (1 - from->kr));
    g->b_from_u = fixed(chroma * 2 * (1 - from->kb));
    g->g_from_v = fixed(-chroma * 2 * (1 - from->kr) * from->kr / kg);
    g->g_from_u = fixed(-chroma * 2 * (1 - from->kb) * from->kb / kg);
    double matrix[9];
    ck_primaries_matrix(from, to, matrix);
    for (int i = 0; i < 9; i++) g->matrix[i] = (float)matrix[i];
    g->kr = fixed(to->kr), g->kb = fixed(to->kb);
    /* From four times 1/64 of a luma step to a chroma step. */
    g->u_scale = (int32_t)lrint(112.0 / 219 / (1 - to->kb) / 256 * (1 << 22));
    g->v_scale = (int32_t)lrint(112.0 / 219 / (1 - to->kr) / 256 * (1 << 22));
    const double white = from->transfer == CK_MAPPED ? ck_mapped_white : 1;
    for (int i = 0; i < DECODE_COUNT; i++) g->light[i] = (float)ck_camera_light((double)(i - BELOW) / STEPS / white);
    for (int i = 0; i < ENCODE_COUNT; i++) {
        /* The middle of the numbers that share these bits. */
        const uint32_t bits = (uint32_t)(i + FIRST) << SHIFT, next = (uint32_t)(i + 1 + FIRST) << SHIFT;
        const double light = ((double)float_of(bits) + (double)float_of(next)) / 2;
        g->signal[i] = (int16_t)lrint(SIGNAL * ck_camera_signal(light));
    }
    g->signal[0] = 0, g->signal[ENCODE_COUNT - 1] = SIGNAL;
    return g;
}

void ck_gamut_free(ck_gamut *gamut) { free(gamut); }

/* In 10-bit steps, at most 1023. */
CK_INLINE int get(const uint8_t *row, int x, int bits) {
    if (bits == 8) return row[x] << 2;
    uint16_t sample;
    memcpy(&sample, row + 2 * (ptrdiff_t)x, sizeof sample);
    return sample < 1023 ? sample : 1023;
}

CK_INLINE int light_index(int sum) { return ck_clamp((sum >> FRACTION) + BELOW, 0, DECODE_COUNT - 1); }

CK_INLINE int signal_index(float light) {
    const float low = 1.0f / 8192;
    const float x = light < low ? low : light > 1 ? 1 : light;
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return (int)(bits >> SHIFT) - FIRST;
}

/* One row of `n` columns: its luma, and its signals for the chroma to come. */
CK_INLINE void row_body(const ck_gamut *g, const uint8_t *in, uint8_t *out, int n, int16_t (*chroma)[2 * CHUNK],
                        int16_t (*signal)[2 * CHUNK], int bits) {
    int16_t index[3][2 * CHUNK];
    float light[3][2 * CHUNK];
    for (int i = 0; i < n; i++) {
        const int y = (get(in, i, bits) - 64) * (4 << FRACTION) + (1 << (FRACTION - 1)), u = chroma[0][i], v = chroma[1][i];
        index[0][i] = (int16_t)light_index(y + g->r_from_v * v);
        index[1][i] = (int16_t)light_index(y + g->g_from_u * u + g->g_from_v * v);
        index[2][i] = (int16_t)light_index(y + g->b_from_u * u);
    }
    for (int c = 0; c < 3; c++)
        for (int i = 0; i < n; i++) light[c][i] = g->light[index[c][i]];
    for (int c = 0; c < 3; c++) {
        const float *m = g->matrix + 3 * c;
        for (int i = 0; i < n; i++)
            index[c][i] = (int16_t)signal_index(m[0] * light[0][i] + m[1] * light[1][i] + m[2] * light[2][i]);
    }
    for (int c = 0; c < 3; c++)
        for (int i = 0; i < n; i++) signal[c][i] = g->signal[index[c][i]];
    const int32_t kr = g->kr, kb = g->kb, kg = (1 << FRACTION) - kr - kb;
    for (int i = 0; i < n; i++) {
        const int32_t sum = kr * signal[0][i] + kg * signal[1][i] + kb * signal[2][i];
        out[i] = ck_u8(16 + ((sum + (1 << (FRACTION + 5))) >> (FRACTION + 6)));
    }
}

CK_INLINE void chroma_body(const ck_gamut *g, int16_t (*a)[2 * CHUNK], int16_t (*b)[2 * CHUNK], uint8_t *u, uint8_t *v, int n) {
    const int32_t kr = g->kr, kb = g->kb, kg = (1 << FRACTION) - kr - kb;
    for (int i = 0; i < n; i++) {
        int32_t rgb[3];
        for (int c = 0; c < 3; c++) rgb[c] = a[c][2 * i] + a[c][2 * i + 1] + b[c][2 * i] + b[c][2 * i + 1];
        const int32_t y = (kr * rgb[0] + kg * rgb[1] + kb * rgb[2] + (1 << (FRACTION - 1))) >> FRACTION;
        u[i] = ck_u8(128 + (((rgb[2] - y) * g->u_scale + (1 << 21)) >> 22));
        v[i] = ck_u8(128 + (((rgb[0] - y) * g->v_scale + (1 << 21)) >> 22));
    }
}

CK_INLINE void apply(ck_picture out, ck_picture in, const ck_gamut *g, int bits) {
    int16_t chroma[2][2 * CHUNK], signal[2][3][2 * CHUNK];
    const ptrdiff_t size = bits > 8 ? 2 : 1;
    for (int y = 0; y < in.height; y += 2)
        for (int x = 0; x < in.width; x += 2 * CHUNK) {
            const int columns = in.width - x < 2 * CHUNK ? in.width - x : 2 * CHUNK, pairs = (columns + 1) / 2;
            for (int p = 0; p < 2; p++) {
                const uint8_t *row = ck_row(in, p + 1, y / 2) + x / 2 * size;
                for (int i = 0; i < pairs; i++) chroma[p][2 * i] = chroma[p][2 * i + 1] = (int16_t)(get(row, i, bits) - 512);
            }
            const int rows = y + 1 < in.height ? 2 : 1;
            for (int r = 0; r < rows; r++) {
                row_body(g, ck_row(in, 0, y + r) + x * size, ck_row(out, 0, y + r) + x, columns, chroma, signal[r], bits);
                /* At the edge the last column counts twice. */
                if (columns & 1)
                    for (int c = 0; c < 3; c++) signal[r][c][columns] = signal[r][c][columns - 1];
            }
            chroma_body(g, signal[0], signal[rows - 1], ck_row(out, 1, y / 2) + x / 2, ck_row(out, 2, y / 2) + x / 2, pairs);
        }
}

static void apply_8(ck_picture out, ck_picture in, const ck_gamut *g) { apply(out, in, g, 8); }
static void apply_10(ck_picture out, ck_picture in, const ck_gamut *g) { apply(out, in, g, 10); }
CK_AVX2 static void apply_8_avx2(ck_picture out, ck_picture in, const ck_gamut *g) { apply(out, in, g, 8); }
CK_AVX2 static void apply_10_avx2(ck_picture out, ck_picture in, const ck_gamut *g) { apply(out, in, g, 10); }

void ck_gamut_apply(ck_picture out, ck_picture in, const ck_gamut *gamut) {
    (ck_has_avx2() ? apply_8_avx2 : apply_8)(out, in, gamut);
}

void ck_gamut_apply_10_8(ck_picture out, ck_picture in, const ck_gamut *gamut) {
    (ck_has_avx2() ? apply_10_avx2 : apply_10)(out, in, gamut);
}

/* ---- The reference: one pixel after the other ---------------------------------------------------------------------------- */

static void pixel(const ck_gamut *g, int y, int u, int v, int32_t rgb[3]) {
    const int luma = (y - 64) * (4 << FRACTION) + (1 << (FRACTION - 1));
    const int sums[3] = {luma + g->r_from_v * v, luma + g->g_from_u * u + g->g_from_v * v, luma + g->b_from_u * u};
    float light[3];
    for (int c = 0; c < 3; c++) light[c] = g->light[light_index(sums[c])];
    for (int c = 0; c < 3; c++) {
        const float *m = g->matrix + 3 * c;
        rgb[c] = g->signal[signal_index(m[0] * light[0] + m[1] * light[1] + m[2] * light[2])];
    }
}

static void reference(ck_picture out, ck_picture in, const ck_gamut *g, int bits) {
    const int32_t kr = g->kr, kb = g->kb, kg = (1 << FRACTION) - kr - kb;
    for (int by = 0; by < ck_rows(in, 1); by++)
        for (int bx = 0; bx < ck_columns(in, 1); bx++) {
            const int u = get(ck_row(in, 1, by), bx, bits) - 512, v = get(ck_row(in, 2, by), bx, bits) - 512;
            int32_t sum[3] = {0, 0, 0};
            for (int k = 0; k < 4; k++) {
                const int x = 2 * bx + k % 2 < in.width ? 2 * bx + k % 2 : 2 * bx;
                const int y = 2 * by + k / 2 < in.height ? 2 * by + k / 2 : 2 * by;
                int32_t rgb[3];
                pixel(g, get(ck_row(in, 0, y), x, bits), u, v, rgb);
                for (int c = 0; c < 3; c++) sum[c] += rgb[c];
                ck_row(out, 0, y)[x] =
                    ck_u8(16 + ((kr * rgb[0] + kg * rgb[1] + kb * rgb[2] + (1 << (FRACTION + 5))) >> (FRACTION + 6)));
            }
            const int32_t y = (kr * sum[0] + kg * sum[1] + kb * sum[2] + (1 << (FRACTION - 1))) >> FRACTION;
            ck_row(out, 1, by)[bx] = ck_u8(128 + (((sum[2] - y) * g->u_scale + (1 << 21)) >> 22));
            ck_row(out, 2, by)[bx] = ck_u8(128 + (((sum[0] - y) * g->v_scale + (1 << 21)) >> 22));
        }
}

void ck_gamut_apply_ref(ck_picture out, ck_picture in, const ck_gamut *gamut) { reference(out, in, gamut, 8); }
void ck_gamut_apply_10_8_ref(ck_picture out, ck_picture in, const ck_gamut *gamut) { reference(out, in, gamut, 10); }
