/* Reports everything that it was lent by way of the log, and every parameter type. Fails where its
 * output was not cleared. */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include "fixture.h"

static const char *const choices[] = {"soft", "hard"};
static const cutroom_param params[] = {
    {.type = CUTROOM_PARAM_DOUBLE, .flags = CUTROOM_PARAM_ANIMATABLE, .id = "a_double", .label = "D", .unit = "dB", .help = "d",
     .minimum = -10, .maximum = 10, .initial = {1.5}},
    {.type = CUTROOM_PARAM_INT, .id = "an_int", .label = "I", .unit = "px", .help = "i", .minimum = 0, .maximum = 9, .initial = {3}},
    {.type = CUTROOM_PARAM_BOOL, .id = "a_bool", .label = "B", .unit = "", .help = "b", .initial = {1}},
    {.type = CUTROOM_PARAM_ENUM, .id = "an_enum", .label = "E", .unit = "", .help = "e", .initial = {1}, .choice_ids = choices,
     .choice_count = 2},
    {.type = CUTROOM_PARAM_COLOR, .id = "a_color", .label = "C", .unit = "", .help = "c", .minimum = 0, .maximum = 1,
     .initial = {1, 0.5, 0, 1}},
    {.type = CUTROOM_PARAM_POINT, .id = "a_point", .label = "P", .unit = "", .help = "p", .initial = {0.25, 0.75}},
    {.type = CUTROOM_PARAM_STRING, .id = "a_string", .label = "S", .unit = "", .help = "s", .initial_text = "hello"},
    {.type = CUTROOM_PARAM_PATH, .id = "a_path", .label = "P", .unit = "", .help = "p"},
};

static void say(int32_t level, const char *line) { fixture_host->log(fixture_host->context, level, line); }

static cutroom_status create(const cutroom_effect *effect, const cutroom_host *host, const cutroom_setup *setup, void **instance) {
    char line[64];
    snprintf(line, sizeof line, "setup threads %u", setup->max_threads);
    say(CUTROOM_LOG_INFO, line);
    return fixture_create(effect, host, setup, instance);
}

static cutroom_status process(void *instance, const cutroom_call *call) {
    (void)instance;
    const cutroom_value *v = call->values;
    const cutroom_frame *in = cutroom_current(call, 0), *out = call->output;
    char line[512];
    for (int y = 0; y < out->height; y++)
        for (int x = 0; x < out->width * 4; x++)
            if (out->plane[0][y * out->stride[0] + x] != 0) return CUTROOM_ERROR_FORMAT;
    snprintf(line, sizeof line, "values %g %g %g %g [%g %g %g %g] [%g %g] %s %s", v[0].n[0], v[1].n[0], v[2].n[0], v[3].n[0], v[4].n[0],
             v[4].n[1], v[4].n[2], v[4].n[3], v[5].n[0], v[5].n[1], v[6].text, v[7].text);
    say(CUTROOM_LOG_INFO, line);
    snprintf(line, sizeof line, "call index %lld progress %g time %lld/%lld seed %llu inputs %u flags %u rows %d-%d cancelled %d",
             (long long)call->index, call->progress, (long long)call->time.num, (long long)call->time.den,
             (unsigned long long)call->seed, call->input_count, call->flags, call->row_begin, call->row_end,
             fixture_host->cancelled(fixture_host->context, call->handle));
    say(CUTROOM_LOG_WARNING, line);
    snprintf(line, sizeof line, "frame %dx%d align %u primaries %u transfer %u matrix %u full %u alpha %u index %lld", in->width,
             in->height, in->plane_align >= 4, in->primaries, in->transfer, in->matrix, in->full_range, in->alpha,
             (long long)in->index);
    say(CUTROOM_LOG_DEBUG, line);
    return fixture_copy(call);
}

typedef struct { pthread_t caller; uint32_t count; int strayed; } turns;

/* One task after the other, in the caller's thread. */
static void take_turn(void *data, uint32_t index) {
    turns *so_far = data;
    if (index != so_far->count || !pthread_equal(pthread_self(), so_far->caller)) so_far->strayed = 1;
    so_far->count++;
}

/* Tries the host's functions. */
static cutroom_status init(const cutroom_host *host, const char *path) {
    fixture_host = host;
    if (path[0] != '/' || host->abi_major != 1 || !CUTROOM_HAS(host, extension)) return CUTROOM_ERROR_FATAL;
    turns seen = {pthread_self(), 0, 0};
    if (host->parallel(host->context, take_turn, &seen, 7) != CUTROOM_OK) return CUTROOM_ERROR_FATAL;
    if (seen.count != 7 || seen.strayed) {
        host->error(host->context, NULL, "tasks do not come one after the other in the caller's thread");
        return CUTROOM_ERROR_FATAL;
    }
    void *memory = host->alloc(host->context, 1000, 256);
    if (!memory || (uintptr_t)memory % 256) return CUTROOM_ERROR_FATAL;
    host->release(host->context, memory);
    host->release(host->context, NULL);
    if (host->alloc(host->context, 10, 3) || host->extension(host->context, "org.example.none", 1)) return CUTROOM_ERROR_FATAL;
    return CUTROOM_OK;
}

static const cutroom_effect effect = {FIXTURE_EFFECT("test.probe", process), FIXTURE_PARAMS(params), .create = create};
FIXTURE_ONE(effect)
const cutroom_plugin cutroom_plugin_entry = {
    .magic = CUTROOM_MAGIC, .struct_size = sizeof(cutroom_plugin), .abi_major = CUTROOM_ABI_MAJOR, .name = "Probe", .version = "1.0.0",
    .init = init, .effect_count = fixture_effect_count, .effect = fixture_effect};
