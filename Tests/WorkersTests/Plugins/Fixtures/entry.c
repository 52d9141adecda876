/* A good effect behind an entry that -D makes bad: MAGIC, MAJOR, MINOR_NEEDED, ENTRY_SIZE,
 * INIT_STATUS, UNDEFINED, HANGS, CLOSES, LACKS_INIT. */
#include <unistd.h>
#include "fixture.h"
#ifndef MAGIC
#define MAGIC CUTROOM_MAGIC
#endif
#ifndef MAJOR
#define MAJOR CUTROOM_ABI_MAJOR
#endif
#ifndef MINOR_NEEDED
#define MINOR_NEEDED 0
#endif
#ifndef ENTRY_SIZE
#define ENTRY_SIZE sizeof(cutroom_plugin)
#endif
#ifndef INIT_STATUS
#define INIT_STATUS CUTROOM_OK
#endif

void no_such_function_anywhere(void);

static cutroom_status process(void *instance, const cutroom_call *call) {
    (void)instance;
#ifdef UNDEFINED
    no_such_function_anywhere();
#endif
    return fixture_copy(call);
}

__attribute__((unused)) static cutroom_status init(const cutroom_host *host, const char *path) {
    (void)path;
#ifdef HANGS
    for (;;) pause();
#endif
#ifdef CLOSES
    for (int descriptor = 0; descriptor < 1000; descriptor++) close(descriptor);
#endif
    if (INIT_STATUS != CUTROOM_OK) host->error(host->context, NULL, "the licence server sleeps");
    return INIT_STATUS;
}

static const cutroom_effect effect = {FIXTURE_EFFECT(FIXTURE_ID, process)};
FIXTURE_ONE(effect)
const cutroom_plugin cutroom_plugin_entry = {
    .magic = MAGIC, .struct_size = ENTRY_SIZE, .abi_major = MAJOR, .abi_minor = MINOR_NEEDED, .abi_minor_needed = MINOR_NEEDED,
    .name = "Entry", .version = "1.0.0",
#ifndef LACKS_INIT
    .init = init,
#endif
    .effect_count = fixture_effect_count, .effect = fixture_effect};
