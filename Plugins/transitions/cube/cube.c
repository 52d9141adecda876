/*
 * org.cutroom.cube: both pictures are sides of a cube that turns. For each sample the ray from the
 * camera is cut with both sides, which gives the perspective exactly.
 *
 * Along the axis of turning, c, everything scales with the distance alone; across it, along a, a
 * side that is turned by φ is met at λ times the ray, with λ = ((d + h) cos φ − h) / (d cos φ − a
 * sin φ), where d is the distance of the camera from a side that faces it, and h half of a side.
 */
#include "../transitions.h"
#include <math.h>

enum { DIRECTION, DISTANCE, BACKGROUND };
enum { MOST_TAPS = 8 };

static const char *const directions[] = {"left", "right", "up", "down"};
static const cutroom_param params[] = {
    [DIRECTION] = KIT_ENUM("direction", "Direction", directions, "The direction in which the front side moves."),
    [DISTANCE] = KIT_DOUBLE("distance", "Distance", "", 0.5, 10, 1.5,
                            "The distance of the camera, in sides of the cube. A near camera exaggerates the perspective."),
    [BACKGROUND] = KIT_COLOR("background", "Background", 0, 0, 0, 1, "The colour around the cube."),
};

/* A side of the cube, in pixels. */
typedef struct side {
    double cosine, sine, distance, half;
} side;

/* What a ray meets of a side; nothing where `scale` is 0. */
typedef struct hit {
    float at;    /* from the side's middle */
    float scale; /* λ */
    float width; /* how much of the side one sample of the output spans */
} hit;

/* Nothing where the side comes nearer to its horizon than `least`. */
static double cut(const side *s, double ray, double least, double *scale) {
    const double facing = s->distance * s->cosine - ray * s->sine;
    const double depth = (s->distance + s->half) * s->cosine - s->half;
    *scale = facing >= least && depth > 1e-6 ? depth / facing : 0;
    return *scale * (ray * s->cosine + s->distance * s->sine) - (s->distance + s->half) * s->sine;
}

/* Near the horizon a sample would span whatever there is, and the picture with it. One that keeps
 * half of its size from there, at both ends, lies further out than half of what it spans, and
 * covers nothing. */
static hit hit_of(const side *s, double ray, double unit) {
    const double half = unit / 2;
    double scale, before, after;
    const double at = cut(s, ray, half, &scale), low = cut(s, ray - half, half, &before), high = cut(s, ray + half, half, &after);
    if (scale <= 0 || before <= 0 || after <= 0) return (hit){0, 0, 1};
    return (hit){(float)at, (float)scale, (float)(high - low)};
}

KIT_INLINE float covered(float inside, float width) {
    const float share = inside / width + 0.5f;
    return share <= 0 ? 0 : share >= 1 ? 1 : share;
}

KIT_INLINE float component(const kit_plane *p, int x, int y, int c) {
    const uint8_t *row = p->in + kit_clamp(y, 0, p->height - 1) * p->in_stride;
    const int i = kit_clamp(x, 0, p->width - 1) * p->channels + c;
    return p->floats ? ((const float *)(const void *)row)[i] : (float)row[i];
}

/* Adds the picture at (x, y), in samples from the first one's middle, bilinear. */
KIT_INLINE void add(const kit_plane *p, float x, float y, float weight, float sum[4]) {
    const float left = floorf(x), top = floorf(y), fx = x - left, fy = y - top;
    for (int c = 0; c < p->channels; c++) {
        const float above = component(p, (int)left, (int)top, c) * (1 - fx) + component(p, (int)left + 1, (int)top, c) * fx;
        const float below = component(p, (int)left, (int)top + 1, c) * (1 - fx) + component(p, (int)left + 1, (int)top + 1, c) * fx;
        sum[c] += weight * (above * (1 - fy) + below * fy);
    }
}

/* What a side adds to a sample whose place along the axis is `ray`; returns how much of the sample
 * it covers. `width` and `height` are the picture's; a plane of half of an odd number reaches
 * beyond. */
static float shade(const kit_plane *p, hit met, float ray, int width, int height, int upright, float sum[4]) {
    const float unit = (float)(1 << p->shift), other = ray * met.scale;
    const float x = (upright ? other : met.at) + (float)width / 2, y = (upright ? met.at : other) + (float)height / 2;
    const float right = (float)(p->left ? width : p->width << p->shift) - x, below = (float)(p->height << p->shift) - y;
    /* Across, chroma at the left is covered as the pixel there is. */
    const float wide = (upright ? met.scale * unit : met.width) * (p->left ? 0.5f : 1);
    const float high = upright ? met.width : met.scale * unit;
    const float share = covered(x < right ? x : right, wide) * covered(y < below ? y : below, high);
    if (share <= 0) return 0;
    /* A side that is seen from its edge on is much smaller than its picture. */
    const int taps = kit_clamp((int)(met.width / unit + 0.99f), 1, MOST_TAPS);
    for (int i = 0; i < taps; i++) {
        const float away = met.width * (((float)i + 0.5f) / (float)taps - 0.5f);
        add(p, (upright ? x : x + away) / unit - (p->left ? 0.25f : 0.5f), (upright ? y + away : y) / unit - 0.5f, share / (float)taps, sum);
    }
    return share;
}

static void render_plane(const kit_job *job, int index, const side sides[2], int upright, hit *hits) {
    const kit_plane *p = &job->plane[index], pictures[2] = {*p, kit_incoming(p)};
    const double unit = 1 << p->shift, across = kit_middle(p), middle_x = job->width / 2.0, middle_y = job->height / 2.0;
    float color[3], behind[4] = {0};
    kit_samples_of(job, job->values[BACKGROUND].n, color);
    for (int c = 0; c < p->channels; c++) behind[c] = p->channels == 1 ? color[index] : c < 3 ? color[c] : p->floats ? 1 : 255;
    for (int x = 0; !upright && x < p->width; x++)
        for (int s = 0; s < 2; s++) hits[2 * x + s] = hit_of(&sides[s], (x + across) * unit - middle_x, unit);
    for (int y = p->begin; y < p->end; y++) {
        uint8_t *out = p->out + y * p->out_stride;
        const double row = (y + 0.5) * unit - middle_y;
        for (int s = 0; upright && s < 2; s++) hits[s] = hit_of(&sides[s], row, unit);
        for (int x = 0; x < p->width; x++) {
            const hit *met = upright ? hits : hits + 2 * x;
            const float ray = (float)(upright ? (x + across) * unit - middle_x : row);
            float sum[4] = {0}, left = 1;
            for (int s = 0; s < 2; s++)
                if (met[s].scale > 0) left -= shade(&pictures[s], met[s], ray, job->width, job->height, upright, sum);
            if (left < 0) left = 0;
            for (int c = 0; c < p->channels; c++) {
                const float value = sum[c] + left * behind[c];
                if (p->floats) ((float *)(void *)out)[x * 4 + c] = value;
                else out[x * p->channels + c] = (uint8_t)(value + 0.5f >= 255 ? 255 : value + 0.5f);
            }
        }
    }
}

static cutroom_status render(const kit_job *job) {
    const int direction = (int)job->values[DIRECTION].n[0], upright = direction >= 2, backwards = direction % 2;
    const double half = (upright ? job->height : job->width) / 2.0, distance = 2 * half * job->values[DISTANCE].n[0];
    const double turned = motion(job->progress) / 4 * (backwards ? 1 : -1), next = turned + (backwards ? -0.25 : 0.25);
    const side sides[2] = {{kit_cos(turned), kit_sin(turned), distance, half}, {kit_cos(next), kit_sin(next), distance, half}};
    hit *hits = kit_alloc(job->host, sizeof *hits * 2 * (size_t)job->width);
    if (!hits) return CUTROOM_ERROR_MEMORY;
    for (int i = 0; i < job->plane_count; i++) render_plane(job, i, sides, upright, hits);
    kit_release(job->host, hits);
    return CUTROOM_OK;
}

const kit_effect transition_cube = {
    .abi = KIT_TRANSITION("org.cutroom.cube", "Cube", "Turns a cube from the outgoing picture to the incoming one.", params),
    .render = render,
    .mixes = 1,
};
