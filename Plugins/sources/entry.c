/* The library of the shipped sources. */
#include "sources.h"

#include "entry.h"

static const cutroom_effect *const effects[] = {&source_gradient.abi, &source_spectrum.abi, &source_waveform.abi};

KIT_LIBRARY("Sources", effects);
