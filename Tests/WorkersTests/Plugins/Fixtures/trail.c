/* Shows the mean of the middle luma of the last DEPTH + 1 frames that it saw, this one included. */
#include <stdlib.h>
#define FIXTURE_FORMATS CUTROOM_FORMAT_YUV420P8, CUTROOM_FORMAT_RGBA8
#include "fixture.h"

#define DEPTH 7
#ifndef TRAIL_STATE
#define TRAIL_STATE CUTROOM_STATE_WARM_UP
#endif
#ifndef TRAIL_ID
#define TRAIL_ID "test.trail"
#endif

typedef struct trail { int count, luma[DEPTH + 1]; } trail;

static cutroom_status create(const cutroom_effect *effect, const cutroom_host *host, const cutroom_setup *setup, void **instance) {
    (void)effect, (void)host, (void)setup;
    *instance = calloc(1, sizeof(trail));
    return *instance ? CUTROOM_OK : CUTROOM_ERROR_MEMORY;
}

static void destroy(void *instance) { free(instance); }

static cutroom_status process(void *instance, const cutroom_call *call) {
    trail *t = instance;
    const cutroom_frame *in = cutroom_current(call, 0), *out = call->output;
    t->luma[t->count++ % (DEPTH + 1)] = in->plane[0][in->height / 2 * in->stride[0] + in->width / 2];
    int sum = 0, seen = t->count < DEPTH + 1 ? t->count : DEPTH + 1;
    for (int i = 0; i < seen; i++) sum += t->luma[i];
    for (int y = 0; y < out->height; y++) memset(out->plane[0] + y * out->stride[0], sum / seen, (size_t)out->width);
    for (int p = 1; p < 3; p++)
        for (int y = 0; y < (out->height + 1) / 2; y++) memset(out->plane[p] + y * out->stride[p], 128, (size_t)(out->width + 1) / 2);
    return CUTROOM_OK;
}

static const cutroom_effect effect = {FIXTURE_EFFECT(TRAIL_ID, process), .state = TRAIL_STATE, .warm_up = DEPTH,
                                      .create = create, .destroy = destroy};
FIXTURE_ONE(effect)
const cutroom_plugin cutroom_plugin_entry = {FIXTURE_ENTRY};
