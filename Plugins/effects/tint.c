#include "tint.h"
#include <math.h>

KIT_INLINE void mix_row_body(const uint8_t *in, uint8_t *out, int count, int color, int weight) {
    const int added = color * weight + 128;
    for (int i = 0; i < count; i++) out[i] = (uint8_t)((in[i] * (256 - weight) + added) >> 8);
}
KIT_KERNEL(mix_row, (const uint8_t *in, uint8_t *out, int count, int color, int weight), (in, out, count, color, weight))

/* Colours stay below their alpha where it is multiplied in. */
static void mix_pixels(const uint8_t *in, uint8_t *out, int width, const int color[3], int weight, int premultiplied) {
    for (int x = 0; x < width; x++, in += 4, out += 4) {
        const int alpha = premultiplied ? in[3] : 255;
        for (int c = 0; c < 3; c++)
            out[c] = (uint8_t)((in[c] * (256 - weight) + (color[c] * alpha + 127) / 255 * weight + 128) >> 8);
        out[3] = in[3];
    }
}

cutroom_status tint(const kit_job *job, const double rgba[4], double strength) {
    const int weight = (int)floor(256 * strength * rgba[3] + 0.5);
    if (weight <= 0) return CUTROOM_PASS;
    int color[3];
    if (job->plane_count == 3) kit_codes(&job->coding, rgba, color);
    else for (int c = 0; c < 3; c++) color[c] = (int)floor(255 * rgba[c] + 0.5);
    for (int i = 0; i < job->plane_count; i++) {
        const kit_plane *p = &job->plane[i];
        for (int y = p->begin; y < p->end; y++) {
            const uint8_t *in = p->in + y * p->in_stride;
            uint8_t *out = p->out + y * p->out_stride;
            if (p->channels == 1) mix_row(in, out, p->width, color[i], weight);
            else mix_pixels(in, out, p->width, color, weight, job->premultiplied);
        }
    }
    return CUTROOM_OK;
}
