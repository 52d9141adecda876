/* A good effect among bad ones, each wrong in one way. */
#include <math.h>
#include "fixture.h"

static cutroom_status process(void *instance, const cutroom_call *call) {
    (void)instance;
    return fixture_copy(call);
}

#define NUMBER(the_id, low, high, start) \
    {.type = CUTROOM_PARAM_DOUBLE, .id = the_id, .label = "", .unit = "", .help = "", .minimum = low, .maximum = high, .initial = {start}}

static const cutroom_param outside[] = {NUMBER("x", 0, 1, 2)};
static const cutroom_param not_a_number[] = {NUMBER("x", 0, NAN, 0)};
static const cutroom_param reversed[] = {NUMBER("x", 1, 0, 0)};
static const cutroom_param twice[] = {NUMBER("x", 0, 1, 0), NUMBER("x", 0, 1, 0)};
static const cutroom_param bad_id[] = {NUMBER("two words", 0, 1, 0)};
static const cutroom_param no_choices[] = {{.type = CUTROOM_PARAM_ENUM, .id = "x", .label = "", .unit = "", .help = ""}};
static const cutroom_param unknown_type[] = {{.type = 99, .id = "x", .label = "", .unit = "", .help = ""}};

static const cutroom_effect effects[] = {
    {FIXTURE_EFFECT("test.good", process)},
    {FIXTURE_EFFECT("test.outside", process), FIXTURE_PARAMS(outside)},
    {FIXTURE_EFFECT("test.nan", process), FIXTURE_PARAMS(not_a_number)},
    {FIXTURE_EFFECT("test.reversed", process), FIXTURE_PARAMS(reversed)},
    {FIXTURE_EFFECT("test.twice", process), FIXTURE_PARAMS(twice)},
    {FIXTURE_EFFECT("test.bad_id", process), FIXTURE_PARAMS(bad_id)},
    {FIXTURE_EFFECT("test.no_choices", process), FIXTURE_PARAMS(no_choices)},
    {FIXTURE_EFFECT("test.unknown_type", process), FIXTURE_PARAMS(unknown_type)},
    {FIXTURE_EFFECT("nodots", process)},
    {FIXTURE_EFFECT("test.no_process", NULL)},
    {FIXTURE_EFFECT("test.good", process)},
    {.struct_size = sizeof(cutroom_effect), .kind = 77, .id = "test.new_kind"},
    {.struct_size = 16},
    {.struct_size = sizeof(cutroom_effect), .kind = CUTROOM_KIND_TRANSITION, .format_count = 1, .formats = fixture_formats,
     .id = "test.transition", .version = "", .name = "", .vendor = "", .license = "", .help = "", .create = fixture_create,
     .destroy = fixture_destroy, .process = process},
    {.struct_size = sizeof(cutroom_effect), .kind = CUTROOM_KIND_FILTER, .format_count = 1, .formats = fixture_formats,
     .reach_before = 251, .id = "test.reach", .version = "", .name = "", .vendor = "", .license = "", .help = "",
     .create = fixture_create, .destroy = fixture_destroy, .process = process},
    {FIXTURE_EFFECT("test.Capital", process)},
    {FIXTURE_EFFECT("test..empty", process)},
    {FIXTURE_EFFECT("test.bare", NULL), .create = NULL},
};

static uint32_t count(void) { return sizeof effects / sizeof *effects + 1; }
/* The last one is missing. */
static const cutroom_effect *at(uint32_t index) { return index < sizeof effects / sizeof *effects ? &effects[index] : NULL; }

const cutroom_plugin cutroom_plugin_entry = {
    .magic = CUTROOM_MAGIC, .struct_size = sizeof(cutroom_plugin), .abi_major = 1, .name = "Descriptors", .version = "1.0.0",
    .init = fixture_init, .effect_count = count, .effect = at};
