/* Returns the status that its parameter names, with a text if `text` is set. `create` fails where
 * `refuse` is set, with REFUSAL or, with -DDIES, by SIGSEGV. */
#include <signal.h>
#include "fixture.h"
#ifndef REFUSAL
#define REFUSAL CUTROOM_ERROR_MEMORY
#endif
#ifndef CONCURRENCY
#define CONCURRENCY CUTROOM_CONCURRENCY_REENTRANT
#endif
#ifndef STATE
#define STATE CUTROOM_STATE_PURE
#endif

static const cutroom_param params[] = {
    {.type = CUTROOM_PARAM_INT, .id = "status", .label = "Status", .unit = "", .help = "What it returns.", .minimum = -100, .maximum = 1},
    {.type = CUTROOM_PARAM_STRING, .id = "text", .label = "Text", .unit = "", .help = "What it says."},
    {.type = CUTROOM_PARAM_BOOL, .flags = CUTROOM_PARAM_SETUP_ONLY | CUTROOM_PARAM_HIDDEN, .id = "refuse", .label = "Refuse", .unit = "", .help = "At create."},
};

static cutroom_status create(const cutroom_effect *effect, const cutroom_host *host, const cutroom_setup *setup, void **instance) {
    if (setup->values[2].n[0] == 1) {
        host->error(host->context, setup->handle, "no instance today");
#ifdef DIES
        signal(SIGSEGV, SIG_DFL);
        raise(SIGSEGV);
#endif
        return REFUSAL;
    }
    return fixture_create(effect, host, setup, instance);
}

static cutroom_status process(void *instance, const cutroom_call *call) {
    (void)instance;
    if (*call->values[1].text) fixture_host->error(fixture_host->context, call->handle, call->values[1].text);
    return (cutroom_status)call->values[0].n[0];
}

static const cutroom_effect effect = {
    .struct_size = sizeof(cutroom_effect), .kind = FIXTURE_KIND, .format_count = sizeof fixture_formats / sizeof *fixture_formats,
    .formats = fixture_formats, .id = "test.errors",
    .version = "1.0.0", .name = "Fixture", .vendor = "Tests", .license = "MIT", .help = "For a test.", FIXTURE_PARAMS(params),
#ifdef SHARED
    .capabilities = CUTROOM_CAN_SHARE_INSTANCE, .concurrency = CONCURRENCY, .state = STATE,
#endif
    .create = create, .destroy = fixture_destroy, .process = process};
FIXTURE_ONE(effect)
const cutroom_plugin cutroom_plugin_entry = {FIXTURE_ENTRY};
