/* Where the key is, in the plane of chroma. */
#include "chroma_key.h"
#include <math.h>

/* The shares of the way from the key to grey up to which all goes, and from which all stays, where
 * no similarity is given. */
static const double GOES = 0.55, STAYS = 0.85;

/*
 * The distance is measured as FFmpeg's chromakey filter does, so that its values for similarity and
 * blend serve here too: the Euclidean one of the code values, divided by 255 √2. The key's
 * reflection on the foreground is chroma in the key's direction: of a colour whose hue is within
 * 45° of the key's, what goes beyond that angle is taken away.
 */
void key_fill(key_table *table, const key_setting *key) {
    const double length = sqrt(key->u * key->u + key->v * key->v), unit = 255 * sqrt(2.0);
    double similarity = key->similarity, smoothness = key->smoothness;
    if (similarity <= 0) {
        similarity = GOES * length / unit;
        smoothness = kit_bound(smoothness, 0, STAYS * length / unit - similarity);
    }
    const double along_u = length > 0 ? key->u / length : 0, along_v = length > 0 ? key->v / length : 0;
    for (int v = 0; v < 256; v++) {
        for (int u = 0; u < 256; u++) {
            const double x = u - 128, y = v - 128;
            const double dx = x - key->u, dy = y - key->v;
            const double distance = sqrt(dx * dx + dy * dy) / unit - similarity;
            const double opacity = smoothness > 0 ? kit_bound(distance / smoothness, 0, 1) : distance > 0;
            table->opacity[v][u] = (uint8_t)floor(255 * opacity + 0.5);
            const double along = x * along_u + y * along_v, across = x * along_v - y * along_u,
                beside = across < 0 ? -across : across;
            const double spill = along > beside ? (along - beside) * key->despill : 0;
            table->u[v][u] = kit_u8((int)floor(128.5 + x - spill * along_u));
            table->v[v][u] = kit_u8((int)floor(128.5 + y - spill * along_v));
        }
    }
}

void key_fill_empty(key_table *table) {
    memset(table->opacity, 255, sizeof table->opacity);
    for (int v = 0; v < 256; v++) {
        for (int u = 0; u < 256; u++) table->u[v][u] = (uint8_t)u, table->v[v][u] = (uint8_t)v;
    }
}
