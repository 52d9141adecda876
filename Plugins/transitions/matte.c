/* Two pictures mixed by a matte, in every format. */
#include "transitions.h"
#include <math.h>

KIT_INLINE int mixed(int old, int new, int weight) {
    return (old * (MATTE_ONE - weight) + new * weight + MATTE_ONE / 2) >> 15;
}

KIT_INLINE void mix_bytes_body(const uint8_t *old, const uint8_t *new, uint8_t *out, int width, const uint16_t *weight) {
    for (int x = 0; x < width; x++) out[x] = (uint8_t)mixed(old[x], new[x], weight[x]);
}
KIT_KERNEL(mix_bytes, (const uint8_t *old, const uint8_t *new, uint8_t *out, int width, const uint16_t *weight),
           (old, new, out, width, weight))

KIT_INLINE void mix_pixels_body(const uint8_t *old, const uint8_t *new, uint8_t *out, int width, const uint16_t *weight) {
    for (int i = 0; i < 4 * width; i++) out[i] = (uint8_t)mixed(old[i], new[i], weight[i >> 2]);
}
KIT_KERNEL(mix_pixels, (const uint8_t *old, const uint8_t *new, uint8_t *out, int width, const uint16_t *weight),
           (old, new, out, width, weight))

/* At the ends it is one picture alone, whatever is in the other. */
KIT_INLINE void mix_floats_body(const float *old, const float *new, float *out, int width, const uint16_t *weight) {
    for (int i = 0; i < 4 * width; i++) {
        const float w = (float)weight[i >> 2] * (1.0f / MATTE_ONE), both = old[i] * (1 - w) + new[i] * w;
        out[i] = w <= 0 ? old[i] : w >= 1 ? new[i] : both;
    }
}
KIT_KERNEL(mix_floats, (const float *old, const float *new, float *out, int width, const uint16_t *weight),
           (old, new, out, width, weight))

/* The outgoing row with the glow over it, into `lit`. `plane` is that of the colour. */
static void shine(const kit_plane *p, const matte_glow *glow, int plane, int premultiplied, const uint16_t *at, const uint8_t *old,
                  uint8_t *lit) {
    for (int x = 0; x < p->width; x++) {
        const float w = (float)glow->weight[at[x]] * (1.0f / MATTE_ONE), *color = glow->color[at[x]];
        if (p->floats) {
            const float *in = (const float *)(const void *)old + 4 * x, alpha = premultiplied ? in[3] : 1;
            float *out = (float *)(void *)lit + 4 * x;
            for (int c = 0; c < 3; c++) out[c] = w > 0 ? in[c] * (1 - w) + color[c] * alpha * w : in[c];
            out[3] = in[3];
        } else if (p->channels == 1) {
            lit[x] = (uint8_t)((float)old[x] * (1 - w) + color[plane] * w + 0.5f);
        } else {
            const float alpha = premultiplied ? (float)old[4 * x + 3] / 255 : 1;
            for (int c = 0; c < 3; c++)
                lit[4 * x + c] = (uint8_t)((float)old[4 * x + c] * (1 - w) + color[c] * alpha * w + 0.5f);
            lit[4 * x + 3] = old[4 * x + 3];
        }
    }
}

static void mix_row(const kit_job *job, int plane, int y, matte_row row, const matte_glow *glow, uint8_t *room) {
    const kit_plane *p = &job->plane[plane];
    const uint8_t *old = p->in + y * p->in_stride, *new = p->next + y * p->next_stride;
    uint8_t *out = p->out + y * p->out_stride;
    if (glow) shine(p, glow, plane, job->premultiplied, row.glow, old, room), old = room;
    if (p->floats) mix_floats((const float *)(const void *)old, (const float *)(const void *)new, (float *)(void *)out, p->width,
                              row.weight);
    else if (p->channels == 4) mix_pixels(old, new, out, p->width, row.weight);
    else mix_bytes(old, new, out, p->width, row.weight);
}

/* The means of four pixels; past an edge that is odd the last ones count again. */
static void halve(const uint16_t *above, const uint16_t *below, int width, uint16_t *out) {
    for (int x = 0; x < (width + 1) / 2; x++) {
        const int left = 2 * x, right = left + 1 < width ? left + 1 : left;
        out[x] = (uint16_t)((above[left] + above[right] + below[left] + below[right] + 2) >> 2);
    }
}

cutroom_status matte_mix(const kit_job *job, void (*fill)(const kit_job *job, const void *setting, int y, matte_row row),
                         const void *setting, const matte_glow *glow) {
    const kit_plane *p = &job->plane[0];
    const size_t width = (size_t)job->width;
    /* Two rows and their means, of weights and of glow; then a row of samples. */
    uint16_t *rows = kit_alloc(job->host, sizeof *rows * 6 * width + 16 * width);
    if (!rows) return CUTROOM_ERROR_MEMORY;
    matte_row above = {rows, glow ? rows + width : NULL}, below = {rows + 2 * width, glow ? rows + 3 * width : NULL},
              means = {rows + 4 * width, glow ? rows + 5 * width : NULL};
    uint8_t *room = (uint8_t *)(rows + 6 * width);
    for (int y = p->begin; y < p->end; y += 2) {
        const int has_two = y + 1 < p->end;
        fill(job, setting, y, above);
        if (has_two) fill(job, setting, y + 1, below);
        mix_row(job, 0, y, above, glow, room);
        if (has_two) mix_row(job, 0, y + 1, below, glow, room);
        if (job->plane_count == 1) continue;
        halve(above.weight, has_two ? below.weight : above.weight, job->width, means.weight);
        if (glow) halve(above.glow, has_two ? below.glow : above.glow, job->width, means.glow);
        for (int i = 1; i < 3; i++) mix_row(job, i, y / 2, means, glow, room);
    }
    kit_release(job->host, rows);
    return CUTROOM_OK;
}

KIT_INLINE void fill_weights_body(const uint16_t *turns, uint16_t *weight, int width, float turn, float slope) {
    for (int x = 0; x < width; x++) {
        const float w = (turn - (float)turns[x]) * slope;
        weight[x] = (uint16_t)(int32_t)(w <= 0 ? 0 : w >= MATTE_ONE ? MATTE_ONE : w);
    }
}
KIT_KERNEL(fill_weights, (const uint16_t *turns, uint16_t *weight, int width, float turn, float slope),
           (turns, weight, width, turn, slope))

void matte_weights(const kit_job *job, const uint16_t *turns, int y, double turn, double softness, uint16_t *weight) {
    fill_weights(turns + (ptrdiff_t)y * job->width, weight, job->width, (float)turn, (float)(MATTE_ONE / softness));
}
