/* The transitions of this library, each in a folder of its own. */
#ifndef TRANSITIONS_H
#define TRANSITIONS_H

#include <kit.h>

extern const kit_effect transition_burn, transition_circle_close, transition_circle_open, transition_cube, transition_luma_matte,
    transition_whip_pan, transition_zoom;

/* ---- Motion ------------------------------------------------------------------------------------------------------------ */

/* The way from 0 to 1 of what sets out and comes to rest slowly. */
KIT_INLINE double motion(double progress) { return kit_smoothstep(progress); }
/* Returns the part of that way that is covered while a shutter is open for `frames` frames around
 * the current one. */
double motion_shutter(const kit_job *job, double frames);

#define MOTION_BLUR_HELP "How long the shutter is open, in frames: 0 shows each frame sharp."

/* ---- Mattes: of each pixel, when it changes ---------------------------------------------------------------------------- */

enum { MATTE_ONE = 1 << 15, MATTE_GLOW = 1023 };

/* Rows of a matte: of each pixel the weight of the incoming picture, 0…MATTE_ONE, and where `glow`
 * is not null how far it is from the edge, 0…MATTE_GLOW. */
typedef struct matte_row {
    uint16_t *weight, *glow;
} matte_row;

/* What shines at the edge, over the outgoing picture, by the distance from it; nothing at
 * MATTE_GLOW. */
typedef struct matte_glow {
    uint16_t weight[MATTE_GLOW + 1]; /* 0…MATTE_ONE */
    float color[MATTE_GLOW + 1][3];  /* as kit_samples_of gives it */
} matte_glow;

/* Mixes both pictures. `fill` makes row `y` of the picture; chroma has the means of four pixels.
 * `glow` may be null. */
cutroom_status matte_mix(const kit_job *job, void (*fill)(const kit_job *job, const void *setting, int y, matte_row row),
                         const void *setting, const matte_glow *glow);

/* A matte that stays the same: of each pixel its turn, 0 first, 65535 last. */
typedef struct matte_map {
    uint16_t *turns; /* kit_release */
} matte_map;

/* Row `y` of the weights for a change that has come to `turn` (of 65535) with an edge `softness`
 * wide. */
void matte_weights(const kit_job *job, const uint16_t *turns, int y, double turn, double softness, uint16_t *weight);

#endif
