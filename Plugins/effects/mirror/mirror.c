/* org.cutroom.mirror: one half of the picture and its mirror image. */
#include "../effects.h"

enum { SIDE };
enum { LEFT, RIGHT, TOP, BOTTOM };

static const char *const sides[] = {"left", "right", "top", "bottom"};
static const cutroom_param params[] = {
    [SIDE] = KIT_ENUM("side", "Side", sides, "The half that stays. The other half becomes its mirror image."),
};

/* Chroma on the even columns of an even number: a sample's mirror image lies midway between two. */
static int is_between(const kit_plane *p) { return p->left && p->columns % 2 == 0; }

/* Samples [first, last) of the row mirrored. */
static void mirror_row(const kit_plane *p, const uint8_t *in, uint8_t *out, int first, int last) {
    if (is_between(p)) {
        if (first == 0 && last > 0) out[first++] = in[p->width - 1];
        for (int x = first; x < last; x++) out[x] = (uint8_t)((in[p->width - 1 - x] + in[p->width - x] + 1) / 2);
    } else if (p->channels == 1) {
        for (int x = first; x < last; x++) out[x] = in[p->width - 1 - x];
    } else {
        for (int x = first; x < last; x++) memcpy(out + 4 * x, in + 4 * (p->width - 1 - x), 4);
    }
}

static void mirror_plane(const kit_plane *p, int side) {
    const int middle = (p->width + 1) / 2, half = is_between(p) ? middle : p->width / 2;
    for (int y = p->begin; y < p->end; y++) {
        const int other = p->height - 1 - y;
        const int from = side == TOP ? (y < other ? y : other) : side == BOTTOM ? (y > other ? y : other) : y;
        const uint8_t *in = p->in + from * p->in_stride;
        uint8_t *out = p->out + y * p->out_stride;
        memcpy(out, in, (size_t)(p->width * p->channels));
        if (side == LEFT) mirror_row(p, in, out, middle, p->width);
        if (side == RIGHT) mirror_row(p, in, out, 0, half);
    }
}

static cutroom_status render(const kit_job *job) {
    for (int i = 0; i < job->plane_count; i++) mirror_plane(&job->plane[i], (int)job->values[SIDE].n[0]);
    return CUTROOM_OK;
}

const kit_effect effect_mirror = {
    .abi = KIT_EFFECT(CUTROOM_CAN_SHARE_INSTANCE, "org.cutroom.mirror", "Mirror",
                      "Shows one half of the picture and its mirror image.", params),
    .render = render,
};
