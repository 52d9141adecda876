#include "circle.h"
#include <math.h>

const cutroom_param circle_params[CIRCLE_PARAMS] = {
    [CIRCLE_SOFTNESS] = KIT_DOUBLE("softness", "Softness", "", 0, 1, 0.05, "The width of the circle's soft edge, as a share of its largest radius."),
    [CIRCLE_CENTER] = KIT_POINT(0, "center", "Centre", "", 0, 1, 0.5, 0.5, "The circle's centre, in widths and heights."),
};

/* Lengths in pixels. */
typedef struct circle {
    float x, y, radius, slope;
    int closes;
} circle;

/* The edge reaches from the radius inwards. */
KIT_INLINE void fill_row_body(const circle *c, float y, uint16_t *weight, int width) {
    const float square = (y - c->y) * (y - c->y);
    for (int x = 0; x < width; x++) {
        const float dx = (float)x + 0.5f - c->x;
        const float w = (c->radius - sqrtf(dx * dx + square)) * c->slope;
        const int inside = (int)(w <= 0 ? 0 : w >= MATTE_ONE ? MATTE_ONE : w);
        weight[x] = (uint16_t)(c->closes ? MATTE_ONE - inside : inside);
    }
}
KIT_KERNEL(fill_row, (const circle *c, float y, uint16_t *weight, int width), (c, y, weight, width))

static void fill(const kit_job *job, const void *setting, int y, matte_row row) {
    fill_row(setting, (float)y + 0.5f, row.weight, job->width);
}

cutroom_status circle_render(const kit_job *job, int closes) {
    const double *center = job->values[CIRCLE_CENTER].n, x = center[0] * job->width, y = center[1] * job->height;
    /* To the furthest corner. */
    const double dx = x > job->width - x ? x : job->width - x, dy = y > job->height - y ? y : job->height - y;
    const double most = sqrt(dx * dx + dy * dy), edge = kit_bound(job->values[CIRCLE_SOFTNESS].n[0] * most, 1, most);
    const double share = closes ? 1 - job->progress : job->progress;
    const circle c = {(float)x, (float)y, (float)(share * (most + edge)), (float)(MATTE_ONE / edge), closes};
    return matte_mix(job, fill, &c, NULL);
}
