/* The library of the shipped sound effects. */
#include "sound.h"
#include <entry.h>

static const cutroom_effect *const effects[] = {
    &sound_compressor.abi, &sound_ducking.abi, &sound_echo.abi, &sound_equalizer.abi, &sound_gain.abi,
    &sound_noise_reduction.abi, &sound_pitch.abi,
};

KIT_LIBRARY("Sound", effects);
