/* A transition that shows the middle luma of each frame of its windows as a column, from left to right: of the old clip above, of the new
 * one below; 16 where there is none. */
#define FIXTURE_KIND CUTROOM_KIND_TRANSITION
#define FIXTURE_FORMATS CUTROOM_FORMAT_YUV420P8, CUTROOM_FORMAT_RGBA8
#include "fixture.h"

#ifndef BEFORE
#define BEFORE 2
#endif
#ifndef AFTER
#define AFTER 3
#endif

static cutroom_status process(void *instance, const cutroom_call *call) {
    (void)instance;
    const cutroom_frame *out = call->output;
    const int count = BEFORE + 1 + AFTER;
    for (uint32_t i = 0; i < 2; i++)
        if (call->inputs[i]->before != BEFORE || call->inputs[i]->after != AFTER) return CUTROOM_ERROR_FATAL;
    for (int y = 0; y < out->height; y++)
        for (int x = 0; x < out->width; x++) {
            const cutroom_frame *in = call->inputs[y < out->height / 2 ? 0 : 1]->frames[x * count / out->width];
            out->plane[0][y * out->stride[0] + x] = in ? in->plane[0][in->height / 2 * in->stride[0] + in->width / 2] : 16;
        }
    for (int p = 1; p < 3; p++)
        for (int y = 0; y < (out->height + 1) / 2; y++) memset(out->plane[p] + y * out->stride[p], 128, (size_t)(out->width + 1) / 2);
    return CUTROOM_OK;
}

static const cutroom_effect effect = {FIXTURE_EFFECT("test.join", process), .reach_before = BEFORE, .reach_after = AFTER};
FIXTURE_ONE(effect)
const cutroom_plugin cutroom_plugin_entry = {FIXTURE_ENTRY};
