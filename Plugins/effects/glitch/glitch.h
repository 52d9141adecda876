#ifndef GLITCH_H
#define GLITCH_H

#include "../effects.h"

/* What a moment's glitch is like. */
typedef struct glitch_look {
    uint64_t seed;
    double amount; /* 0…1 */
    double shift;  /* pixels */
    int split;     /* pixels that red moves to the right, and blue to the left */
    int dark;      /* luma of a scan line, in 1/256 */
    int line;      /* rows of a scan line */
} glitch_look;

#define GLITCH_SAME 0
#define GLITCH_NEGATIVE 1 /* the complementary colour */
#define GLITCH_GREY 2     /* no colour, brighter */

/* A part of the picture that is taken from elsewhere: what is `shift` pixels to its left, `lift`
 * below. All even, so that chroma follows exactly. */
typedef struct glitch_piece {
    int left, right, top, bottom, shift, lift, color;
} glitch_piece;

enum { GLITCH_PIECES = 40 };

/* Later pieces lie over earlier ones. */
typedef struct glitch_breakage {
    int count;
    glitch_piece piece[GLITCH_PIECES];
} glitch_breakage;

void glitch_break(glitch_breakage *breakage, const glitch_look *look, int width, int height);
cutroom_status glitch_render(const kit_job *job, const glitch_look *look, const glitch_breakage *breakage);

#endif
