#include "common.h"
#include "frei0r.h"

#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define MOST_PARAMS 1024

static const cutroom_format formats[] = {CUTROOM_FORMAT_RGBA8};
/* Names of the parameter that carries a mixer from its first picture to its second, as ids. */
static const char *const progress_ids[] = {"fader", "blend", "position", "progress"};

static const char *find_calls(void *handle, frei0r_calls *calls) {
    const struct {
        const char *name;
        void **call;
        const char *refusal;
    } list[] = {
        {"f0r_init", (void **)&calls->init, "it exports no f0r_init, which every frei0r plugin has"},
        {"f0r_get_plugin_info", (void **)&calls->get_info, "it exports no f0r_get_plugin_info, which every frei0r plugin has"},
        {"f0r_get_param_info", (void **)&calls->get_param_info, "it exports no f0r_get_param_info, which every frei0r plugin has"},
        {"f0r_construct", (void **)&calls->construct, "it exports no f0r_construct, which every frei0r plugin has"},
        {"f0r_destruct", (void **)&calls->destruct, "it exports no f0r_destruct, which every frei0r plugin has"},
        {"f0r_set_param_value", (void **)&calls->set_param, "it exports no f0r_set_param_value, which every frei0r plugin has"},
        {"f0r_get_param_value", (void **)&calls->get_param, "it exports no f0r_get_param_value, which every frei0r plugin has"},
        {"f0r_update", (void **)&calls->update, NULL},
        {"f0r_update2", (void **)&calls->update2, NULL},
    };
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        *list[i].call = dlsym(handle, list[i].name);
        if (!*list[i].call && list[i].refusal) return list[i].refusal;
    }
    return NULL;
}

/* ---- Parameters -------------------------------------------------------------------------------------------------------- */

static double inside(double number) { return isnan(number) || number < 0 ? 0 : number > 1 ? 1 : number; }

/* The type and default of a parameter. All numbers lie in 0 … 1; what has to be a value outside is
 * a value at the bound. */
static void describe_value(cutroom_param *param, int type, const frei0r_value *value) {
    param->flags = CUTROOM_PARAM_ANIMATABLE;
    param->maximum = 1;
    switch (type) {
    case FREI0R_BOOL:
        param->type = CUTROOM_PARAM_BOOL;
        param->initial[0] = value->number >= 0.5;
        break;
    case FREI0R_COLOR:
        param->type = CUTROOM_PARAM_COLOR;
        for (int i = 0; i < 3; i++) param->initial[i] = inside((double)value->color[i]);
        param->initial[3] = 1;
        break;
    case FREI0R_POSITION:
        param->type = CUTROOM_PARAM_POINT;
        for (int i = 0; i < 2; i++) param->initial[i] = inside(value->position[i]);
        break;
    case FREI0R_STRING:
        *param = (cutroom_param){.type = CUTROOM_PARAM_STRING, .initial_text = bridge_kept(value->text)};
        break;
    default:
        param->type = CUTROOM_PARAM_DOUBLE;
        param->initial[0] = inside(value->number);
    }
}

/* Defaults are what a new instance answers; the interface has no other place for them. */
static const char *describe_params(frei0r_effect *effect, void *plugin) {
    const int total = effect->info.param_count;
    if (total < 0 || total > MOST_PARAMS) return "it claims an impossible number of parameters";
    cutroom_param *params = calloc((size_t)total + 1, sizeof *params);
    effect->numbers = calloc((size_t)total + 1, sizeof *effect->numbers);
    effect->types = calloc((size_t)total + 1, sizeof *effect->types);
    effect->table.params = params;
    if (!params || !effect->numbers || !effect->types) return BRIDGE_NO_MEMORY;
    uint32_t count = 0;
    for (int number = 0; number < total; number++) {
        frei0r_param_info info = {0};
        effect->calls.get_param_info(&info, number);
        if (info.type < FREI0R_BOOL || info.type > FREI0R_STRING) return "it has a parameter of a type that frei0r does not have";
        char *id = bridge_make_id(info.name ? info.name : "", number, params, count);
        if (!id) return BRIDGE_NO_MEMORY;
        int is_progress = 0;
        for (size_t i = 0; i < sizeof progress_ids / sizeof *progress_ids; i++)
            is_progress = is_progress || strcmp(id, progress_ids[i]) == 0;
        if (is_progress && effect->info.type == FREI0R_MIXER2 && info.type == FREI0R_DOUBLE && effect->progress < 0) {
            effect->progress = number;
            free(id);
            continue;
        }
        frei0r_value value = {0};
        if (plugin) effect->calls.get_param(plugin, &value, number);
        cutroom_param *param = &params[count];
        describe_value(param, info.type, &value);
        param->id = id;
        param->label = bridge_kept(info.name);
        param->unit = "";
        param->help = bridge_kept(info.explanation);
        if (!param->label || !param->help) return BRIDGE_NO_MEMORY;
        effect->numbers[count] = number;
        effect->types[count++] = info.type;
    }
    effect->table.param_count = count;
    effect->table.param_stride = sizeof *params;
    return NULL;
}

/* ---- The effect -------------------------------------------------------------------------------------------------------- */

/* `name` of `/folder/name.so`, for the caller to free. */
static char *file_name(const char *path) {
    const char *slash = strrchr(path, '/');
    char *name = strdup(slash ? slash + 1 : path);
    const size_t length = name ? strlen(name) : 0;
    if (length > 3 && strcmp(name + length - 3, ".so") == 0) name[length - 3] = 0;
    return name;
}

/* - Returns: why there is no such effect to be listed; null where there is. */
static const char *describe(frei0r_effect *effect, const char *path, const char **refusal) {
    frei0r_info *info = &effect->info;
    effect->calls.get_info(info);
    if (info->interface_version != 1) return "it is for a version of frei0r that Cutroom does not know";
    if (info->type < FREI0R_FILTER || info->type > FREI0R_MIXER3) return "it is of a type that frei0r does not have";
    if (info->color_model < FREI0R_BGRA || info->color_model > FREI0R_PACKED) return "it has a color model that frei0r does not have";
    if (info->type >= FREI0R_MIXER2 ? !effect->calls.update2 : !effect->calls.update)
        return "it exports no function that makes a frame (f0r_update, of mixers f0r_update2)";
    char version[32];
    snprintf(version, sizeof version, "%d.%d", info->major, info->minor);
    char *name = file_name(path);
    const frei0r_facts *facts = name ? frei0r_find_facts(name, info->major, info->minor) : NULL;
    const cutroom_kind kinds[] = {CUTROOM_KIND_FILTER, CUTROOM_KIND_SOURCE, CUTROOM_KIND_TRANSITION, CUTROOM_KIND_TRANSITION};
    effect->progress = -1;
    effect->table = (cutroom_effect){
        .struct_size = sizeof effect->table, .kind = kinds[info->type],
        /* It is told the effect's own time. */
        .capabilities = CUTROOM_IGNORES_TIMELINE, .concurrency = CUTROOM_CONCURRENCY_PROCESS,
        .state = facts ? facts->state : CUTROOM_STATE_SEQUENTIAL,
        .determinism = facts ? facts->determinism : CUTROOM_DETERMINISM_NONE, .format_count = 1, .formats = formats,
        .id = name ? bridge_join("frei0r.", name) : NULL, .version = bridge_kept(version),
        .name = bridge_kept(info->name && *info->name ? info->name : name), .vendor = bridge_kept(info->author),
        .license = "NOASSERTION", /* SPDX: it is not said */
        .help = bridge_kept(info->explanation), .create = frei0r_create, .destroy = frei0r_destroy, .process = frei0r_process,
        .reset = frei0r_reset};
    free(name);
    const cutroom_effect *table = &effect->table;
    if (!table->id || !table->version || !table->name || !table->vendor || !table->help)
        return BRIDGE_NO_MEMORY;
    if (facts) *refusal = facts->refusal;
    if (info->type == FREI0R_MIXER3) *refusal = "it mixes three pictures, and a transition has two";
    void *plugin = effect->calls.construct(640, 360);
    if (!plugin) *refusal = "it makes no instance (f0r_construct returns null), so its defaults are not known";
    const char *failure = describe_params(effect, plugin);
    if (plugin) effect->calls.destruct(plugin);
    return failure;
}

/* ---- The library ------------------------------------------------------------------------------------------------------- */

static void describe_library(bridge_opened *opened, const char *path) {
    struct {
        frei0r_effect effect;
        cbridge_effect bridged;
    } *made = calloc(1, sizeof *made);
    if (!made) {
        opened->failure = BRIDGE_NO_MEMORY;
        return;
    }
    made->bridged.table = &made->effect.table;
    opened->failure = find_calls(opened->handle, &made->effect.calls);
    if (!opened->failure && made->effect.calls.init() < 0) opened->failure = "its initialisation fails (f0r_init)";
    if (!opened->failure) opened->failure = describe(&made->effect, path, &made->bridged.refusal);
    opened->library = (cbridge_library){.name = made->effect.table.name, .effect_count = 1, .effects = &made->bridged};
}

static const char *open_library(void *handle, const char *path, cbridge_library *library) {
    return bridge_open(handle, path, describe_library, library);
}

const cbridge cbridge_frei0r = {.name = "frei0r", .symbol = "f0r_get_plugin_info", .open = open_library};
