/* What is broken at a moment: wide bands, thin tears, blocks. */
#include "glitch.h"
#include <math.h>

typedef struct dice {
    uint64_t seed, thrown;
} dice;

/* low ≤ x < high. One throw in an expression: compilers may evaluate two in either order. */
static double draw(dice *d, double low, double high) { return low + (high - low) * kit_unit(kit_hash(d->seed, 16
    + d->thrown++)); }

static int even(double x) { return 2 * (int)floor(x / 2 + 0.5); }

/* To either side, rarely far. */
static int displacement(dice *d, const glitch_look *look) {
    const double far = draw(d, 0, 1), side = draw(d, -1, 1) < 0 ? -1 : 1;
    return even(side * look->shift * look->amount * (0.15 + 0.85 * far * far));
}

static void add(glitch_breakage *b, glitch_piece piece) {
    if (b->count < GLITCH_PIECES) b->piece[b->count++] = piece;
}

void glitch_break(glitch_breakage *breakage, const glitch_look *look, int width, int height) {
    dice d = {look->seed, 0};
    breakage->count = 0;
    const double most = look->amount;
    for (int i = 0, bands = (int)draw(&d, 2, 2 + 7 * most); most > 0 && i < bands; i++) {
        const int top = even(draw(&d, 0, height)), bottom = top + 2 + even(draw(&d, 0.01, 0.03 + 0.11 * most) * height);
        add(breakage, (glitch_piece){0, width, top, bottom, displacement(&d, look), 0, GLITCH_SAME});
    }
    for (int i = 0, tears = (int)draw(&d, 0, 10 * most); most > 0 && i < tears; i++) {
        const int top = even(draw(&d, 0, height)), bottom = top + 2 + even(draw(&d, 0, 0.008) * height);
        add(breakage, (glitch_piece){0, width, top, bottom, 2 * displacement(&d, look), 0, GLITCH_SAME});
    }
    for (int i = 0, blocks = (int)draw(&d, 0, 14 * most); most > 0 && i < blocks; i++) {
        const int left = even(draw(&d, -0.1, 0.9) * width), top = even(draw(&d, 0, height));
        const int right = left + 2 + even(draw(&d, 0.04, 0.3) * width), bottom = top + 2 + even(draw(&d, 0.008, 0.06) * height);
        const double color = draw(&d, 0, 1);
        const int shift = 2 * displacement(&d, look), lift = even(draw(&d, -0.15, 0.15) * height * most);
        glitch_piece piece = {left, right, top, bottom, shift, lift,
                              color < 0.55 ? GLITCH_SAME : color < 0.85 ? GLITCH_NEGATIVE : GLITCH_GREY};
        if (piece.left < 0) piece.left = 0;
        if (piece.right > width) piece.right = width;
        if (piece.left < piece.right) add(breakage, piece);
    }
}
