/* org.cutroom.circle_close: the outgoing picture in a circle that shrinks. */
#include "../circle.h"

static cutroom_status render(const kit_job *job) { return circle_render(job, 1); }

const kit_effect transition_circle_close = {
    .abi = KIT_TRANSITION("org.cutroom.circle_close", "Circle close", "Keeps the outgoing picture in a circle that shrinks.", circle_params),
    .render = render,
    .mixes = 1,
};
