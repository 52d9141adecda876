/* The effects of this library, each in a folder of its own. */
#ifndef EFFECTS_H
#define EFFECTS_H

#include <kit.h>

extern const kit_effect effect_beauty, effect_blur, effect_flash, effect_glitch, effect_kaleidoscope, effect_mirror,
    effect_old_film,
    effect_pixelate, effect_shake, effect_sharpen, effect_soul_out, effect_strobe, effect_transform;

#endif
