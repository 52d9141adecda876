/* Built with an earlier header, whose structures ended before the optional functions. What lies
 * behind them is poison. */
#include "fixture.h"

static cutroom_status process(void *instance, const cutroom_call *call) {
    (void)instance;
    return fixture_copy(call);
}

#define POISON 0xdeadbeef

static const cutroom_effect effect = {
    .struct_size = offsetof(cutroom_effect, reset), .kind = CUTROOM_KIND_FILTER, .state = CUTROOM_STATE_PURE, .determinism = CUTROOM_DETERMINISM_EXACT, .format_count = 1,
    .formats = fixture_formats, .id = "test.shorter", .version = "1.0.0", .name = "Shorter", .vendor = "Tests", .license = "MIT",
    .help = "For a test.", .create = fixture_create, .destroy = fixture_destroy, .process = process,
    .reset = (cutroom_status (*)(void *))POISON};
FIXTURE_ONE(effect)

const cutroom_plugin cutroom_plugin_entry = {
    .magic = CUTROOM_MAGIC, .struct_size = offsetof(cutroom_plugin, deinit), .abi_major = 1, .name = "Shorter", .version = "1.0.0",
    .init = fixture_init, .effect_count = fixture_effect_count, .effect = fixture_effect, .deinit = (void (*)(void))POISON};
