/* Built with a later header: every structure of the plugin has a field more, its parameters are
 * further apart, and it has a capability that is not known yet. */
#include "fixture.h"

typedef struct { cutroom_param base; double later; } later_param;
typedef struct { cutroom_effect base; const char *later; } later_effect;
typedef struct { cutroom_plugin base; const char *later; } later_plugin;

static const later_param params[] = {
    {{.type = CUTROOM_PARAM_DOUBLE, .id = "one", .label = "1", .unit = "", .help = "1", .maximum = 1, .initial = {0.25}}, 7},
    {{.type = CUTROOM_PARAM_DOUBLE, .id = "two", .label = "2", .unit = "", .help = "2", .maximum = 1, .initial = {0.5}}, 7},
};

static cutroom_status process(void *instance, const cutroom_call *call) {
    (void)instance;
    return call->values[1].n[0] == 0.5 ? fixture_copy(call) : CUTROOM_ERROR_PARAM;
}

static const later_effect effect = {
    {.struct_size = sizeof(later_effect), .kind = CUTROOM_KIND_FILTER,
     .capabilities = CUTROOM_IGNORES_TIMELINE | (uint32_t)1 << 30, .state = CUTROOM_STATE_PURE, .determinism = CUTROOM_DETERMINISM_EXACT, .format_count = 1,
     .formats = fixture_formats, .id = "test.longer", .version = "1.0.0", .name = "Longer", .vendor = "Tests", .license = "MIT",
     .help = "For a test.", .params = &params[0].base, .param_count = 2, .param_stride = sizeof(later_param),
     .create = fixture_create, .destroy = fixture_destroy, .process = process},
    "later"};

static uint32_t count(void) { return 1; }
static const cutroom_effect *at(uint32_t index) { return index == 0 ? &effect.base : NULL; }

/* The symbol's type is the later one's, as it would be with the later header. */
CUTROOM_EXPORT const later_plugin later_entry __asm__("cutroom_plugin_entry") = {
    {.magic = CUTROOM_MAGIC, .struct_size = sizeof(later_plugin), .abi_major = 1, .abi_minor = 9, .abi_minor_needed = 0,
     .name = "Longer", .version = "1.0.0", .init = fixture_init, .effect_count = count, .effect = at},
    "later"};
