/* The entry of a library of effects: what all shipped libraries in C have alike. */
#ifndef KIT_ENTRY_H
#define KIT_ENTRY_H

#include <cutroom/plugin.h>

/* Defines the library's entry. `the_effects` is an array of `const cutroom_effect *const` that lies
 * in the same file. */
#define KIT_LIBRARY(the_name, the_effects)                                                                                  \
    static cutroom_status kit_library_init(const cutroom_host *host, const char *path) {                                    \
        return (void)host, (void)path, CUTROOM_OK;                                                                          \
    }                                                                                                                       \
    static uint32_t kit_library_count(void) { return sizeof the_effects / sizeof *the_effects; }                            \
    static const cutroom_effect *kit_library_effect(uint32_t index) {                                                       \
        return index < kit_library_count() ? the_effects[index] : NULL;                                                     \
    }                                                                                                                       \
    const cutroom_plugin cutroom_plugin_entry = {                                                                           \
        .magic = CUTROOM_MAGIC, .struct_size = sizeof cutroom_plugin_entry, .abi_major = CUTROOM_ABI_MAJOR,                 \
        .abi_minor = CUTROOM_ABI_MINOR, .name = the_name, .version = "1.0.0", .init = kit_library_init,                     \
        .effect_count = kit_library_count, .effect = kit_library_effect}

#endif
