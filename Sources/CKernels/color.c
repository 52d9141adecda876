/* Colour: primaries, the curves of HDR, and the table that maps its tones to SDR. */
#include <stdlib.h>
#include "color.h"
#include "lut.h"

static double clip(double x, double low, double high) { return x < low ? low : x > high ? high : x; }

/* ---- Matrices ---------------------------------------------------------------------------------------------------------- */

typedef struct matrix {
    double m[3][3];
} matrix;

static matrix product(matrix a, matrix b) {
    matrix p;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) p.m[i][j] = a.m[i][0] * b.m[0][j] + a.m[i][1] * b.m[1][j] + a.m[i][2] * b.m[2][j];
    return p;
}

static matrix inverse(matrix a) {
    matrix r;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            /* Cofactors with their signs, by cyclic indices. */
            const int i1 = (i + 1) % 3, i2 = (i + 2) % 3, j1 = (j + 1) % 3, j2 = (j + 2) % 3;
            r.m[j][i] = a.m[i1][j1] * a.m[i2][j2] - a.m[i1][j2] * a.m[i2][j1];
        }
    const double determinant = a.m[0][0] * r.m[0][0] + a.m[0][1] * r.m[1][0] + a.m[0][2] * r.m[2][0];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) r.m[i][j] /= determinant;
    return r;
}

static void transform(matrix a, const double in[3], double out[3]) {
    const double x = in[0], y = in[1], z = in[2];
    for (int i = 0; i < 3; i++) out[i] = a.m[i][0] * x + a.m[i][1] * y + a.m[i][2] * z;
}

static void xyz_of(const double xy[2], double out[3]) {
    out[0] = xy[0] / xy[1], out[1] = 1, out[2] = (1 - xy[0] - xy[1]) / xy[1];
}

/* From linear RGB to XYZ, white having Y = 1: SMPTE RP 177. */
static matrix xyz_from_rgb(const double xy[8]) {
    matrix p;
    double white[3], scale[3];
    for (int c = 0; c < 3; c++) {
        double column[3];
        xyz_of(xy + 2 * c, column);
        for (int i = 0; i < 3; i++) p.m[i][c] = column[i];
    }
    xyz_of(xy + 6, white);
    transform(inverse(p), white, scale);
    for (int i = 0; i < 3; i++)
        for (int c = 0; c < 3; c++) p.m[i][c] *= scale[c];
    return p;
}

/* Bradford's chromatic adaptation from one white to another (Lam, 1985; as in ICC.1:2022, annex E).
 */
static matrix adaptation(const double from[2], const double to[2]) {
    static const matrix bradford = {{{0.8951, 0.2664, -0.1614}, {-0.7502, 1.7135, 0.0367}, {0.0389, -0.0685, 1.0296}}};
    double a[3], b[3];
    matrix scale = {{{0}}};
    xyz_of(from, a), xyz_of(to, b);
    transform(bradford, a, a), transform(bradford, b, b);
    for (int i = 0; i < 3; i++) scale.m[i][i] = b[i] / a[i];
    return product(inverse(bradford), product(scale, bradford));
}

static matrix change_of_primaries(const double from[8], const double to[8]) {
    matrix xyz = xyz_from_rgb(from);
    if (from[6] != to[6] || from[7] != to[7]) xyz = product(adaptation(from + 6, to + 6), xyz);
    return product(inverse(xyz_from_rgb(to)), xyz);
}

static const double bt2020_xy[8] = {0.708, 0.292, 0.170, 0.797, 0.131, 0.046, 0.3127, 0.3290};

void ck_primaries_matrix(const ck_coding *from, const ck_coding *to, double out[9]) {
    const matrix m = change_of_primaries(from->xy, to->xy);
    for (int i = 0; i < 9; i++) out[i] = m.m[i / 3][i % 3];
}

/* ---- HDR curves -------------------------------------------------------------------------------------------------------- */

static const double pq_m1 = 2610.0 / 16384, pq_m2 = 2523.0 / 4096 * 128, pq_c1 = 3424.0 / 4096, pq_c2 = 2413.0 / 4096 * 32,
                    pq_c3 = 2392.0 / 4096 * 32;

double ck_pq_light(double signal) {
    const double n = pm_pow(clip(signal, 0, 1), 1 / pq_m2);
    const double above = n - pq_c1;
    return above <= 0 ? 0 : 10000 * pm_pow(above / (pq_c2 - pq_c3 * n), 1 / pq_m1);
}

double ck_pq_signal(double light) {
    const double y = pm_pow(clip(light / 10000, 0, 1), pq_m1);
    return pm_pow((pq_c1 + pq_c2 * y) / (1 + pq_c3 * y), pq_m2);
}

static const double hlg_a = 0.17883277, hlg_b = 0.28466892, hlg_c = 0.55991073;

double ck_hlg_scene(double signal) {
    return signal <= 0 ? 0 : signal <= 0.5 ? signal * signal / 3 : (pm_exp((signal - hlg_c) / hlg_a) + hlg_b) / 12;
}

double ck_hlg_signal(double scene) {
    return scene <= 0 ? 0 : scene <= 1.0 / 12 ? sqrt(3 * scene) : hlg_a * pm_log(12 * scene - hlg_b) + hlg_c;
}

void ck_luminance(const double xy[8], double weights[3]) {
    const matrix xyz = xyz_from_rgb(xy);
    for (int i = 0; i < 3; i++) weights[i] = xyz.m[1][i];
}

/* Signal of BT.2020 to light of a display in parts of its peak. */
static void light_of_display(const ck_coding *c, double peak, double rgb[3]) {
    if (c->transfer == CK_PQ) {
        for (int i = 0; i < 3; i++) rgb[i] = ck_pq_light(rgb[i]) / peak;
        return;
    }
    double y = 0;
    const matrix xyz = xyz_from_rgb(c->xy);
    for (int i = 0; i < 3; i++) rgb[i] = ck_hlg_scene(rgb[i]), y += xyz.m[1][i] * rgb[i];
    const double gain = y <= 0 ? 0 : pm_pow(y, ck_hlg_gamma - 1);
    for (int i = 0; i < 3; i++) rgb[i] *= gain;
}

/* ---- Tone mapping ------------------------------------------------------------------------------------------------------ */

static const double bt2020_kr = 0.2627, bt2020_kb = 0.0593, bt2020_kg = 1 - 0.2627 - 0.0593;

/*
 * Light of an HDR display to an SDR signal, both of BT.2020: ITU-R BT.2446-1, section 4 (method A),
 * for an SDR display of 100 cd/m². Its names: L_HDR, ρ, Y', Y'p, Y'c, Y'SDR, Y'TMO.
 */
static void map_tones(double peak, double rgb[3]) {
    /* Light above the peak goes on along the curve and ends above white. */
    for (int i = 0; i < 3; i++) rgb[i] = rgb[i] <= 0 ? 0 : pm_pow(rgb[i], 1 / 2.4);
    const double luma = bt2020_kr * rgb[0] + bt2020_kg * rgb[1] + bt2020_kb * rgb[2];
    const double rho_hdr = 1 + 32 * pm_pow(peak / 10000, 1 / 2.4), rho_sdr = 1 + 32 * pm_pow(100.0 / 10000, 1 / 2.4);
    const double lp = pm_log(1 + (rho_hdr - 1) * luma) / pm_log(rho_hdr);
    const double lc = lp <= 0.7399 ? 1.0770 * lp : lp < 0.9909 ? -1.1510 * lp * lp + 2.7811 * lp - 0.6302 : 0.5 * lp + 0.5;
    const double sdr = (pm_pow(rho_sdr, lc) - 1) / (rho_sdr - 1);
    const double gain = luma <= 0 ? 0 : sdr / (1.1 * luma);
    const double cb = gain * (rgb[2] - luma) / 1.8814, cr = gain * (rgb[0] - luma) / 1.4746;
    const double mapped = sdr - (cr > 0 ? 0.1 * cr : 0);
    rgb[0] = mapped + 1.4746 * cr, rgb[2] = mapped + 1.8814 * cb;
    rgb[1] = (mapped - bt2020_kr * rgb[0] - bt2020_kb * rgb[2]) / bt2020_kg;
}

/* ---- Tables ------------------------------------------------------------------------------------------------------------ */

/* What happens to R'G'B' between two matrices. */
typedef struct change {
    ck_coding from;
    matrix primaries;
    double peak;
} change;

static void change_tones(const change *c, double rgb[3]) {
    light_of_display(&c->from, c->peak, rgb);
    transform(c->primaries, rgb, rgb);
    map_tones(c->peak, rgb);
    for (int i = 0; i < 3; i++) rgb[i] *= ck_mapped_white;
}

static void change_primaries(const change *c, double rgb[3]) {
    for (int i = 0; i < 3; i++) rgb[i] = ck_camera_light(rgb[i]);
    transform(c->primaries, rgb, rgb);
    for (int i = 0; i < 3; i++) rgb[i] = ck_camera_signal(rgb[i] < 0 ? 0 : rgb[i]);
}

/* ITU-T H.273, equations 38 to 43, inverted, then straight with the target's `kr` and `kb`. */
static ck_lut *bake(change c, double kr, double kb, void (*body)(const change *, double[3])) {
    ck_lut *lut = malloc(sizeof *lut);
    if (!lut) return NULL;
    const double from_kg = 1 - c.from.kr - c.from.kb, kg = 1 - kr - kb;
    for (int i = 0; i < CK_LUT_COUNT; i++) {
        const double y = (4.0 * (i % CK_LUT_SIDE) - 16) / 219, u = (4.0 * (i / CK_LUT_U % CK_LUT_SIDE) - 128) / 224,
                     v = (4.0 * (i / CK_LUT_V) - 128) / 224;
        double rgb[3] = {y + 2 * (1 - c.from.kr) * v, 0, y + 2 * (1 - c.from.kb) * u};
        rgb[1] = (y - c.from.kr * rgb[0] - c.from.kb * rgb[2]) / from_kg;
        body(&c, rgb);
        const double luma = kr * rgb[0] + kg * rgb[1] + kb * rgb[2];
        const double codes[3] = {16 + 219 * luma, 128 + 112 * (rgb[2] - luma) / (1 - kb),
                                 128 + 112 * (rgb[0] - luma) / (1 - kr)};
        for (int p = 0; p < 3; p++)
            lut->table[p][i] = (int16_t)lrint(clip(codes[p] * CK_LUT_FRACTION, INT16_MIN, INT16_MAX));
    }
    for (int p = 0; p < 3; p++) lut->table[p][CK_LUT_COUNT] = lut->table[p][CK_LUT_COUNT + 1] = 0;
    return lut;
}

ck_lut *ck_lut_bake_tones(const ck_coding *hdr) {
    const double peak = hdr->transfer == CK_PQ ? clip(hdr->peak, 203, 10000) : ck_hlg_peak;
    return bake((change){*hdr, change_of_primaries(hdr->xy, bt2020_xy), peak}, bt2020_kr, bt2020_kb, change_tones);
}

ck_lut *ck_lut_bake_primaries(const ck_coding *from, const ck_coding *to) {
    return bake((change){*from, change_of_primaries(from->xy, to->xy), 0}, to->kr, to->kb, change_primaries);
}
