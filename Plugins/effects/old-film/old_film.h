#ifndef OLD_FILM_H
#define OLD_FILM_H

#include "../effects.h"

enum { FILM_TILE = 512, FILM_SCRATCHES = 7, FILM_SPECKS = 48 };

/* Grain, one tile of it: a standard deviation of about 32. Made once. */
typedef struct film_grain {
    int8_t sample[FILM_TILE * FILM_TILE];
} film_grain;

void film_make_grain(film_grain *grain);

/* A line down the picture. */
typedef struct film_scratch {
    uint64_t seed;
    double x, width, wobble; /* pixels */
    int top, bottom, light;  /* luma codes */
} film_scratch;

/* A spot of dust, or (bend ≠ 0) a hair. */
typedef struct film_speck {
    uint64_t seed;
    double x, y, half_width, half_height, bend;
    int light;
} film_speck;

/* What one frame of the film has suffered. */
typedef struct film_damage {
    int scratch_count, speck_count;
    film_scratch scratch[FILM_SCRATCHES];
    film_speck speck[FILM_SPECKS];
    int grain;              /* in 1/256 */
    int grain_x, grain_y;   /* where the tile begins */
    int gain;               /* of luma above black, in 1/256 */
} film_damage;

/* `when` counts the film's frames. */
void film_suffer(film_damage *damage, const kit_job *job, double scratches, double dust, uint64_t seed, uint64_t when,
    double rate);

/* What row `y` is to be changed by, in luma codes. */
void film_row(const film_damage *damage, const film_grain *grain, const uint8_t *luma, int16_t *delta, int width, int y,
    int black);

#endif
