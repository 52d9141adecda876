/* A filter in RGBA that gives back what it gets, but for pixels (x, y) for which CHANGES says
 * otherwise: those are inverted. With SOURCE it is a source of one colour instead, RED, GREEN and
 * BLUE, in a circle that fills its smaller side, and transparent green around. */
#ifdef SOURCE
#define FIXTURE_KIND CUTROOM_KIND_SOURCE
#endif
#include "fixture.h"
#ifndef CHANGES
#define CHANGES 0
#endif

static cutroom_status process(void *instance, const cutroom_call *call) {
    const cutroom_frame *out = call->output;
    (void)instance;
    for (int y = 0; y < out->height; y++)
        for (int x = 0; x < out->width; x++) {
            uint8_t *to = out->plane[0] + y * out->stride[0] + 4 * x;
#ifdef SOURCE
            const int dx = 2 * x + 1 - out->width, dy = 2 * y + 1 - out->height, side = out->width < out->height ? out->width : out->height;
            const int is_in = dx * dx + dy * dy < side * side;
            to[0] = is_in ? RED : 0, to[1] = is_in ? GREEN : 255, to[2] = is_in ? BLUE : 0, to[3] = is_in ? 255 : 0;
#else
            const uint8_t *from = cutroom_current(call, 0)->plane[0] + y * cutroom_current(call, 0)->stride[0] + 4 * x;
            for (int c = 0; c < 4; c++) to[c] = c < 3 && (CHANGES) ? (uint8_t)(255 - from[c]) : from[c];
#endif
        }
    return CUTROOM_OK;
}

static const cutroom_effect effect = {FIXTURE_EFFECT(FIXTURE_ID, process)};
FIXTURE_ONE(effect)
const cutroom_plugin cutroom_plugin_entry = {FIXTURE_ENTRY};
