/* An effect that declares what no host gives, or a library that claims too much: EXTRA are fields
 * of the effect, COUNT its effects. With -DCHANGES or -DMOVES its descriptor is another one, or
 * elsewhere, when it is asked for again. */
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

/* For EXTRA. */
__attribute__((unused)) static cutroom_status reset(void *instance) { return (void)instance, CUTROOM_OK; }

static const cutroom_effect effect = {FIXTURE_EFFECT("test.limits", process), EXTRA};
static uint32_t count(void) { return COUNT; }
static const cutroom_effect *at(uint32_t index) {
    if (index > 0) return NULL;
#if defined(CHANGES) || defined(MOVES)
    static cutroom_effect table[2];
    static int calls;
    const int again = calls++ > 0;
    table[0] = table[1] = effect;
#ifdef CHANGES
    if (again) table[0].help = "Something else.";
    return table;
#else
    return &table[again];
#endif
#else
    return &effect;
#endif
}

const cutroom_plugin cutroom_plugin_entry = {
    .magic = CUTROOM_MAGIC, .struct_size = sizeof(cutroom_plugin), .abi_major = 1, .name = "Limits", .version = "1.0.0",
    .init = fixture_init, .effect_count = count, .effect = at};
