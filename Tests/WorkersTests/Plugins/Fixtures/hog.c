/* Takes all the memory that it gets, and does not look whether it got any. */
#include <stdlib.h>
#include "fixture.h"

static cutroom_status process(void *instance, const cutroom_call *call) {
    (void)instance;
    while (call) {
        volatile char *memory = malloc(1 << 20);
        memory[0] = 1;
    }
    return CUTROOM_OK;
}

static const cutroom_effect effect = {FIXTURE_EFFECT("test.hog", process)};
FIXTURE_ONE(effect)
const cutroom_plugin cutroom_plugin_entry = {FIXTURE_ENTRY};
