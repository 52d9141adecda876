/*
 * org.cutroom.zoom: a punch into the outgoing picture that comes out in the incoming one, which is
 * seen from afar at first. The logarithm of the scale runs on, so that both seem to be one
 * movement.
 */
#include "../transitions.h"
#include <math.h>

enum { ZOOM, BLUR, CENTER };
enum { MOST_TAPS = 16 };

static const cutroom_param params[] = {
    [ZOOM] = KIT_DOUBLE("zoom", "Zoom", "", 1, 10, 3, "The factor to which the outgoing picture grows. The incoming one starts that much smaller."),
    [BLUR] = KIT_DOUBLE("motion_blur", "Motion blur", "", 0, 2, 0.5, MOTION_BLUR_HELP),
    [CENTER] = KIT_POINT(0, "center", "Centre", "", 0, 1, 0.5, 0.5, "The point to which the camera zooms, in widths and heights."),
};

KIT_INLINE void add_bytes_body(const uint8_t *row, float *sum, int count, float weight) {
    for (int i = 0; i < count; i++) sum[i] += (float)row[i] * weight;
}
KIT_KERNEL(add_bytes, (const uint8_t *row, float *sum, int count, float weight), (row, sum, count, weight))

KIT_INLINE void add_floats_body(const float *row, float *sum, int count, float weight) {
    for (int i = 0; i < count; i++) sum[i] += row[i] * weight;
}
KIT_KERNEL(add_floats, (const float *row, float *sum, int count, float weight), (row, sum, count, weight))

KIT_INLINE void round_row_body(const float *sum, uint8_t *out, int count) {
    for (int i = 0; i < count; i++) out[i] = (uint8_t)(int32_t)(sum[i] + 0.5f);
}
KIT_KERNEL(round_row, (const float *sum, uint8_t *out, int count), (sum, out, count))

typedef struct shot {
    kit_affine map[MOST_TAPS];
    int taps;
    float weight; /* of the whole picture */
} shot;

/* The picture enlarged by the exponential of `size`, over a shutter of `blur` in that unit. */
static shot shot_of(const kit_job *job, double size, double blur, double weight) {
    shot made = {.weight = (float)weight};
    const double *center = job->values[CENTER].n, x = center[0] * job->width, y = center[1] * job->height;
    /* The furthest corner moves by about this many pixels; a tap for each five. */
    const double way = blur * sqrt((double)job->width * job->width + (double)job->height * job->height) / 2;
    made.taps = blur > 0 ? kit_clamp((int)(way / 5) + 2, 2, MOST_TAPS) : 1;
    for (int i = 0; i < made.taps; i++) {
        const double s = kit_exp(-(size + blur * ((i + 0.5) / made.taps - 0.5)));
        made.map[i] = (kit_affine){s, 0, 0, s, (1 - s) * x, (1 - s) * y};
    }
    return made;
}

static void add(const shot *one, const kit_plane *p, int y, uint8_t *row, float *sum) {
    const int count = p->width * p->channels;
    for (int i = 0; i < one->taps; i++) {
        kit_sample_row(p, row, p->width, kit_line_of(&one->map[i], p, 0, y), KIT_MIRROR);
        if (p->floats) add_floats((const float *)(const void *)row, sum, count, one->weight / (float)one->taps);
        else add_bytes(row, sum, count, one->weight / (float)one->taps);
    }
}

static cutroom_status render(const kit_job *job) {
    const double way = motion(job->progress), incoming = kit_smoothstep((way - 0.4) / 0.2);
    /* Half of it for each picture. */
    const double whole = 2 * kit_log(job->values[ZOOM].n[0]);
    const double blur = whole * motion_shutter(job, job->values[BLUR].n[0]);
    const shot old = shot_of(job, whole * way, blur, 1 - incoming), new = shot_of(job, whole * (way - 1), blur, incoming);
    const size_t width = (size_t)job->width;
    float *sum = kit_alloc(job->host, 32 * width);
    if (!sum) return CUTROOM_ERROR_MEMORY;
    uint8_t *row = (uint8_t *)(sum + 4 * width);
    for (int i = 0; i < job->plane_count; i++) {
        const kit_plane *p = &job->plane[i], other = kit_incoming(p);
        const int count = p->width * p->channels;
        for (int y = p->begin; y < p->end; y++) {
            uint8_t *out = p->out + y * p->out_stride;
            memset(sum, 0, sizeof *sum * (size_t)count);
            if (old.weight > 0) add(&old, p, y, row, sum);
            if (new.weight > 0) add(&new, &other, y, row, sum);
            if (p->floats) memcpy(out, sum, sizeof *sum * (size_t)count);
            else round_row(sum, out, count);
        }
    }
    kit_release(job->host, sum);
    return CUTROOM_OK;
}

const kit_effect transition_zoom = {
    .abi = KIT_TRANSITION("org.cutroom.zoom", "Zoom", "Zooms quickly into the outgoing picture and out of it in the incoming one.", params),
    .render = render,
    .mixes = 1,
};
