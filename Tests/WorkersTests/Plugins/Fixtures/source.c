/* A source of one colour: RED, and in green the frame's number in its own time, in blue the low
 * byte of the seed, or with COUNTS the number of frames that the instance has made. The values of
 * its parameters are its red and alpha. It does the one thing wrong that it was built for
 * (-DCRASHES, -DFAILS, -DPASSES, -DWRITES_BEYOND) in its frame 40 as long as the file `while_there`
 * is there. */
#include <stdlib.h>
#include <unistd.h>
#define FIXTURE_KIND CUTROOM_KIND_SOURCE
#ifndef SOURCE_ID
#define SOURCE_ID "test.source"
#endif
#ifndef SOURCE_STATE
#define SOURCE_STATE CUTROOM_STATE_PURE
#endif
#include "fixture.h"

static const cutroom_param params[] = {
    {.type = CUTROOM_PARAM_DOUBLE, .flags = CUTROOM_PARAM_ANIMATABLE, .id = "red", .label = "Red", .unit = "", .help = "Red.", .minimum = 0,
     .maximum = 1, .initial = {1}},
    {.type = CUTROOM_PARAM_DOUBLE, .flags = CUTROOM_PARAM_ANIMATABLE, .id = "alpha", .label = "Alpha", .unit = "", .help = "Alpha.", .minimum = 0,
     .maximum = 1, .initial = {1}},
    {.type = CUTROOM_PARAM_STRING, .id = "while_there", .label = "While there", .unit = "", .help = "A file; none: never."},
};

static cutroom_status create(const cutroom_effect *effect, const cutroom_host *host, const cutroom_setup *setup, void **instance) {
    (void)effect, (void)setup;
    fixture_host = host;
    *instance = calloc(1, sizeof(int));
    return *instance ? CUTROOM_OK : CUTROOM_ERROR_MEMORY;
}

static void destroy(void *instance) { free(instance); }

static cutroom_status reset(void *instance) {
    *(int *)instance = 0;
    return CUTROOM_OK;
}

static cutroom_status process(void *instance, const cutroom_call *call) {
    const cutroom_frame *out = call->output;
    const char *file = call->values[2].text;
    const int is_wrong = call->index == 40 && file && *file && access(file, F_OK) == 0;
    const int count = (*(int *)instance)++;
    if (call->input_count != 0 || (out->format != CUTROOM_FORMAT_YUV420P8 && out->alpha != CUTROOM_ALPHA_STRAIGHT)) return CUTROOM_ERROR_FATAL;
#if defined(CRASHES)
    if (is_wrong) *(volatile int *)8 = 1;
#elif defined(PASSES)
    if (is_wrong) return CUTROOM_PASS;
#elif defined(WRITES_BEYOND)
    if (is_wrong) memset(out->plane[0] + (out->height - 1) * out->stride[0] + out->width * 4, 0x5a, 64);
#elif defined(FAILS)
    if (is_wrong) {
        fixture_host->error(fixture_host->context, call->handle, "it is not my day");
        return CUTROOM_ERROR_UNSUPPORTED;
    }
#endif
#ifdef COUNTS
    const double blue = count / 255.0;
#else
    const double blue = (double)(call->seed & 255) / 255;
    (void)count;
#endif
    const double pixel[4] = {call->values[0].n[0], (double)(call->index & 255) / 255, blue, call->values[1].n[0]};
    (void)is_wrong;
    for (int y = 0; y < out->height; y++) {
        uint8_t *row = out->plane[0] + y * out->stride[0];
        for (int x = 0; x < out->width; x++) {
            if (out->format == CUTROOM_FORMAT_YUV420P8) {
                row[x] = (uint8_t)(16 + 219 * call->values[0].n[0] + 0.5);
                continue;
            }
            for (int c = 0; c < 4; c++) {
                if (out->format == CUTROOM_FORMAT_RGBAF32) ((float *)(void *)row)[4 * x + c] = (float)pixel[c];
                else row[4 * x + c] = (uint8_t)(pixel[c] * 255 + 0.5);
            }
        }
    }
    return CUTROOM_OK;
}

static const cutroom_effect effect = {FIXTURE_EFFECT(SOURCE_ID, process), FIXTURE_PARAMS(params), .state = SOURCE_STATE, .create = create,
                                      .destroy = destroy, .reset = reset};
FIXTURE_ONE(effect)
const cutroom_plugin cutroom_plugin_entry = {FIXTURE_ENTRY};
