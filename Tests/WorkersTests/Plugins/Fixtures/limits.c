/* An effect that declares what no host gives, or a library that claims too much: EXTRA are fields of the effect, COUNT its effects. */
#include "fixture.h"
#ifndef EXTRA
#define EXTRA .warm_up = 0
#endif
#ifndef COUNT
#define COUNT 1
#endif

/* Less than EXTRA may claim. */
static const cutroom_param params[] __attribute__((unused)) = {
    {.type = CUTROOM_PARAM_DOUBLE, .id = "x", .label = "", .unit = "", .help = "", .maximum = 1},
};

static cutroom_status process(void *instance, const cutroom_call *call) {
    (void)instance;
#if FIXTURE_SOUND
    return (void)call, CUTROOM_PASS;
#else
    return fixture_copy(call);
#endif
}

static const cutroom_effect effect = {FIXTURE_EFFECT("test.limits", process), EXTRA};
static uint32_t count(void) { return COUNT; }
static const cutroom_effect *at(uint32_t index) { return index == 0 ? &effect : NULL; }

const cutroom_plugin cutroom_plugin_entry = {
    .magic = CUTROOM_MAGIC, .struct_size = sizeof(cutroom_plugin), .abi_major = 1, .name = "Limits", .version = "1.0.0",
    .init = fixture_init, .effect_count = count, .effect = at};
