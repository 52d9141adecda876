/* The library of libavfilter's effects. */
#include "chain.h"
#include <entry.h>

static const cutroom_effect *const effects[] = {&picture_effect, &sound_effect, &picture_pure_effect};

KIT_LIBRARY("libavfilter", effects);
