/*
 * org.cutroom.burn: the outgoing picture burns away. Noise in five octaves says when a pixel's turn
 * is; its ranks are made even, so that the fire takes as much in each frame. Before the edge the
 * picture glows and chars.
 */
#include "../transitions.h"
#include <math.h>

enum { SIZE, GLOW, COLOR, SEED };
enum { OCTAVES = 5, TURNS = 1 << 16 };

static const cutroom_param params[] = {
    [SIZE] = {.type = CUTROOM_PARAM_DOUBLE, .flags = CUTROOM_PARAM_SETUP_ONLY | CUTROOM_PARAM_IN_PIXELS, .id = "size",
              .label = "Size", .unit = "px", .help = "The size of the holes that the fire makes.", .minimum = 4, .maximum = 4000,
              .initial = {240}},
    [GLOW] = KIT_DOUBLE("glow", "Glow", "", 0, 1, 0.3, "The width of the glowing edge, as a share of the burning area."),
    [COLOR] = KIT_COLOR("color", "Colour", 1, 0.45, 0.08, 1, "The colour of the glow; its alpha lowers the strength."),
    [SEED] = {.type = CUTROOM_PARAM_INT, .flags = CUTROOM_PARAM_SETUP_ONLY, .id = "seed", .label = "Seed", .unit = "",
              .help = "Each number gives another random variation.", .minimum = 0, .maximum = 9999, .initial = {1}},
};

/* Adds a row of one octave: values at the corners of a grid, smoothly between them. */
static void add_octave(float *row, int width, int y, double cell, float strength, uint64_t seed) {
    const double v = (y + 0.5) / cell, top = floor(v), down = kit_smoothstep(v - top);
    double left = 0, right = 0, column = -1;
    for (int x = 0; x < width; x++) {
        const double u = (x + 0.5) / cell, whole = floor(u), along = kit_smoothstep(u - whole);
        if (whole != column) {
            column = whole;
            double corner[4];
            for (int i = 0; i < 4; i++)
                corner[i] = kit_unit(kit_hash(kit_hash(seed, (uint64_t)whole + (i & 1)), (uint64_t)top + (i >> 1)));
            left = corner[0] + (corner[2] - corner[0]) * down, right = corner[1] + (corner[3] - corner[1]) * down;
        }
        row[x] += strength * (float)(left + (right - left) * along);
    }
}

/* Values become their ranks: of as many pixels as there are below. */
static void even_out(uint16_t *turns, size_t count, uint32_t *below) {
    memset(below, 0, sizeof *below * TURNS);
    for (size_t i = 0; i < count; i++) below[turns[i]]++;
    uint32_t sum = 0;
    for (int i = 0; i < TURNS; i++) {
        const uint32_t here = below[i];
        below[i] = sum, sum += here;
    }
    for (size_t i = 0; i < count; i++) turns[i] = (uint16_t)((uint64_t)below[turns[i]] * (TURNS - 1) / count);
}

static cutroom_status prepare(void *memory, const cutroom_host *host, const cutroom_setup *setup) {
    matte_map *map = memory;
    const size_t width = (size_t)setup->width, count = width * (size_t)setup->height;
    float *row = kit_alloc(host, sizeof *row * width);
    uint32_t *below = kit_alloc(host, sizeof *below * TURNS);
    map->turns = kit_alloc(host, sizeof *map->turns * count);
    const int complete = row && below && map->turns;
    for (int y = 0; complete && y < setup->height; y++) {
        memset(row, 0, sizeof *row * width);
        double cell = setup->values[SIZE].n[0];
        float strength = 0.5f;
        for (int i = 0; i < OCTAVES; i++, cell /= 2.1, strength *= 0.5f)
            add_octave(row, setup->width, y, cell > 1 ? cell : 1, strength, kit_hash((uint64_t)setup->values[SEED].n[0], (uint64_t)i));
        for (size_t x = 0; x < width; x++) map->turns[(size_t)y * width + x] = (uint16_t)(int32_t)(row[x] * 65535);
    }
    if (complete) even_out(map->turns, count, below);
    kit_release(host, below), kit_release(host, row);
    if (complete) return CUTROOM_OK;
    kit_release(host, map->turns);
    return CUTROOM_ERROR_MEMORY;
}

static void dispose(void *memory, const cutroom_host *host) { kit_release(host, ((matte_map *)memory)->turns); }

/* In turns. */
typedef struct fire {
    const uint16_t *turns;
    double edge, softness;
    float glow;
} fire;

KIT_INLINE void fill_glow_body(const uint16_t *turns, uint16_t *glow, int width, float edge, float slope) {
    for (int x = 0; x < width; x++) {
        const float at = ((float)turns[x] - edge) * slope;
        glow[x] = (uint16_t)(int32_t)(at <= 0 ? 0 : at >= MATTE_GLOW ? MATTE_GLOW : at);
    }
}
KIT_KERNEL(fill_glow, (const uint16_t *turns, uint16_t *glow, int width, float edge, float slope), (turns, glow, width, edge, slope))

static void fill(const kit_job *job, const void *setting, int y, matte_row row) {
    const fire *f = setting;
    matte_weights(job, f->turns, y, f->edge, f->softness, row.weight);
    if (row.glow)
        fill_glow(f->turns + (ptrdiff_t)y * job->width, row.glow, job->width, (float)f->edge, (float)MATTE_GLOW / f->glow);
}

/* From the edge on: white-hot, the colour, charred, the picture. */
static void fill_table(const kit_job *job, matte_glow *table) {
    const double *color = job->values[COLOR].n;
    for (int i = 0; i <= MATTE_GLOW; i++) {
        const double away = (double)i / MATTE_GLOW, hot = kit_smoothstep(1 - away / 0.25), cold = kit_smoothstep((away - 0.3) / 0.4);
        double rgb[3];
        for (int c = 0; c < 3; c++) {
            rgb[c] = color[c] + ((c == 2 ? 0.7 : 1) - color[c]) * hot * 0.9;
            rgb[c] = (rgb[c] + (0.04 - rgb[c]) * cold);
        }
        kit_samples_of(job, rgb, table->color[i]);
        table->weight[i] = (uint16_t)(MATTE_ONE * color[3] * kit_smoothstep((1 - away) / 0.6));
    }
}

static cutroom_status render(const kit_job *job) {
    const double glow = job->values[GLOW].n[0] * 0.5 * (TURNS - 1), softness = 0.004 * (TURNS - 1);
    /* The glow comes in front of the edge, which begins so far before the first pixel's turn. */
    const double edge = job->progress * (TURNS - 1 + glow + softness) - glow;
    const fire f = {((const matte_map *)job->data)->turns, edge, softness, (float)glow};
    if (glow < 1) return matte_mix(job, fill, &f, NULL);
    matte_glow *table = kit_alloc(job->host, sizeof *table);
    if (!table) return CUTROOM_ERROR_MEMORY;
    fill_table(job, table);
    const cutroom_status status = matte_mix(job, fill, &f, table);
    kit_release(job->host, table);
    return status;
}

const kit_effect transition_burn = {
    .abi = KIT_TRANSITION("org.cutroom.burn", "Burn", "Burns the outgoing picture away, with a glowing edge.", params),
    .render = render,
    .mixes = 1,
    .data_size = sizeof(matte_map),
    .prepare = prepare,
    .dispose = dispose,
};
