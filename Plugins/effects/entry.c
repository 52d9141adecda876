/* The library of the shipped effects. */
#include "effects.h"

static const cutroom_effect *const effects[] = {
    &effect_beauty.abi, &effect_blur.abi, &effect_flash.abi, &effect_glitch.abi, &effect_kaleidoscope.abi, &effect_mirror.abi,
    &effect_old_film.abi, &effect_pixelate.abi, &effect_shake.abi, &effect_sharpen.abi, &effect_soul_out.abi,
    &effect_strobe.abi, &effect_transform.abi,
};

KIT_LIBRARY("Effects", effects);
