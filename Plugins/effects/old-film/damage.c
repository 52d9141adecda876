/* What a frame of the film has suffered: a function of seed and number. */
#include "old_film.h"
#include <math.h>

typedef struct dice {
    uint64_t seed, thrown;
} dice;

/* One throw in an expression: compilers may evaluate two in either order. */
static double draw(dice *d, double low, double high) { return low + (high - low) * kit_unit(kit_hash(d->seed, d->thrown++)); }

/* A scratch stays in its place for a second or so and comes and goes from frame to frame. */
static void scratch(film_damage *damage, const kit_job *job, int slot, double many, uint64_t seed, uint64_t when, double rate) {
    const uint64_t own = kit_hash(seed, 1000 + (uint64_t)slot);
    const double life = (double)when / rate * (0.5 + 0.8 * kit_unit(own)) + kit_unit(~own);
    dice d = {kit_hash(own, kit_count(life)), 0};
    if (draw(&d, 0, 1) > many * (slot == 0 ? 1.4 : 0.75)) return;
    const double unit = (job->width < job->height ? job->width : job->height) / 1080.0;
    film_scratch *s = &damage->scratch[damage->scratch_count];
    s->seed = kit_hash(own, 7);
    s->x = draw(&d, 0.04, 0.96) * job->width;
    s->width = kit_bound(draw(&d, 1, 3.2) * unit, 0.6, 8);
    s->wobble = draw(&d, 0.5, 3) * unit;
    s->light = (int)draw(&d, 55, 130);
    if (draw(&d, 0, 1) >= 0.75) s->light = -s->light;
    const int whole = draw(&d, 0, 1) < 0.6;
    s->top = whole ? 0 : (int)(draw(&d, -0.3, 0.7) * job->height);
    s->bottom = whole ? job->height : s->top + (int)(draw(&d, 0.2, 0.8) * job->height);
    /* Between frames: it jitters, and is missing now and then. */
    dice frame = {kit_hash(own, when), 0};
    if (draw(&frame, 0, 1) < 0.15) return;
    s->x += draw(&frame, -1.5, 1.5) * unit + 0.01 * job->width * kit_noise(own, life * 3);
    s->light = (int)(s->light * draw(&frame, 0.5, 1));
    damage->scratch_count++;
}

static void specks(film_damage *damage, const kit_job *job, double dust, uint64_t seed, uint64_t when) {
    dice d = {kit_hash(seed ^ 0xd057, when), 0};
    const double unit = (job->width < job->height ? job->width : job->height) / 1080.0;
    const int count = (int)(dust * draw(&d, 4, FILM_SPECKS - 2));
    for (int i = 0; i < count; i++) {
        film_speck *s = &damage->speck[damage->speck_count++];
        s->seed = kit_hash(d.seed, 5000 + (uint64_t)i);
        s->x = draw(&d, 0, 1) * job->width, s->y = draw(&d, 0, 1) * job->height;
        /* Mostly small. */
        const double size = draw(&d, 0, 1), large = 2 + 18 * size * size * size * size;
        s->half_width = large * draw(&d, 0.6, 1.4) * unit, s->half_height = large * draw(&d, 0.6, 1.4) * unit;
        s->bend = 0;
        s->light = (int)draw(&d, 50, 130);
        if (draw(&d, 0, 1) < 0.6) s->light = -s->light;
    }
    if (draw(&d, 0, 1) < 0.35 * dust) {
        film_speck *s = &damage->speck[damage->speck_count++];
        s->seed = kit_hash(d.seed, 4999);
        s->x = draw(&d, 0, 1) * job->width, s->y = draw(&d, 0, 1) * job->height;
        s->half_width = draw(&d, -90, 90) * unit, s->half_height = draw(&d, 30, 120) * unit;
        s->bend = draw(&d, 20, 90) * unit;
        s->light = -(int)draw(&d, 60, 120);
    }
}

void film_suffer(film_damage *damage, const kit_job *job, double scratches, double dust, uint64_t seed, uint64_t when,
    double rate) {
    damage->scratch_count = damage->speck_count = 0;
    for (int slot = 0; slot < FILM_SCRATCHES && scratches > 0; slot++) scratch(damage, job, slot, scratches, seed, when, rate);
    if (dust > 0) specks(damage, job, dust, seed, when);
    damage->grain_x = (int)(kit_hash(seed, when) & (FILM_TILE - 1));
    damage->grain_y = (int)(kit_hash(seed, when) >> 32 & (FILM_TILE - 1));
}
