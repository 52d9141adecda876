#ifndef BEAUTY_H
#define BEAUTY_H

#include "../effects.h"

/* How much a chroma code is skin, 0…255: [V][U]. */
typedef struct beauty_tones {
    uint8_t skin[256][256];
} beauty_tones;

void beauty_find_tones(beauty_tones *tones, const kit_coding *coding);

/*
 * Planes of half the width and height, and what the guided filter makes of them: luma' = a · luma +
 * b. Rows [low, high) of the picture's halves are there; pointers are to row 0.
 */
typedef struct beauty_halves {
    int width, height, low, high;
    uint8_t *luma, *skin;
    uint16_t *a, *b; /* a in 1/65280, b in 1/256 */
    void *owned;
} beauty_halves;

/* Means and skin; `smooth` of radius `radius` pixels. */
cutroom_status beauty_measure(const kit_job *job, const beauty_tones *tones, double radius, beauty_halves *halves);

#endif
