/*
 * Skin by its colour. Skin of all people has nearly one hue, that of blood under melanin: on a
 * vectorscope it lies along the "skin tone line", which is the I axis of NTSC's YIQ, 33° from the V
 * axis towards negative U. People differ in luma, and a little in saturation.
 */
#include "beauty.h"
#include <math.h>

void beauty_find_tones(beauty_tones *tones, const kit_coding *coding) {
    /* The axis in U and V, each in −0.5…0.5 of BT.601 (ITU-R BT.470 scales: U / 0.872, V / 1.230),
     * then of unit length. */
    const double axis_u = -kit_sin(33.0 / 360) / 0.872, axis_v = kit_cos(33.0 / 360) / 1.230;
    const double length = sqrt(axis_u * axis_u + axis_v * axis_v), along_u = axis_u / length, along_v = axis_v / length;
    for (int v = 0; v < 256; v++) {
        for (int u = 0; u < 256; u++) {
            const double x = (u - 128) / coding->chroma, y = (v - 128) / coding->chroma;
            const double along = x * along_u + y * along_v, across = x * along_v - y * along_u,
                beside = across < 0 ? -across : across;
            double skin = 0;
            if (along > 0) {
                /* The tangent of the angle to the axis: all within 14°, nothing beyond 30°. Towards
                 * red, where lips are, the same. */
                skin = 1 - kit_smoothstep((beside / along - 0.25) / 0.33);
                /* Grey has no hue, and what is more saturated than skin is clothes. */
                skin *= kit_smoothstep((along - 0.025) / 0.04) * (1 - kit_smoothstep((along - 0.22) / 0.08));
            }
            tones->skin[v][u] = (uint8_t)floor(255 * skin + 0.5);
        }
    }
}
