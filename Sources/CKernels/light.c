/*
 * From SDR and from either HDR coding to the other, by the light of a display, pixel by pixel. As
 * in gamut.c one-dimensional tables do the curves: signal to light by the signal in quarters of a
 * 10-bit step, and light to signal, and luminance to the gain of HLG's OOTF, by the upper bits of
 * the floating-point number, which are a logarithm. In between there are integers and
 * single-precision floats without fused operations, so that every processor gives the same result.
 */
#include <stdlib.h>
#include "color.h"
#include "hdr.h"

#pragma STDC FP_CONTRACT OFF

enum {
    /* Quarters of a 10-bit luma step from black to white; below black and above white an eighth and
     * a quarter of that. */
    STEPS = 4 * 876, BELOW = STEPS / 8, DECODE_COUNT = BELOW + STEPS + STEPS / 4,
    FRACTION = 12,
    /* Light from 2⁻³⁰ (less than half a step of PQ) to 1, 512 values for each doubling. */
    SHIFT = 23 - 9, FIRST = (127 - 30) << 9, ENCODE_COUNT = (30 << 9) + 1,
    /* Luminance from 2⁻³⁰ to 4, 256 values for each doubling. */
    GAIN_SHIFT = 23 - 8, GAIN_FIRST = (127 - 30) << 8, GAIN_COUNT = (32 << 8) + 1,
    CHROMA_SHIFT = 21, SIGNAL_BITS = 4,
    CHUNK = 128
};

struct ck_light {
    ck_coding from, to;
    int32_t r_from_v, g_from_u, g_from_v, b_from_u;
    /* The luminance of source and target light, where HLG's gain is asked for. */
    int has_in_gain, has_out_gain;
    float in_luma[3], matrix[9], out_luma[3];
    int32_t kr, kb, u_scale, v_scale;
    float light[DECODE_COUNT], in_gain[GAIN_COUNT], out_gain[GAIN_COUNT];
    int16_t signal[ENCODE_COUNT];
};

/* ITU-R BT.1886 with no light at black; BT.2408: where SDR's white goes. */
static const double display_gamma = 2.4, reference_white = 203, pq_peak = 10000;

static double decode(const ck_coding *from, double signal) {
    switch (from->transfer) {
    case CK_HLG: return ck_hlg_scene(signal);
    case CK_PQ: return ck_pq_light(signal);
    default: return signal <= 0 ? 0 : reference_white * pm_pow(signal, display_gamma);
    }
}

/* cd/m² of what decoding gives 1, HLG's gain applied; and what encoding calls 1. */
static double unit_of_source(const ck_coding *from) { return from->transfer == CK_HLG ? ck_hlg_peak : 1; }
static double unit_of_target(const ck_coding *to) { return to->transfer == CK_HLG ? ck_hlg_peak : pq_peak; }

static double encode(const ck_coding *to, double light) {
    return to->transfer == CK_HLG ? ck_hlg_signal(light) : ck_pq_signal(light * pq_peak);
}

static float float_of(uint32_t bits) {
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* The middle of the numbers that share their upper bits. */
static double middle(int index, int first, int shift) {
    const uint32_t bits = (uint32_t)(index + first) << shift, next = (uint32_t)(index + 1 + first) << shift;
    return ((double)float_of(bits) + (double)float_of(next)) / 2;
}

static int32_t fixed(double x) { return (int32_t)lrint(x * (1 << FRACTION)); }

static void make_tables(ck_light *l) {
    for (int i = 0; i < DECODE_COUNT; i++) l->light[i] = (float)decode(&l->from, (double)(i - BELOW) / STEPS);
    for (int i = 0; i < ENCODE_COUNT; i++) l->signal[i] = (int16_t)lrint(CK_SIGNAL * encode(&l->to, middle(i, FIRST, SHIFT)));
    /* The first stands for no light, too. */
    l->signal[0] = 0, l->signal[ENCODE_COUNT - 1] = CK_SIGNAL;
    for (int i = 0; i < GAIN_COUNT; i++) {
        const double y = middle(i, GAIN_FIRST, GAIN_SHIFT);
        l->in_gain[i] = (float)pm_pow(y, ck_hlg_gamma - 1);
        l->out_gain[i] = (float)pm_pow(y, (1 - ck_hlg_gamma) / ck_hlg_gamma);
    }
}

ck_light *ck_light_make(const ck_coding *from, const ck_coding *to) {
    ck_light *l = malloc(sizeof *l);
    if (!l) return NULL;
    l->from = *from, l->to = *to;
    const double kg = 1 - from->kr - from->kb, chroma = 4 * 876.0 / 896;
    l->r_from_v = fixed(chroma * 2 * (1 - from->kr));
    l->b_from_u = fixed(chroma * 2 * (1 - from->kb));
    l->g_from_v = fixed(-chroma * 2 * (1 - from->kr) * from->kr / kg);
    l->g_from_u = fixed(-chroma * 2 * (1 - from->kb) * from->kb / kg);
    l->has_in_gain = from->transfer == CK_HLG, l->has_out_gain = to->transfer == CK_HLG;
    double matrix[9], in_luma[3], out_luma[3];
    ck_primaries_matrix(from, to, matrix);
    ck_luminance(from->xy, in_luma), ck_luminance(to->xy, out_luma);
    const double scale = unit_of_source(from) / unit_of_target(to);
    for (int i = 0; i < 9; i++) l->matrix[i] = (float)(matrix[i] * scale);
    for (int i = 0; i < 3; i++) l->in_luma[i] = (float)in_luma[i], l->out_luma[i] = (float)out_luma[i];
    l->kr = fixed(to->kr), l->kb = fixed(to->kb);
    /* From the sum of four signals' differences to a chroma step of 10 bits. */
    l->u_scale = (int32_t)lrint(448.0 / (4 * CK_SIGNAL) / (1 - to->kb) * (1 << CHROMA_SHIFT));
    l->v_scale = (int32_t)lrint(448.0 / (4 * CK_SIGNAL) / (1 - to->kr) * (1 << CHROMA_SHIFT));
    make_tables(l);
    return l;
}

void ck_light_free(ck_light *light) { free(light); }

/* ---- The work ------------------------------------------------------------------------------------------------------------ */

CK_INLINE int light_index(int sum) { return ck_clamp((sum >> FRACTION) + BELOW, 0, DECODE_COUNT - 1); }

CK_INLINE int float_index(float x, float most, int first, int shift) {
    const float low = 1.0f / (1 << 30);
    const float y = x < low ? low : x > most ? most : x;
    uint32_t bits;
    memcpy(&bits, &y, sizeof bits);
    return (int)(bits >> shift) - first;
}

CK_INLINE int signal_index(float light) { return float_index(light, 1, FIRST, SHIFT); }
CK_INLINE int gain_index(float luminance) { return float_index(luminance, 4, GAIN_FIRST, GAIN_SHIFT); }
CK_INLINE float unit(float x) { return x < 0 ? 0 : x > 1 ? 1 : x; }

/* `index` says where in the table of light R'G'B' is, and then what the signals are. */
CK_INLINE void change(const ck_light *l, int16_t (*index)[2 * CHUNK], int n) {
    float light[3][2 * CHUNK], mixed[3][2 * CHUNK];
    int16_t gain[2 * CHUNK];
    for (int c = 0; c < 3; c++)
        for (int i = 0; i < n; i++) light[c][i] = l->light[index[c][i]];
    if (l->has_in_gain) {
        const float *w = l->in_luma;
        for (int i = 0; i < n; i++) gain[i] = (int16_t)gain_index(w[0] * light[0][i] + w[1] * light[1][i] + w[2] * light[2][i]);
        for (int c = 0; c < 3; c++)
            for (int i = 0; i < n; i++) light[c][i] *= l->in_gain[gain[i]];
    }
    for (int c = 0; c < 3; c++) {
        const float *m = l->matrix + 3 * c;
        for (int i = 0; i < n; i++) mixed[c][i] = unit(m[0] * light[0][i] + m[1] * light[1][i] + m[2] * light[2][i]);
    }
    if (l->has_out_gain) {
        const float *w = l->out_luma;
        for (int i = 0; i < n; i++) gain[i] = (int16_t)gain_index(w[0] * mixed[0][i] + w[1] * mixed[1][i] + w[2] * mixed[2][i]);
        for (int c = 0; c < 3; c++)
            for (int i = 0; i < n; i++) mixed[c][i] *= l->out_gain[gain[i]];
    }
    for (int c = 0; c < 3; c++)
        for (int i = 0; i < n; i++) index[c][i] = (int16_t)signal_index(mixed[c][i]);
    for (int c = 0; c < 3; c++)
        for (int i = 0; i < n; i++) index[c][i] = l->signal[index[c][i]];
}

CK_INLINE int luma_of(const ck_light *l, int r, int g, int b) {
    const int32_t sum = l->kr * r + ((1 << FRACTION) - l->kr - l->kb) * g + l->kb * b;
    return ck_clamp(64 + ((sum + (1 << (FRACTION + SIGNAL_BITS - 1))) >> (FRACTION + SIGNAL_BITS)), 0, 1023);
}

CK_INLINE void chroma_of(const ck_light *l, const int sum[3], uint16_t *u, uint16_t *v) {
    const int kr = l->kr, kb = l->kb, kg = (1 << FRACTION) - kr - kb;
    const int y = (kr * sum[0] + kg * sum[1] + kb * sum[2] + (1 << (FRACTION - 1))) >> FRACTION;
    *u = ck_u10(512 + (((sum[2] - y) * l->u_scale + (1 << (CHROMA_SHIFT - 1))) >> CHROMA_SHIFT));
    *v = ck_u10(512 + (((sum[0] - y) * l->v_scale + (1 << (CHROMA_SHIFT - 1))) >> CHROMA_SHIFT));
}

CK_INLINE int sample(uint16_t x) { return x < 1023 ? x : 1023; }

/* One row of `n` columns: its luma, and its signals for the chroma to come. */
CK_INLINE void row_body(const ck_light *l, const uint16_t *in, uint16_t *out, int n, int16_t (*chroma)[2 * CHUNK],
                        int16_t (*signal)[2 * CHUNK]) {
    for (int i = 0; i < n; i++) {
        const int y = (sample(in[i]) - 64) * (4 << FRACTION) + (1 << (FRACTION - 1)), u = chroma[0][i], v = chroma[1][i];
        signal[0][i] = (int16_t)light_index(y + l->r_from_v * v);
        signal[1][i] = (int16_t)light_index(y + l->g_from_u * u + l->g_from_v * v);
        signal[2][i] = (int16_t)light_index(y + l->b_from_u * u);
    }
    change(l, signal, n);
    for (int i = 0; i < n; i++) out[i] = (uint16_t)luma_of(l, signal[0][i], signal[1][i], signal[2][i]);
}

CK_INLINE void apply(ck_picture out, ck_picture in, const ck_light *l) {
    int16_t chroma[2][2 * CHUNK], signal[2][3][2 * CHUNK];
    for (int y = 0; y < in.height; y += 2)
        for (int x = 0; x < in.width; x += 2 * CHUNK) {
            const int columns = in.width - x < 2 * CHUNK ? in.width - x : 2 * CHUNK, pairs = (columns + 1) / 2;
            for (int p = 0; p < 2; p++) {
                const uint16_t *row = ck_row_10(in, p + 1, y / 2) + x / 2;
                for (int i = 0; i < pairs; i++) chroma[p][2 * i] = chroma[p][2 * i + 1] = (int16_t)(sample(row[i]) - 512);
            }
            const int rows = y + 1 < in.height ? 2 : 1;
            for (int r = 0; r < rows; r++) {
                row_body(l, ck_row_10(in, 0, y + r) + x, ck_row_10(out, 0, y + r) + x, columns, chroma, signal[r]);
                /* At the edge the last column counts twice. */
                if (columns & 1)
                    for (int c = 0; c < 3; c++) signal[r][c][columns] = signal[r][c][columns - 1];
            }
            int16_t(*a)[2 * CHUNK] = signal[0], (*b)[2 * CHUNK] = signal[rows - 1];
            uint16_t *u = ck_row_10(out, 1, y / 2) + x / 2, *v = ck_row_10(out, 2, y / 2) + x / 2;
            for (int i = 0; i < pairs; i++) {
                int sum[3];
                for (int c = 0; c < 3; c++) sum[c] = a[c][2 * i] + a[c][2 * i + 1] + b[c][2 * i] + b[c][2 * i + 1];
                chroma_of(l, sum, u + i, v + i);
            }
        }
}

static void apply_base(ck_picture out, ck_picture in, const ck_light *l) { apply(out, in, l); }
CK_AVX2 static void apply_avx2(ck_picture out, ck_picture in, const ck_light *l) { apply(out, in, l); }

void ck_light_apply(ck_picture out, ck_picture in, const ck_light *light) {
    (ck_has_avx2() ? apply_avx2 : apply_base)(out, in, light);
}

/* ---- Single colours ------------------------------------------------------------------------------------------------------ */

void ck_light_signals(const ck_light *l, const int rgb[3], int signal[3]) {
    int16_t index[3][2 * CHUNK];
    for (int c = 0; c < 3; c++) index[c][0] = (int16_t)(BELOW + (rgb[c] * STEPS + 127) / 255);
    change(l, index, 1);
    for (int c = 0; c < 3; c++) signal[c] = index[c][0];
}

uint16_t ck_light_luma(const ck_light *l, const int signal[3]) { return (uint16_t)luma_of(l, signal[0], signal[1], signal[2]); }

void ck_light_chroma(const ck_light *l, const int sum[3], uint16_t *u, uint16_t *v) { chroma_of(l, sum, u, v); }

void ck_light_color(const ck_light *l, const uint8_t rgb[3], uint16_t yuv[3]) {
    const int values[3] = {rgb[0], rgb[1], rgb[2]};
    int signal[3], sum[3];
    ck_light_signals(l, values, signal);
    for (int c = 0; c < 3; c++) sum[c] = 4 * signal[c];
    yuv[0] = ck_light_luma(l, signal);
    ck_light_chroma(l, sum, yuv + 1, yuv + 2);
}

/* ---- The reference: one pixel after the other, in double precision --------------------------------------------------------- */

static double clip(double x, double low, double high) { return x < low ? low : x > high ? high : x; }

static void pixel(const ck_light *l, int y, int u, int v, double rgb[3]) {
    const ck_coding *f = &l->from;
    const double e = (y - 64) / 876.0, b = (u - 512) / 896.0, r = (v - 512) / 896.0;
    const double in[3] = {e + 2 * (1 - f->kr) * r,
                          e - 2 * ((1 - f->kr) * f->kr * r + (1 - f->kb) * f->kb * b) / (1 - f->kr - f->kb),
                          e + 2 * (1 - f->kb) * b};
    double light[3], weights[3], matrix[9];
    for (int c = 0; c < 3; c++) light[c] = decode(f, clip(in[c], -0.125, 1.25 - 1.0 / STEPS));
    ck_luminance(f->xy, weights);
    const double luminance = clip(weights[0] * light[0] + weights[1] * light[1] + weights[2] * light[2], 0, 4);
    for (int c = 0; c < 3 && f->transfer == CK_HLG; c++) light[c] *= luminance <= 0 ? 0 : pm_pow(luminance, ck_hlg_gamma - 1);
    ck_primaries_matrix(f, &l->to, matrix);
    const double scale = unit_of_source(f) / unit_of_target(&l->to);
    for (int c = 0; c < 3; c++)
        rgb[c] = clip(scale * (matrix[3 * c] * light[0] + matrix[3 * c + 1] * light[1] + matrix[3 * c + 2] * light[2]), 0, 1);
    ck_luminance(l->to.xy, weights);
    const double shown = weights[0] * rgb[0] + weights[1] * rgb[1] + weights[2] * rgb[2];
    for (int c = 0; c < 3; c++) {
        if (l->to.transfer == CK_HLG) rgb[c] *= shown <= 0 ? 0 : pm_pow(shown, (1 - ck_hlg_gamma) / ck_hlg_gamma);
        rgb[c] = encode(&l->to, clip(rgb[c], 0, 1));
    }
}

void ck_light_apply_ref(ck_picture out, ck_picture in, const ck_light *l) {
    const double kr = l->to.kr, kb = l->to.kb, kg = 1 - kr - kb;
    for (int by = 0; by < ck_rows(in, 1); by++)
        for (int bx = 0; bx < ck_columns(in, 1); bx++) {
            const int u = sample(ck_row_10(in, 1, by)[bx]), v = sample(ck_row_10(in, 2, by)[bx]);
            double sum[3] = {0, 0, 0};
            for (int k = 0; k < 4; k++) {
                const int x = 2 * bx + k % 2 < in.width ? 2 * bx + k % 2 : 2 * bx;
                const int y = 2 * by + k / 2 < in.height ? 2 * by + k / 2 : 2 * by;
                double rgb[3];
                pixel(l, sample(ck_row_10(in, 0, y)[x]), u, v, rgb);
                for (int c = 0; c < 3; c++) sum[c] += rgb[c] / 4;
                ck_row_10(out, 0, y)[x] = ck_u10((int)lrint(64 + 876 * (kr * rgb[0] + kg * rgb[1] + kb * rgb[2])));
            }
            const double y = kr * sum[0] + kg * sum[1] + kb * sum[2];
            ck_row_10(out, 1, by)[bx] = ck_u10((int)lrint(512 + 448 * (sum[2] - y) / (1 - kb)));
            ck_row_10(out, 2, by)[bx] = ck_u10((int)lrint(512 + 448 * (sum[0] - y) / (1 - kr)));
        }
}
