/* org.cutroom.circle_open: the incoming picture in a circle that grows. */
#include "../circle.h"

static cutroom_status render(const kit_job *job) { return circle_render(job, 0); }

const kit_effect transition_circle_open = {
    .abi = KIT_TRANSITION("org.cutroom.circle_open", "Circle open", "Shows the incoming picture in a circle that grows.", circle_params),
    .render = render,
    .mixes = 1,
};
