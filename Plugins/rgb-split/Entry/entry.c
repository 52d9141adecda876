/*
 * The plugin's one exported symbol. Swift cannot define a C data symbol with an initial value, so a
 * plugin written in Swift has this file beside it; its functions are Swift's, exported to C within
 * the library by `@_cdecl`.
 */
#include <cutroom/plugin.h>

cutroom_status rgb_split_init(const cutroom_host *host, const char *path);
uint32_t rgb_split_effect_count(void);
const cutroom_effect *rgb_split_effect(uint32_t index);

const cutroom_plugin cutroom_plugin_entry = {
    .magic = CUTROOM_MAGIC,
    .struct_size = sizeof cutroom_plugin_entry,
    .abi_major = CUTROOM_ABI_MAJOR,
    .abi_minor = CUTROOM_ABI_MINOR,
    .name = "RGB split",
    .version = "1.0.0",
    .init = rgb_split_init,
    .effect_count = rgb_split_effect_count,
    .effect = rgb_split_effect,
};
