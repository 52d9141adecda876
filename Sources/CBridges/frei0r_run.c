#include "frei0r.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* The interface wants sizes that are multiples of 8; plugins that look around end the process where
 * there is no room for it. */
#define UNIT 8
#define SMALLEST 128
#define INPUTS 2

typedef struct instance {
    const frei0r_effect *effect;
    const cutroom_host *host;
    void *plugin; /* the plugin's own instance */
    int width, height; /* of its pictures */
    uint32_t *pictures[INPUTS + 1]; /* of its own: inputs, then the output; plugins write to both and beside neither's rows */
    /* The values that it was given, in the plugin's terms; texts are copies. */
    frei0r_value *values;
    int has_values;
} instance;

static cutroom_status failure(const instance *it, void *handle, cutroom_status status) {
    char text[120];
    snprintf(text, sizeof text, "it makes no instance for pictures of %d×%d", it->width, it->height);
    it->host->error(it->host->context, handle, text);
    return status;
}

static int padded(int size) { return size < SMALLEST ? SMALLEST : (size + UNIT - 1) / UNIT * UNIT; }

static int construct(instance *it) {
    /* What a plugin draws from the C library when it is made is the same in each. */
    srand(1);
    it->plugin = it->effect->calls.construct((unsigned)it->width, (unsigned)it->height);
    it->has_values = 0;
    return it->plugin != NULL;
}

static void destruct(instance *it) {
    if (it->plugin) it->effect->calls.destruct(it->plugin);
    it->plugin = NULL;
}

void frei0r_destroy(void *handle) {
    instance *it = handle;
    destruct(it);
    for (int i = 0; i <= INPUTS; i++) it->host->release(it->host->context, it->pictures[i]);
    for (uint32_t i = 0; it->values && i < it->effect->table.param_count; i++)
        if (it->effect->types[i] == FREI0R_STRING) free(it->values[i].text);
    free(it->values);
    free(it);
}

cutroom_status frei0r_create(
    const cutroom_effect *effect, const cutroom_host *host, const cutroom_setup *setup, void **result) {
    if (setup->format != CUTROOM_FORMAT_RGBA8) return CUTROOM_ERROR_FORMAT;
    if (((const frei0r_effect *)effect)->info.type == FREI0R_MIXER3) return CUTROOM_ERROR_UNSUPPORTED;
    instance *it = calloc(1, sizeof *it);
    if (!it) return CUTROOM_ERROR_MEMORY;
    it->effect = (const frei0r_effect *)effect;
    it->host = host;
    it->width = padded(setup->width);
    it->height = padded(setup->height);
    const int inputs = it->effect->info.type == FREI0R_SOURCE ? 0 : it->effect->info.type == FREI0R_FILTER ? 1 : INPUTS;
    int has_memory = (it->values = calloc(effect->param_count + 1, sizeof *it->values)) != NULL;
    for (int i = INPUTS - inputs; i <= INPUTS; i++) {
        it->pictures[i] = host->alloc(host->context, (size_t)it->width * (size_t)it->height * 4, 64);
        has_memory = has_memory && it->pictures[i];
    }
    cutroom_status status = has_memory ? CUTROOM_OK : CUTROOM_ERROR_MEMORY;
    if (has_memory && !construct(it)) status = failure(it, setup->handle, CUTROOM_ERROR_FORMAT);
    if (status == CUTROOM_OK)
        *result = it;
    else
        frei0r_destroy(it);
    return status;
}

cutroom_status frei0r_reset(void *handle) {
    instance *it = handle;
    destruct(it);
    return construct(it) ? CUTROOM_OK : CUTROOM_ERROR_FATAL;
}

/* ---- Values ------------------------------------------------------------------------------------------------------------ */

static frei0r_value translated(int type, const cutroom_value *value) {
    frei0r_value result = {0};
    switch (type) {
    case FREI0R_COLOR:
        for (int i = 0; i < 3; i++) result.color[i] = (float)value->n[i];
        break;
    case FREI0R_POSITION: memcpy(result.position, value->n, sizeof result.position); break;
    case FREI0R_STRING: result.text = (char *)(value->text ? value->text : ""); break;
    default: result.number = value->n[0];
    }
    return result;
}

static int equal(int type, const frei0r_value *a, const frei0r_value *b) {
    if (type == FREI0R_STRING) return a->text && b->text && strcmp(a->text, b->text) == 0;
    /* No more than the member that is in use: what lies beyond it in the union may be anything. */
    const size_t size = type == FREI0R_COLOR ? sizeof a->color : type == FREI0R_POSITION ? sizeof a->position : sizeof a->number;
    return memcmp(a, b, size) == 0;
}

/*
 * Gives the plugin its values, where they are not what it has. One that counts as pure gets them as
 * a new instance, so that what it made of earlier ones cannot show.
 */
static cutroom_status give_values(instance *it, const cutroom_call *call) {
    const frei0r_effect *effect = it->effect;
    const uint32_t count = effect->table.param_count;
    int is_same = it->has_values;
    for (uint32_t i = 0; i < count && is_same; i++) {
        const frei0r_value value = translated(effect->types[i], &call->values[i]);
        is_same = equal(effect->types[i], &value, &it->values[i]);
    }
    if (is_same) return CUTROOM_OK;
    if (it->has_values && effect->table.state == CUTROOM_STATE_PURE) {
        destruct(it);
        if (!construct(it)) return failure(it, call->handle, CUTROOM_ERROR_FATAL);
    }
    for (uint32_t i = 0; i < count; i++) {
        frei0r_value value = translated(effect->types[i], &call->values[i]);
        if (effect->types[i] == FREI0R_STRING) {
            free(it->values[i].text);
            if (!(value.text = strdup(value.text))) {
                it->values[i].text = NULL;
                return CUTROOM_ERROR_MEMORY;
            }
        }
        it->values[i] = value;
        effect->calls.set_param(it->plugin, &value, effect->numbers[i]);
    }
    it->has_values = 1;
    return CUTROOM_OK;
}

/* ---- Frames ------------------------------------------------------------------------------------------------------------ */

/*
 * A mixer with a parameter for it gets the progress there. One without blends two pictures and
 * knows no way from one to the other: the picture then dissolves into the blend and from there into
 * the new one. `weight` is the blend's, of 256.
 */
static int set_progress(const instance *it, const cutroom_call *call) {
    frei0r_value value = {.number = call->progress};
    if (it->effect->progress < 0) return (int)((1 - fabs(2 * call->progress - 1)) * 256 + 0.5);
    it->effect->calls.set_param(it->plugin, &value, it->effect->progress);
    return 256;
}

cutroom_status frei0r_process(void *handle, const cutroom_call *call) {
    instance *it = handle;
    if (!it->plugin) return CUTROOM_ERROR_FATAL;
    const frei0r_effect *effect = it->effect;
    const int is_mixer = effect->info.type == FREI0R_MIXER2, swaps = effect->info.color_model == FREI0R_BGRA;
    const cutroom_status status = give_values(it, call);
    if (status != CUTROOM_OK) return status;
    const int weight = is_mixer ? set_progress(it, call) : 256;
    uint32_t *const *inputs = it->pictures + (INPUTS - call->input_count), *out = it->pictures[INPUTS];
    for (uint32_t i = 0; i < call->input_count; i++)
        frei0r_read(inputs[i], it->width, it->height, cutroom_current(call, i), swaps);
    /* Where a plugin writes nothing (cartoon's and medians' edges), the picture stays. */
    const size_t size = (size_t)it->width * (size_t)it->height * 4;
    if (call->input_count)
        memcpy(out, inputs[0], size);
    else
        memset(out, 0, size);
    const double seconds = (double)call->time.num / (double)call->time.den;
    /* The only legal randomness, for plugins that ask the C library for theirs. */
    srand((unsigned)call->seed);
    if (is_mixer)
        effect->calls.update2(it->plugin, seconds, inputs[0], inputs[1], NULL, out);
    else
        effect->calls.update(it->plugin, seconds, call->input_count ? inputs[0] : NULL, out);
    frei0r_write(call->output, out, it->width, swaps);
    if (weight < 256) frei0r_mix(call->output, cutroom_current(call, call->progress < 0.5 ? 0 : 1), weight);
    return CUTROOM_OK;
}
