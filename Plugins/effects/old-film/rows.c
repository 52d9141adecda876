/* The damage of a frame, row by row. */
#include "old_film.h"
#include <math.h>

/* The sum of four uniform numbers is nearly normal; a 3×3 binomial filter, torus-wise, makes grains
 * of it. */
void film_make_grain(film_grain *grain) {
    for (int y = 0; y < FILM_TILE; y++) {
        for (int x = 0; x < FILM_TILE; x++) {
            int sum = 0;
            for (int j = -1; j <= 1; j++) {
                for (int i = -1; i <= 1; i++) {
                    const uint64_t h = kit_hash(0x6721, (uint64_t)(((y + j) & (FILM_TILE - 1)) * FILM_TILE + ((x
                        + i) & (FILM_TILE - 1))));
                    const int normal = (int)((h & 255) + (h >> 8 & 255) + (h >> 16 & 255) + (h >> 24 & 255)) - 510;
                    sum += normal * (2 - (j != 0)) * (2 - (i != 0));
                }
            }
            /* The standard deviation of `normal` is 148, the filter leaves 3/8 of it. */
            grain->sample[y * FILM_TILE + x] = (int8_t)kit_clamp(sum / 28, -127, 127);
        }
    }
}

/* Flicker, and grain that is strongest in the middle tones. */
KIT_INLINE void grain_row_body(const uint8_t *luma, const int8_t *grain, int16_t *delta, int count, int strength, int gain,
    int black) {
    for (int x = 0; x < count; x++) {
        const int away = luma[x] - 128, middle = 256 - (away * away >> 7);
        delta[x] = (int16_t)((((luma[x] - black) * (gain - 256) + 128) >> 8)
            + ((grain[x] * ((middle * strength) >> 8) + 256) >> 9));
    }
}
KIT_KERNEL(grain_row, (const uint8_t *luma, const int8_t *grain, int16_t *delta, int count, int strength, int gain, int black),
           (luma, grain, delta, count, strength, gain, black))

/* Adds `light` to what lies between two places, and its share to the samples that they cut. */
static void paint(int16_t *delta, int width, double left, double right, int light) {
    const int first = kit_clamp((int)floor(left), 0, width), last = kit_clamp((int)ceil(right), 0, width);
    for (int x = first; x < last; x++) {
        const double low = left > x ? left : x, high = right < x + 1 ? right : x + 1;
        delta[x] = (int16_t)(delta[x] + (int)floor(light * (high - low) + 0.5));
    }
}

static void scratch_row(const film_scratch *s, int16_t *delta, int width, int y) {
    if (y < s->top || y >= s->bottom) return;
    const double x = s->x + s->wobble * kit_noise(s->seed, y / 90.0), worn = 0.7 + 0.3 * kit_noise(~s->seed, y / 25.0);
    paint(delta, width, x - s->width / 2, x + s->width / 2, (int)(s->light * worn));
}

static void speck_row(const film_speck *s, int16_t *delta, int width, int y) {
    const double t = (y + 0.5 - s->y) / s->half_height;
    if (t < -1 || t > 1) return;
    if (s->bend != 0) {
        /* A hair: a parabola, thick as it is steep. */
        const double x = s->x + s->half_width * t + s->bend * t * t;
        const double slope = (s->half_width + 2 * s->bend * t) / s->half_height, thick = 0.8 + 0.5 * (slope < 0 ? -slope : slope);
        paint(delta, width, x - thick, x + thick, s->light);
        return;
    }
    const double half = s->half_width * sqrt(1 - t * t), left = 0.75 + 0.35 * kit_noise(s->seed, 2 * t),
        right = 0.75 + 0.35 * kit_noise(~s->seed, 2 * t);
    paint(delta, width, s->x - half * left, s->x + half * right, s->light);
}

void film_row(const film_damage *damage, const film_grain *grain, const uint8_t *luma, int16_t *delta, int width, int y,
    int black) {
    const int8_t *tile = grain->sample + ((y + damage->grain_y) & (FILM_TILE - 1)) * FILM_TILE;
    for (int x = 0; x < width;) {
        const int at = (x + damage->grain_x) & (FILM_TILE - 1), run = FILM_TILE - at < width - x ? FILM_TILE - at : width - x;
        grain_row(luma + x, tile + at, delta + x, run, damage->grain, damage->gain, black);
        x += run;
    }
    for (int i = 0; i < damage->scratch_count; i++) scratch_row(&damage->scratch[i], delta, width, y);
    for (int i = 0; i < damage->speck_count; i++) speck_row(&damage->speck[i], delta, width, y);
}
