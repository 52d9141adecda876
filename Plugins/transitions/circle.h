/* Two pictures with a circle between them. */
#ifndef CIRCLE_H
#define CIRCLE_H

#include "transitions.h"

enum { CIRCLE_SOFTNESS, CIRCLE_CENTER, CIRCLE_PARAMS };
extern const cutroom_param circle_params[CIRCLE_PARAMS];

/* `closes`: the circle has the outgoing picture and shrinks; else it has the incoming one and
 * grows. */
cutroom_status circle_render(const kit_job *job, int closes);

#endif
