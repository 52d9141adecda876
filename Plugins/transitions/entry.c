/* The library of the shipped transitions. */
#include "transitions.h"

static const cutroom_effect *const effects[] = {
    &transition_burn.abi, &transition_circle_close.abi, &transition_circle_open.abi, &transition_cube.abi,
    &transition_luma_matte.abi, &transition_whip_pan.abi, &transition_zoom.abi,
};

KIT_LIBRARY("Transitions", effects);
