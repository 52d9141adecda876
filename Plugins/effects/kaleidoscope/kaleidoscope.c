/*
 * org.cutroom.kaleidoscope: a wedge of the picture, mirrored around a point again and again.
 *
 * Rays from the centre cut a row into spans, and in each of them the picture is merely turned or
 * mirrored: no angle is computed for a pixel.
 */
#include "../effects.h"
#include <math.h>

enum { SEGMENTS, ANGLE, TURN, CENTER, ZOOM };
enum { MOST = 64 }; /* rays: two for a segment */

static const cutroom_param params[] = {
    [SEGMENTS] = KIT_INT("segments", "Segments", "", 1, MOST / 2, 6,
        "The number of wedges around the centre, each with its mirror image."),
    [ANGLE] = KIT_DOUBLE("angle", "Angle", "°", -3600, 3600, 0, "Turns the pattern, clockwise."),
    [TURN] = KIT_DOUBLE("turn", "Turn", "°", -3600, 3600, 0,
                        "Turns the picture behind the mirrors, clockwise, and so chooses the visible wedge. If it is animated, the pattern flows."),
    [CENTER] = KIT_POINT(0, "center", "Centre", "", 0, 1, 0.5, 0.5, "The point where the mirrors meet, in widths and heights."),
    [ZOOM] = KIT_DOUBLE("zoom", "Zoom", "", 0.1, 10, 1, "How large the wedge's content is."),
};

typedef struct mirrors {
    int rays;
    double x[MOST + 1], y[MOST + 1]; /* directions; the last one is the first again */
    kit_affine map[MOST];            /* of the wedge after each ray */
    double center_x, center_y;
} mirrors;

static mirrors mirrors_of(const kit_job *job) {
    const cutroom_value *v = job->values;
    mirrors m = {.rays = 2 * kit_clamp((int)v[SEGMENTS].n[0], 1, MOST / 2)};
    m.center_x = v[CENTER].n[0] * job->width, m.center_y = v[CENTER].n[1] * job->height;
    const double angle = v[ANGLE].n[0] / 360, turn = v[TURN].n[0] / 360, size = 1 / v[ZOOM].n[0];
    for (int k = 0; k <= m.rays; k++) {
        const double at = angle + (double)(k % m.rays) / m.rays;
        m.x[k] = kit_cos(at), m.y[k] = kit_sin(at);
    }
    for (int k = 0; k < m.rays; k++) {
        /* Even wedges are turned back onto the first, odd ones mirrored onto it. */
        const int odd = k % 2;
        const double by = odd ? turn + angle + (double)(k + 1) / m.rays : turn - angle - (double)k / m.rays;
        const double c = kit_cos(by) * size, s = kit_sin(by) * size;
        kit_affine *map = &m.map[k];
        *map = odd ? (kit_affine){c, s, s, -c, 0, 0} : (kit_affine){c, -s, s, c, 0, 0};
        map->x = m.center_x - map->xx * m.center_x - map->xy * m.center_y;
        map->y = m.center_y - map->yx * m.center_x - map->yy * m.center_y;
    }
    return m;
}

/* The wedge in which a direction lies: not left of its ray, and left of the next one's. */
static int wedge_at(const mirrors *m, double x, double y) {
    for (int k = 0; k < m->rays; k++) {
        const int after = m->x[k] * y - m->y[k] * x >= 0, before = m->x[k + 1] * y - m->y[k + 1] * x < 0;
        if (after && (before || m->rays == 2)) return k;
    }
    return 0;
}

static void render_row(const kit_plane *p, const mirrors *m, int y) {
    const double unit = 1 << p->shift, middle = kit_middle(p), dy = (y + 0.5) * unit - m->center_y;
    int borders[MOST + 2], count = 0;
    borders[count++] = 0;
    for (int k = 0; k < m->rays; k++) {
        if (m->y[k] * dy <= 0) continue;
        const double x = ceil((m->center_x + dy * m->x[k] / m->y[k]) / unit - middle);
        if (x <= 0 || x >= p->width) continue;
        int at = count++;
        for (; borders[at - 1] > (int)x; at--) borders[at] = borders[at - 1];
        borders[at] = (int)x;
    }
    borders[count] = p->width;
    for (int i = 0; i < count; i++) {
        const int first = borders[i], last = borders[i + 1];
        if (first == last) continue;
        const int k = wedge_at(m, ((first + last - 1) * 0.5 + middle) * unit - m->center_x, dy);
        kit_sample_row(p, p->out + y * p->out_stride + first * p->channels, last - first,
                       kit_line_of(&m->map[k], p, first, y), KIT_MIRROR);
    }
}

static cutroom_status render(const kit_job *job) {
    const mirrors m = mirrors_of(job);
    for (int i = 0; i < job->plane_count; i++)
        for (int y = job->plane[i].begin; y < job->plane[i].end; y++) render_row(&job->plane[i], &m, y);
    return CUTROOM_OK;
}

const kit_effect effect_kaleidoscope = {
    .abi = KIT_EFFECT(CUTROOM_CAN_SHARE_INSTANCE, "org.cutroom.kaleidoscope", "Kaleidoscope",
                      "Mirrors a wedge of the picture around a point.", params),
    .render = render,
    .mixes = 1,
};
