/* Shows the middle luma of each frame of its window as a column, from left to right; 16 where there
 * is none. A transition (FIXTURE_KIND) shows the old clip's above the new one's. */
#ifndef FIXTURE_ID
#define FIXTURE_ID "test.around"
#endif
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
    const int count = BEFORE + 1 + AFTER, inputs = (int)call->input_count;
    for (int i = 0; i < inputs; i++)
        if (call->inputs[i]->before != BEFORE || call->inputs[i]->after != AFTER) return CUTROOM_ERROR_FATAL;
    for (int y = 0; y < out->height; y++)
        for (int x = 0; x < out->width; x++) {
            const cutroom_frame *in = call->inputs[y * inputs / out->height]->frames[x * count / out->width];
            out->plane[0][y * out->stride[0] + x] =
                in ? in->plane[0][in->height / 2 * in->stride[0] + in->width / 2] : 16;
        }
    for (int p = 1; p < 3; p++)
        for (int y = 0; y < (out->height + 1) / 2; y++) memset(out->plane[p] + y * out->stride[p], 128, (size_t)(out->width + 1) / 2);
    return CUTROOM_OK;
}

static const cutroom_effect effect = {FIXTURE_EFFECT(FIXTURE_ID, process), .reach_before = BEFORE, .reach_after = AFTER};
FIXTURE_ONE(effect)
const cutroom_plugin cutroom_plugin_entry = {FIXTURE_ENTRY};
