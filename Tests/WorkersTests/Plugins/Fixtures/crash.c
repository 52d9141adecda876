/* Copies frames; dies by SIGSEGV at the frame that its parameter names. */
#include <signal.h>
#include "fixture.h"

static const cutroom_param params[] = {{.type = CUTROOM_PARAM_INT, .id = "frame", .label = "Frame", .unit = "", .help = "Where it dies.",
                                        .minimum = -1, .maximum = 1000000, .initial = {40}}};

static cutroom_status process(void *instance, const cutroom_call *call) {
    (void)instance;
    if (call->index == (int64_t)call->values[0].n[0]) {
        signal(SIGSEGV, SIG_DFL);
        raise(SIGSEGV);
        __builtin_trap();
    }
    return fixture_copy(call);
}

static const cutroom_effect effect = {FIXTURE_EFFECT("test.crash", process), FIXTURE_PARAMS(params)};
FIXTURE_ONE(effect)
const cutroom_plugin cutroom_plugin_entry = {FIXTURE_ENTRY};
