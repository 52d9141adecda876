#include "common.h"
#include "ladspa.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

#define SYMBOL "ladspa_descriptor"
#define MOST_PLUGINS 1000

static const cutroom_format formats[] = {CUTROOM_FORMAT_PCMF32_PLANAR};

/* Why a plugin cannot be called; null where it can. */
static const char *missing_function(const ladspa_plugin *plugin) {
    if (!plugin->instantiate) return "it lacks the function instantiate";
    if (!plugin->connect_port) return "it lacks the function connect_port";
    if (!plugin->run) return "it lacks the function run";
    return plugin->cleanup ? NULL : "it lacks the function cleanup";
}

/* - Returns: why there is no such effect to be listed; null where there is. */
static const char *describe(ladspa_effect *effect, const ladspa_plugin *plugin, const char **refusal) {
    if (!plugin->label || !*plugin->label) return "it has no label";
    const ladspa_facts *facts = ladspa_find_facts(plugin);
    /* It has no version; what changes its ports has to take another number. */
    char number[24];
    snprintf(number, sizeof number, "%lu", plugin->unique_id);
    effect->plugin = plugin;
    effect->table = (cutroom_effect){
        .struct_size = sizeof effect->table, .kind = CUTROOM_KIND_AUDIO_FILTER,
        /* It is told no time. */
        .capabilities = CUTROOM_IGNORES_TIMELINE, .concurrency = CUTROOM_CONCURRENCY_PROCESS,
        .state = CUTROOM_STATE_SEQUENTIAL, .determinism = facts ? facts->determinism : CUTROOM_DETERMINISM_NONE,
        .format_count = 1, .formats = formats, .id = bridge_join("ladspa.", plugin->label), .version = bridge_kept(number),
        .name = bridge_kept(plugin->name && *plugin->name ? plugin->name : plugin->label),
        .vendor = bridge_kept(plugin->maker), .license = "NOASSERTION", /* SPDX: the field has a copyright line at best */
        .help = "", .create = ladspa_create, .destroy = ladspa_destroy, .process = ladspa_process, .reset = ladspa_reset};
    const cutroom_effect *table = &effect->table;
    if (!table->id || !table->version || !table->name || !table->vendor) return BRIDGE_NO_MEMORY;
    if (facts) *refusal = facts->refusal;
    if (plugin->properties & LADSPA_REAL_TIME) *refusal = "it depends on the time at which it runs";
    const char *defect = missing_function(plugin);
    if (!defect) defect = ladspa_describe_ports(effect, refusal);
    if (defect) {
        *refusal = defect;
        effect->table.param_count = 0;
    }
    if (!*refusal) effect->table.reach_after = ladspa_latency(effect, LADSPA_RATE, NULL);
    return NULL;
}

/* ---- The library ------------------------------------------------------------------------------------------------------- */

typedef struct effect_list {
    uint32_t count;
    cbridge_effect *effects;
} effect_list;

static int is_used(const effect_list *list, const char *id) {
    for (uint32_t i = 0; i < list->count; i++)
        if (strcmp(list->effects[i].table->id, id) == 0) return 1;
    return 0;
}

/* A label that an earlier plugin of the library has gets the number after it, again where that one
 * has it too. */
static const char *make_unique(const effect_list *list, ladspa_effect *effect) {
    while (is_used(list, effect->table.id)) {
        char *dotted = bridge_join(effect->table.id, ".");
        char *numbered = dotted ? bridge_join(dotted, effect->table.version) : NULL;
        free(dotted);
        if (!numbered) return BRIDGE_NO_MEMORY;
        free((void *)effect->table.id);
        effect->table.id = numbered;
    }
    return NULL;
}

static const char *add(effect_list *list, const ladspa_plugin *plugin) {
    cbridge_effect *effects = realloc(list->effects, (list->count + 1) * sizeof *effects);
    ladspa_effect *effect = calloc(1, sizeof *effect);
    if (effects) list->effects = effects;
    if (!effects || !effect) return BRIDGE_NO_MEMORY;
    effects[list->count] = (cbridge_effect){.table = &effect->table};
    const char *failure = describe(effect, plugin, &effects[list->count].refusal);
    if (!failure) failure = make_unique(list, effect);
    if (!failure) list->count++;
    return failure;
}

static void describe_library(bridge_opened *opened, const char *path) {
    const ladspa_plugin *(*get)(unsigned long) = NULL;
    *(void **)&get = dlsym(opened->handle, SYMBOL);
    effect_list list = {0};
    const ladspa_plugin *plugin = NULL;
    /* One that cannot be described costs itself alone, where there are others. */
    const char *failure = "it has no plugins";
    for (unsigned long index = 0; index < MOST_PLUGINS && (plugin = get(index)); index++) {
        const char *defect = add(&list, plugin);
        if (defect) failure = defect;
    }
    const char *slash = strrchr(path, '/'), *name = bridge_kept(slash ? slash + 1 : path);
    if (plugin) failure = "it claims an impossible number of plugins";
    if (!name) failure = BRIDGE_NO_MEMORY;
    opened->failure = plugin || !name || list.count == 0 ? failure : NULL;
    opened->library = (cbridge_library){.name = name, .effect_count = list.count, .effects = list.effects};
}

static const char *open_library(void *handle, const char *path, cbridge_library *library) {
    return bridge_open(handle, path, describe_library, library);
}

const cbridge cbridge_ladspa = {.name = "LADSPA", .symbol = SYMBOL, .open = open_library};
