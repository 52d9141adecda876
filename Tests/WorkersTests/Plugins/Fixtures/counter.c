/* Shows how many frames its instance has seen, as a grey level: four code values for each. */
#include <stdlib.h>
#include "fixture.h"

static cutroom_status create(const cutroom_effect *effect, const cutroom_host *host, const cutroom_setup *setup, void **instance) {
    (void)effect, (void)host, (void)setup;
    *instance = calloc(1, sizeof(int));
    return *instance ? CUTROOM_OK : CUTROOM_ERROR_MEMORY;
}

static void destroy(void *instance) { free(instance); }

static cutroom_status process(void *instance, const cutroom_call *call) {
    int level = 4 * ++*(int *)instance;
    const cutroom_frame *out = call->output;
    for (int y = call->row_begin; y < call->row_end; y++) {
        uint8_t *row = (uint8_t *)out->plane[0] + y * out->stride[0];
        for (int x = 0; x < out->width; x++) {
            row[4 * x] = row[4 * x + 1] = row[4 * x + 2] = (uint8_t)level;
            row[4 * x + 3] = 255;
        }
    }
    return CUTROOM_OK;
}

static const cutroom_effect effect = {FIXTURE_EFFECT("test.counter", process), .state = CUTROOM_STATE_SEQUENTIAL,
                                      .create = create, .destroy = destroy};
FIXTURE_ONE(effect)
const cutroom_plugin cutroom_plugin_entry = {FIXTURE_ENTRY};
