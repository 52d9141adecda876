/*
 * org.cutroom.transform: moves, turns and enlarges the picture about its centre. Bilinear; what
 * comes from beyond the picture's edge is its mirror image, its nearest sample, or black.
 */
#include "../effects.h"
#include "transform.h"
#include <math.h>

enum { DX, DY, ANGLE, ZOOM, EDGES };

static const char *const edges[] = {"mirror", "clamp", "black"};

static const cutroom_param params[] = {
    [DX] = KIT_DOUBLE("dx", "Right", "", -4, 4, 0, "How far the picture moves to the right, in widths."),
    [DY] = KIT_DOUBLE("dy", "Down", "", -4, 4, 0, "How far the picture moves down, in heights."),
    [ANGLE] = KIT_DOUBLE("angle", "Angle", "°", -3600, 3600, 0, "How far the picture turns about its centre, clockwise."),
    [ZOOM] = KIT_DOUBLE("zoom", "Zoom", "", 0.05, 50, 1, "The factor by which the picture grows, about its centre."),
    [EDGES] = KIT_ENUM("edges", "Edges", edges,
                       "What is visible beyond the picture's edges: its mirror image, its outermost pixels, or black."),
};

/* From a point of the output to that of the input: C + R(−angle) (p − C − d) / zoom. */
static kit_affine map_of(const cutroom_value *v, int width, int height) {
    const double w = width, h = height, turns = v[ANGLE].n[0] / 360, zoom = v[ZOOM].n[0];
    const double c = kit_cos(turns) / zoom, s = kit_sin(turns) / zoom;
    const double x = w / 2 + v[DX].n[0] * w, y = h / 2 + v[DY].n[0] * h;
    return (kit_affine){c, s, -s, c, w / 2 - c * x - s * y, h / 2 + s * x - c * y};
}

static int is_identity(const cutroom_value *v) {
    return v[DX].n[0] == 0 && v[DY].n[0] == 0 && v[ANGLE].n[0] == 0 && v[ZOOM].n[0] == 1;
}

/* How much of a sample at `x` (16 bits of fraction) is of the picture and not of the black around
 * it, 0…256. */
KIT_INLINE int share(int64_t x, int size) {
    const int64_t end = (int64_t)size << 16, inside = x < 0 ? x + 65536 : end - x;
    return inside >= 65536 ? 256 : inside <= 0 ? 0 : (int)(inside >> 8);
}

/* The same across. Chroma at the left has its share as the pixel there has it: so the picture's
 * first column is whole. */
KIT_INLINE int share_across(const kit_plane *p, int64_t x) {
    return p->left ? share(2 * x, p->columns) : share(x, p->width);
}

static void blacken(const kit_plane *p, uint8_t *row, kit_line line, const int *black) {
    for (int x = 0; x < p->width; x++, line.x += line.dx, line.y += line.dy, row += p->channels) {
        const int part = share_across(p, line.x) * share(line.y, p->height);
        if (part == 65536) continue;
        for (int c = 0; c < p->channels; c++) row[c] = (uint8_t)((row[c] * part + black[c] * (65536 - part) + 32768) >> 16);
    }
}

static cutroom_status render(const kit_job *job) {
    if (is_identity(job->values)) return CUTROOM_PASS;
    const int way = (int)job->values[EDGES].n[0];
    const kit_affine map = map_of(job->values, job->width, job->height);
    int black[4] = {0, 0, 0, job->call->output->alpha == CUTROOM_ALPHA_NONE ? 255 : 0};
    for (int i = 0; i < job->plane_count; i++) {
        const kit_plane *p = &job->plane[i];
        if (job->plane_count == 3) black[0] = i == 0 ? (int)job->coding.black : 128;
        for (int y = p->begin; y < p->end; y++) {
            uint8_t *out = p->out + y * p->out_stride;
            const kit_line line = kit_line_of(&map, p, 0, y);
            kit_sample_row(p, out, p->width, line, way == 0 ? KIT_MIRROR : KIT_CLAMP);
            if (way == 2) blacken(p, out, line, black);
        }
    }
    return CUTROOM_OK;
}

static cutroom_status process(void *instance, const cutroom_call *call) {
    if (call->output->format != CUTROOM_FORMAT_RGBAF32) return kit_process(instance, call);
    if (is_identity(call->values)) return CUTROOM_PASS;
    const kit_affine map = map_of(call->values, call->output->width, call->output->height);
    transform_floats(call, &map, (transform_edges)call->values[EDGES].n[0]);
    return CUTROOM_OK;
}

static const cutroom_format formats[] = {CUTROOM_FORMAT_YUV420P8, CUTROOM_FORMAT_RGBA8, CUTROOM_FORMAT_RGBAF32};

const kit_effect effect_transform = {
    .abi = {.struct_size = sizeof(cutroom_effect), .kind = CUTROOM_KIND_FILTER,
            .capabilities = CUTROOM_CAN_ROW_SLICES | CUTROOM_CAN_SHARE_INSTANCE | CUTROOM_IGNORES_TIMELINE,
            .concurrency = CUTROOM_CONCURRENCY_REENTRANT,
            .state = CUTROOM_STATE_PURE, .determinism = CUTROOM_DETERMINISM_EXACT, .format_count = 3, .formats = formats,
            .id = "org.cutroom.transform", .version = "1.0.0", .name = "Transform", .vendor = "Cutroom", .license = "MIT",
            .help = "Moves, turns and enlarges the picture, for example to stabilise it.", .params = params,
            .param_count = sizeof params / sizeof *params, .param_stride = sizeof *params, .create = kit_create,
            .destroy = kit_destroy, .process = process},
    .render = render,
    .mixes = 1,
};
