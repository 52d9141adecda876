/* org.cutroom.soul_out: again and again a ghost of the picture leaves it: a copy that grows and
 * fades. */
#include "../effects.h"
#include <math.h>

enum { PERIOD, SCALE, OPACITY, CENTER };

static const cutroom_param params[] = {
    [PERIOD] = KIT_DOUBLE("period", "Period", "s", 0.05, 60, 0.7, "How long a ghost is visible before the next one starts."),
    [SCALE] = KIT_DOUBLE("scale", "Scale", "", 1, 10, 1.8, "The size of a ghost when it has vanished, as a factor."),
    [OPACITY] = KIT_DOUBLE("opacity", "Opacity", "", 0, 1, 0.5, "How opaque a ghost is at its start."),
    [CENTER] = KIT_POINT(0, "center", "Centre", "", 0, 1, 0.5, 0.5, "The point from which a ghost grows, in widths and heights."),
};

KIT_INLINE void mix_row_body(const uint8_t *in, uint8_t *out, int count, int weight) {
    for (int i = 0; i < count; i++) out[i] = (uint8_t)((in[i] * (256 - weight) + out[i] * weight + 128) >> 8);
}
KIT_KERNEL(mix_row, (const uint8_t *in, uint8_t *out, int count, int weight), (in, out, count, weight))

static cutroom_status render(const kit_job *job) {
    const cutroom_value *v = job->values;
    const double progress = kit_phase(job->time / v[PERIOD].n[0]);
    const int weight = (int)floor(256 * v[OPACITY].n[0] * (1 - progress) + 0.5);
    /* At its start a ghost is the picture itself. */
    if (weight == 0 || progress == 0) return CUTROOM_PASS;
    const double size = 1 / (1 + (v[SCALE].n[0] - 1) * progress);
    const kit_affine map = {size, 0, 0, size, (1 - size) * v[CENTER].n[0] * job->width,
        (1 - size) * v[CENTER].n[1] * job->height};
    for (int i = 0; i < job->plane_count; i++) {
        const kit_plane *p = &job->plane[i];
        for (int y = p->begin; y < p->end; y++) {
            uint8_t *out = p->out + y * p->out_stride;
            kit_sample_row(p, out, p->width, kit_line_of(&map, p, 0, y), KIT_CLAMP);
            mix_row(p->in + y * p->in_stride, out, p->width * p->channels, weight);
        }
    }
    return CUTROOM_OK;
}

const kit_effect effect_soul_out = {
    .abi = KIT_EFFECT(CUTROOM_CAN_SHARE_INSTANCE, "org.cutroom.soul_out", "Soul out",
                      "A ghost of the picture leaves it again and again, growing and fading.", params),
    .render = render,
    .mixes = 1,
};
