#ifndef TINT_H
#define TINT_H

#include <kit.h>

/* The whole picture mixed with a colour (red, green, blue, alpha, 0…1) by `strength` · alpha. PASS
 * where that is nothing. */
cutroom_status tint(const kit_job *job, const double rgba[4], double strength);

#endif
