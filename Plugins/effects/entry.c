/* The library of the shipped effects. */
#include "effects.h"

static const kit_effect *const effects[] = {
    &effect_beauty, &effect_blur, &effect_flash, &effect_glitch, &effect_kaleidoscope, &effect_mirror, &effect_old_film,
    &effect_pixelate, &effect_shake, &effect_sharpen, &effect_soul_out, &effect_strobe,
    &effect_transform,
};

static cutroom_status init(const cutroom_host *host, const char *path) {
    (void)host, (void)path;
    return CUTROOM_OK;
}

static uint32_t effect_count(void) { return sizeof effects / sizeof *effects; }
static const cutroom_effect *effect(uint32_t index) { return index < effect_count() ? &effects[index]->abi : NULL; }

const cutroom_plugin cutroom_plugin_entry = {
    .magic = CUTROOM_MAGIC,
    .struct_size = sizeof cutroom_plugin_entry,
    .abi_major = CUTROOM_ABI_MAJOR,
    .abi_minor = CUTROOM_ABI_MINOR,
    .name = "Effects",
    .version = "1.0.0",
    .init = init,
    .effect_count = effect_count,
    .effect = effect,
};
