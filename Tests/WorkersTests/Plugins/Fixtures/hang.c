/* Never returns from process; with SECONDS, after so many. */
#include <unistd.h>
#include "fixture.h"

static cutroom_status process(void *instance, const cutroom_call *call) {
    (void)instance;
#ifdef SECONDS
    sleep(SECONDS);
    return fixture_copy(call);
#else
    (void)call;
    for (;;) pause();
    return CUTROOM_OK;
#endif
}

static const cutroom_effect effect = {FIXTURE_EFFECT("test.hang", process)};
FIXTURE_ONE(effect)
const cutroom_plugin cutroom_plugin_entry = {FIXTURE_ENTRY};
