/* org.cutroom.blur: a Gaussian, as three boxes. */
#include "../effects.h"

enum { RADIUS };

static const cutroom_param params[] = {
    [RADIUS] = KIT_PIXELS("radius", "Radius", 0, 500, 12,
                          "The standard deviation of the Gaussian, as in CSS's blur(): 0 changes nothing."),
};

static cutroom_status render(const kit_job *job) {
    const double radius = job->values[RADIUS].n[0];
    /* Nothing that a code value could show. */
    if (radius < 0.02) return CUTROOM_PASS;
    for (int i = 0; i < job->plane_count; i++) {
        const kit_plane *p = &job->plane[i];
        const kit_source source = {.bytes = p->in, .stride = p->in_stride, .width = p->width, .height = p->height,
            .channels = p->channels};
        const kit_target target = {.bytes = p->out, .stride = p->out_stride};
        const cutroom_status status = kit_gauss(job->host, source, target, radius / (1 << p->shift), p->begin, p->end);
        if (status != CUTROOM_OK) return status;
    }
    return CUTROOM_OK;
}

const kit_effect effect_blur = {
    .abi = KIT_EFFECT(CUTROOM_CAN_SHARE_INSTANCE, "org.cutroom.blur", "Blur", "Makes the picture soft, as a Gaussian blur does.",
                      params),
    .render = render,
    .mixes = 1,
};
