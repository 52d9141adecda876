/*
 * org.cutroom.shake: a camera that is shaken. Smooth noise over time moves and turns the picture,
 * which is enlarged just as much as it takes that no border shows at the largest swing.
 */
#include "../effects.h"
#include <math.h>

enum { AMPLITUDE, FREQUENCY, ROTATION, BLUR, SEED };
enum { SAMPLES = 4 }; /* moments of a frame that are averaged for motion blur */

static const cutroom_param params[] = {
    [AMPLITUDE] = KIT_PIXELS("amplitude", "Amplitude", 0, 1000, 30, "How far the picture moves at most, to each side."),
    [FREQUENCY] = KIT_DOUBLE("frequency", "Frequency", "Hz", 0, 60, 8, "How many swings there are in a second."),
    [ROTATION] = KIT_DOUBLE("rotation", "Rotation", "°", 0, 45, 1.5, "How far the picture turns at most, to each side."),
    [BLUR] = KIT_DOUBLE("motion_blur", "Motion blur", "", 0, 1, 0,
                        "How long the shutter is open, in frames. Values above 0 make the effect four times as expensive."),
    [SEED] = KIT_SEED,
};

/* A frame's length in seconds. */
static double frame_length(const kit_job *job) {
    const cutroom_rational d = job->call->output->duration;
    return d.num > 0 ? (double)d.num / (double)d.den : 1.0 / 30;
}

/* Two octaves, −1…1. */
static double swing(uint64_t seed, int axis, double t) {
    const uint64_t own = kit_hash(seed, (uint64_t)axis);
    return 0.75 * kit_noise(own, t) + 0.25 * kit_noise(~own, 2.3 * t);
}

/* The enlargement that keeps a turn of up to `turns` and a shift of `shift` inside, along a side
 * that is 1 / `ratio` as long as the other: cos + ratio · sin at its largest in 0…turns, over what
 * the shift leaves. */
static double enlargement(double turns, double ratio, double shift) {
    const double c = kit_cos(turns), s = kit_sin(turns);
    const double most = ratio * c > s ? c + ratio * s : sqrt(1 + ratio * ratio);
    return most / (1 - 2 * shift);
}

static kit_affine map_at(const kit_job *job, double time) {
    const cutroom_value *v = job->values;
    const double w = job->width, h = job->height, turns = v[ROTATION].n[0] / 360;
    /* Never more than a quarter of the picture. */
    const double reach = kit_bound(v[AMPLITUDE].n[0], 0, 0.25 * (w < h ? w : h));
    const double zoom_x = enlargement(turns, h / w, reach / w), zoom_y = enlargement(turns, w / h, reach / h);
    const double size = 1 / (zoom_x > zoom_y ? zoom_x : zoom_y);
    const uint64_t seed = (uint64_t)v[SEED].n[0];
    const double t = time * v[FREQUENCY].n[0], angle = turns * swing(seed, 2, t);
    const double c = kit_cos(angle) * size, s = kit_sin(angle) * size;
    return (kit_affine){c, -s, s, c, w / 2 - c * w / 2 + s * h / 2 + reach * swing(seed, 0, t),
                        h / 2 - s * w / 2 - c * h / 2 + reach * swing(seed, 1, t)};
}

KIT_INLINE void mean_row_body(const uint8_t *rows, uint8_t *out, int count) {
    for (int i = 0; i < count; i++)
        out[i] = (uint8_t)((rows[i] + rows[count + i] + rows[2 * count + i] + rows[3 * count + i] + 2) / 4);
}
KIT_KERNEL(mean_row, (const uint8_t *rows, uint8_t *out, int count), (rows, out, count))

static cutroom_status render(const kit_job *job) {
    if (job->values[AMPLITUDE].n[0] == 0 && job->values[ROTATION].n[0] == 0) return CUTROOM_PASS;
    const int samples = job->values[BLUR].n[0] > 0 ? SAMPLES : 1;
    uint8_t *rows = samples > 1 ? kit_alloc(job->host, (size_t)job->width * 4 * SAMPLES) : NULL;
    if (samples > 1 && !rows) return CUTROOM_ERROR_MEMORY;
    kit_affine map[SAMPLES];
    const double open = job->values[BLUR].n[0] * frame_length(job);
    for (int s = 0; s < samples; s++) map[s] = map_at(job, job->time + open * s / SAMPLES);
    for (int i = 0; i < job->plane_count; i++) {
        const kit_plane *p = &job->plane[i];
        const int bytes = p->width * p->channels;
        for (int y = p->begin; y < p->end; y++) {
            uint8_t *out = p->out + y * p->out_stride;
            for (int s = 0; s < samples; s++)
                kit_sample_row(p, rows ? rows + s * bytes : out, p->width, kit_line_of(&map[s], p, 0, y), KIT_CLAMP);
            if (rows) mean_row(rows, out, bytes);
        }
    }
    kit_release(job->host, rows);
    return CUTROOM_OK;
}

const kit_effect effect_shake = {
    .abi = KIT_EFFECT(CUTROOM_CAN_SHARE_INSTANCE, "org.cutroom.shake", "Shake",
                      "Shakes the camera. The picture is enlarged so that no border is visible.", params),
    .render = render,
    .mixes = 1,
};
