/* Ends its process when it is loaded; with -DHANGS it never comes back. */
#include <signal.h>
#include <unistd.h>
#include "fixture.h"

__attribute__((constructor)) static void load(void) {
#ifdef HANGS
    for (;;) pause();
#endif
    signal(SIGABRT, SIG_DFL);
    raise(SIGABRT);
}

static cutroom_status process(void *instance, const cutroom_call *call) { return (void)instance, fixture_copy(call); }
static const cutroom_effect effect = {FIXTURE_EFFECT("test.dies", process)};
FIXTURE_ONE(effect)
const cutroom_plugin cutroom_plugin_entry = {FIXTURE_ENTRY};
