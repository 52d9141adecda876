/* An analyser: the mean of a frame's luma, its number, its size, and what its parameters say. Built
 * for it (-DCRASHES, -DHANGS, -DFAILS, -DEMITS_TIME, -DEMITS_NAN, -DEMITS_MUCH, -DEMITS_BAD_NAME,
 * -DEMITS_ENDLESS, -DEMITS_EARLY, -DRUNS, -DTELLS), it does one thing wrong at frame 5, or sees or
 * tells more. */
#include <math.h>
#include <stdlib.h>
#include <unistd.h>
#define FIXTURE_KIND CUTROOM_KIND_ANALYSER
#ifndef FIXTURE_FORMATS
#define FIXTURE_FORMATS CUTROOM_FORMAT_YUV420P8, CUTROOM_FORMAT_RGBA8
#endif
#include "fixture.h"

static const cutroom_param params[] = {
    {.type = CUTROOM_PARAM_DOUBLE, .flags = CUTROOM_PARAM_ANIMATABLE, .id = "scale", .label = "Scale", .unit = "", .help = "A factor.",
     .minimum = 0, .maximum = 10, .initial = {1}},
    {.type = CUTROOM_PARAM_PATH, .id = "model", .label = "Model", .unit = "", .help = "A file."},
};

static cutroom_status emit(const cutroom_call *call, const char *key, const double *numbers, uint32_t count) {
    return fixture_host->emit(fixture_host->context, call->handle, key, numbers, count);
}

/* What no analysis takes: it must be refused at once. */
__attribute__((unused)) static cutroom_status emit_bad(const cutroom_call *call, const char *key, const double *numbers, uint32_t count) {
    if (emit(call, key, numbers, count) == CUTROOM_ERROR_PARAM) return CUTROOM_OK;
    fixture_host->error(fixture_host->context, call->handle, "what may not be given was taken");
    return CUTROOM_ERROR_FATAL;
}

static double mean(const cutroom_frame *in) {
    double sum = 0;
    for (int y = 0; y < in->height; y++)
        for (int x = 0; x < in->width; x++) sum += in->plane[0][y * in->stride[0] + x];
    return sum / ((double)in->width * in->height);
}

static cutroom_status create(const cutroom_effect *effect, const cutroom_host *host, const cutroom_setup *setup, void **instance) {
    (void)effect, (void)setup;
    fixture_host = host;
    *instance = calloc(1, sizeof(int));
    return *instance ? CUTROOM_OK : CUTROOM_ERROR_MEMORY;
}

static void destroy(void *instance) { free(instance); }

static cutroom_status process(void *instance, const cutroom_call *call) {
    const int calls = (*(int *)instance)++;
    (void)calls;
    if (call->output) return CUTROOM_ERROR_UNSUPPORTED;
    const cutroom_frame *in = cutroom_current(call, 0);
    if (call->index == 5) {
#if defined(CRASHES)
        *(volatile int *)8 = 1;
#elif defined(HANGS)
        for (;;) pause();
#elif defined(FAILS)
        fixture_host->error(fixture_host->context, call->handle, "it is not my day");
        return CUTROOM_ERROR_UNSUPPORTED;
#elif defined(EMITS_TIME)
        if (emit_bad(call, "time", &(double){1}, 1) != CUTROOM_OK) return CUTROOM_ERROR_FATAL;
#elif defined(EMITS_NAN)
        if (emit_bad(call, "light", &(double){NAN}, 1) != CUTROOM_OK) return CUTROOM_ERROR_FATAL;
#elif defined(EMITS_MUCH)
        static const double much[5000];
        if (emit_bad(call, "light", much, 5000) != CUTROOM_OK) return CUTROOM_ERROR_FATAL;
#elif defined(EMITS_BAD_NAME)
        if (emit_bad(call, "Bad Key", &(double){1}, 1) != CUTROOM_OK) return CUTROOM_ERROR_FATAL;
#elif defined(EMITS_ENDLESS)
        if (emit_bad(call, "light", &(double){1}, UINT32_MAX) != CUTROOM_OK) return CUTROOM_ERROR_FATAL;
#endif
    }
#if defined(EMITS_EARLY)
    static const double many[4096];
    for (int i = 0; i < 4; i++) emit(call, (const char *[]){"a", "b", "c", "d"}[i], many, 1024);
    return CUTROOM_OK;
#endif
    const double light = mean(in) * call->values[0].n[0], size[2] = {in->width, in->height};
    const double place[3] = {(double)call->index, (double)call->time.num / (double)call->time.den, call->progress};
    double around[3] = {-1, -1, -1};
    for (uint32_t i = 0; i < call->inputs[0]->before + 1 + call->inputs[0]->after && i < 3; i++)
        if (call->inputs[0]->frames[i]) around[i] = mean(call->inputs[0]->frames[i]);
    cutroom_status status = emit(call, "light", &light, 1);
#ifdef TELLS
    /* What else it is told, and the luma of a place in the upper left. */
    const double told[4] = {calls, (double)call->timeline_time.num / (double)call->timeline_time.den, in->format,
                            in->plane[0][in->height / 8 * in->stride[0] + in->width / 8]};
    if (status == CUTROOM_OK) status = emit(call, "told", told, 4);
#endif
    if (status == CUTROOM_OK) status = emit(call, "size", size, 2);
    if (status == CUTROOM_OK) status = emit(call, "place", place, 3);
    if (status == CUTROOM_OK) status = emit(call, "around", around, 3);
    return status == CUTROOM_OK ? emit(call, "none", NULL, 0) : status;
}

static const cutroom_effect effect = {FIXTURE_EFFECT("test.measures", process), FIXTURE_PARAMS(params), .create = create, .destroy = destroy,
#ifdef RUNS
                                      .reach_before = 1, .reach_after = 1,
#endif
};
FIXTURE_ONE(effect)
const cutroom_plugin cutroom_plugin_entry = {FIXTURE_ENTRY};
