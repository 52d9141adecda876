/* The library of libavfilter's effects. */
#include "chain.h"

/* The last one is there where libavfilter has its filter. */
static const cutroom_effect *const effects[] = {&picture_effect, &sound_effect, &picture_pure_effect, &xfade_effect};

static cutroom_status init(const cutroom_host *host, const char *path) {
    (void)host, (void)path;
    xfade_init();
    return CUTROOM_OK;
}

static uint32_t count(void) { return sizeof effects / sizeof *effects - !xfade_is_there(); }

static const cutroom_effect *effect(uint32_t index) { return index < count() ? effects[index] : NULL; }

const cutroom_plugin cutroom_plugin_entry = {
    .magic = CUTROOM_MAGIC, .struct_size = sizeof cutroom_plugin_entry, .abi_major = CUTROOM_ABI_MAJOR, .abi_minor = CUTROOM_ABI_MINOR,
    .name = "libavfilter", .version = "1.0.0", .init = init, .effect_count = count, .effect = effect};
