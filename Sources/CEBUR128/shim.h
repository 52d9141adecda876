/* libebur128 1.2, as far as Media uses it. Its modes are bits of an enumeration with a name that is
 * no name for Swift. */
#ifndef CUTROOM_CEBUR128_SHIM_H
#define CUTROOM_CEBUR128_SHIM_H

#include <ebur128.h>

/* Integrated loudness, for tests: by a list of all gating blocks, or by a histogram of them. */
static const int cutroom_EBUR128_LIST = EBUR128_MODE_I;
static const int cutroom_EBUR128_HISTOGRAM = EBUR128_MODE_I | EBUR128_MODE_HISTOGRAM;
static const int cutroom_EBUR128_TRUE_PEAK = EBUR128_MODE_TRUE_PEAK;
static const int cutroom_EBUR128_SUCCESS = EBUR128_SUCCESS;

#endif
