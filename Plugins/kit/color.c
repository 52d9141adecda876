/* Code values, by ITU-T H.273. */
#include "kit.h"
#include <math.h>

kit_coding kit_coding_of(uint32_t matrix, int full_range) {
    kit_coding coding = {0.2126, 0.0722, full_range ? 0 : 16, full_range ? 255 : 219, full_range ? 255 : 224};
    if (matrix == 5 || matrix == 6) coding.kr = 0.299, coding.kb = 0.114;
    if (matrix == 9) coding.kr = 0.2627, coding.kb = 0.0593;
    return coding;
}

void kit_codes(const kit_coding *coding, const double rgb[3], int codes[3]) {
    const double y = coding->kr * rgb[0] + (1 - coding->kr - coding->kb) * rgb[1] + coding->kb * rgb[2];
    const double u = (rgb[2] - y) / (2 * (1 - coding->kb)), v = (rgb[0] - y) / (2 * (1 - coding->kr));
    codes[0] = (int)floor(coding->black + coding->luma * y + 0.5);
    codes[1] = kit_clamp((int)floor(128 + coding->chroma * u + 0.5), 0, 255);
    codes[2] = kit_clamp((int)floor(128 + coding->chroma * v + 0.5), 0, 255);
}

/* ITU-R BT.2100: light in cd/m² as PQ. */
static double pq(double light) {
    if (light <= 0) return 0;
    const double y = kit_pow(light / 10000, 2610.0 / 16384);
    return kit_pow((3424.0 / 4096 + 2413.0 / 128 * y) / (1 + 2392.0 / 128 * y), 2523.0 / 32);
}

/* Light in parts of HLG's nominal display of 1000 cd/m², undone by its gain, as HLG. */
static double hlg(double scene) {
    return scene <= 1.0 / 12 ? sqrt(3 * scene) : 0.17883277 * kit_log(12 * scene - 0.28466892) + 0.55991073;
}

/* The matrix is that of ITU-R BT.2087. */
void kit_light(const double srgb[3], uint32_t transfer, float out[3]) {
    static const double matrix[3][3] = {{0.6274, 0.3293, 0.0433}, {0.0691, 0.9195, 0.0114}, {0.0164, 0.0880, 0.8956}};
    double light[3], luminance = 0;
    for (int c = 0; c < 3; c++) {
        light[c] = 0;
        for (int i = 0; i < 3; i++) light[c] += srgb[i] > 0 ? 203 * matrix[c][i] * kit_pow(srgb[i], 2.4) : 0;
    }
    luminance = (0.2627 * light[0] + 0.6780 * light[1] + 0.0593 * light[2]) / 1000;
    for (int c = 0; c < 3; c++) {
        if (transfer == 16) out[c] = (float)pq(light[c]);
        else if (transfer == 18) out[c] = luminance > 0 ? (float)hlg(light[c] / 1000 * kit_pow(luminance, 1 / 1.2 - 1)) : 0;
        else out[c] = (float)srgb[c];
    }
}

void kit_samples_of(const kit_job *job, const double srgb[3], float out[3]) {
    int codes[3];
    if (job->plane[0].floats) {
        kit_light(srgb, job->call->output->transfer, out);
    } else if (job->plane_count == 3) {
        kit_codes(&job->coding, srgb, codes);
        for (int c = 0; c < 3; c++) out[c] = (float)codes[c];
    } else {
        for (int c = 0; c < 3; c++) out[c] = (float)floor(255 * srgb[c] + 0.5);
    }
}

KIT_INLINE void luma_row_body(const uint8_t *rgba, int width, uint8_t *luma) {
    /* BT.709's weights in 1/65536. */
    for (int x = 0; x < width; x++)
        luma[x] = (uint8_t)((13933 * rgba[4 * x] + 46871 * rgba[4 * x + 1] + 4732 * rgba[4 * x + 2] + 32768) >> 16);
}
KIT_KERNEL(luma_row, (const uint8_t *rgba, int width, uint8_t *luma), (rgba, width, luma))
void kit_luma_row(const uint8_t *rgba, int width, uint8_t *luma) { luma_row(rgba, width, luma); }

KIT_INLINE void add_luma_body(const uint8_t *in, uint8_t *out, int width, const int16_t *delta, int premultiplied) {
    for (int x = 0; x < width; x++, in += 4, out += 4) {
        const int limit = premultiplied ? in[3] : 255;
        for (int c = 0; c < 3; c++) out[c] = (uint8_t)kit_clamp(in[c] + delta[x], 0, limit);
        out[3] = in[3];
    }
}
KIT_KERNEL(add_luma, (const uint8_t *in, uint8_t *out, int width, const int16_t *delta, int premultiplied),
           (in, out, width, delta, premultiplied))
void kit_add_luma(const uint8_t *in, uint8_t *out, int width, const int16_t *delta, int premultiplied) {
    add_luma(in, out, width, delta, premultiplied);
}

kit_luma kit_luma_of(const kit_job *job, int low, int high) {
    const kit_plane *p = &job->plane[0];
    if (job->plane_count == 3) return (kit_luma){p->in, p->in_stride, NULL};
    low = kit_clamp(low, 0, p->height), high = kit_clamp(high, 0, p->height);
    uint8_t *rows = kit_alloc(job->host, (size_t)p->width * (size_t)(high - low));
    if (!rows) return (kit_luma){NULL, 0, NULL};
    for (int y = low; y < high; y++) kit_luma_row(p->in + y * p->in_stride, p->width, rows + (ptrdiff_t)(y - low) * p->width);
    return (kit_luma){rows - (ptrdiff_t)low * p->width, p->width, rows};
}

KIT_INLINE void shift_bytes_body(const uint8_t *in, uint8_t *out, int width, const int16_t *delta) {
    for (int x = 0; x < width; x++) out[x] = kit_u8(in[x] + delta[x]);
}
KIT_KERNEL(shift_bytes, (const uint8_t *in, uint8_t *out, int width, const int16_t *delta), (in, out, width, delta))

void kit_shift_luma(const kit_job *job, int y, const int16_t *delta) {
    const kit_plane *p = &job->plane[0];
    const uint8_t *in = p->in + y * p->in_stride;
    uint8_t *out = p->out + y * p->out_stride;
    if (job->plane_count == 3) shift_bytes(in, out, p->width, delta);
    else kit_add_luma(in, out, p->width, delta, job->premultiplied);
}
