/* Never returns from process. */
#include <unistd.h>
#include "fixture.h"

static cutroom_status process(void *instance, const cutroom_call *call) {
    (void)instance, (void)call;
    for (;;) pause();
    return CUTROOM_OK;
}

static const cutroom_effect effect = {FIXTURE_EFFECT("test.hang", process)};
FIXTURE_ONE(effect)
const cutroom_plugin cutroom_plugin_entry = {FIXTURE_ENTRY};
