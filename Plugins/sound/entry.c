/* The library of the shipped sound effects. */
#include "sound.h"

static const sound_effect *const effects[] = {
    &sound_compressor, &sound_ducking, &sound_echo, &sound_equalizer, &sound_gain, &sound_noise_reduction, &sound_pitch,
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
    .name = "Sound",
    .version = "1.0.0",
    .init = init,
    .effect_count = effect_count,
    .effect = effect,
};
