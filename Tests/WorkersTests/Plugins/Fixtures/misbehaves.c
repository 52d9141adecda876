/* Makes frames black. At frame FRAME it does the one thing wrong that it was built for (-DCRASHES,
 * -DHANGS, …), as long as the file that its parameter names is there; built for nothing, it is a
 * plugin that was mended. */
#define _GNU_SOURCE
#include <signal.h>
#include <unistd.h>
#include "fixture.h"

#ifndef FRAME
#define FRAME 40
#endif

static const cutroom_param params[] = {
    {.type = CUTROOM_PARAM_STRING, .id = "while_there", .label = "While there", .unit = "", .help = "A file; none: always."},
};

static cutroom_status misbehave(const cutroom_call *call) {
    const cutroom_frame *out = call->output;
    uint8_t *last = out->plane[0] + (out->height - 1) * out->stride[0] + out->width * 4;
    (void)last;
#if defined(SAYS)
    fixture_host->log(fixture_host->context, CUTROOM_LOG_DEBUG, "a matter of debugging");
    fixture_host->log(fixture_host->context, CUTROOM_LOG_INFO, "a matter of interest");
    fixture_host->log(fixture_host->context, CUTROOM_LOG_WARNING, "a matter of concern");
    fixture_host->log(fixture_host->context, CUTROOM_LOG_ERROR, "a matter of alarm");
#endif
#if defined(CRASHES)
    *(volatile int *)8 = 1;
#elif defined(HANGS)
    for (;;) pause();
#elif defined(WRITES_BEYOND)
    memset(last, 0x5a, 64);
#elif defined(WRITES_BESIDE)
    out->plane[0][3 * out->stride[0] + out->width * 4 + 2] = 0;
#elif defined(WRITES_BEFORE)
    out->plane[0][-5] = 0;
#elif defined(WRITES_INPUT)
    cutroom_current(call, 0)->plane[0][7] ^= 1;
#elif defined(RECOVERS)
    const char *file = call->values[0].text;
    /* The test removes it once the job is to be tried again. */
    for (int i = 0; *file && i < 50 && access(file, F_OK) == 0; i++) usleep(20000);
    if (*file && access(file, F_OK)) return CUTROOM_OK;
    fixture_host->error(fixture_host->context, call->handle, "the device is busy");
    return CUTROOM_ERROR_RETRY;
#elif defined(FAILS)
    fixture_host->error(fixture_host->context, call->handle, "it is not my day");
    return CUTROOM_ERROR_UNSUPPORTED;
#endif
    return CUTROOM_OK;
}

static cutroom_status process(void *instance, const cutroom_call *call) {
    (void)instance;
    const cutroom_frame *out = call->output;
#if defined(NAPS)
    /* Too slow for live pictures, and no reason to think that it hangs. */
    usleep(90000);
#endif
    for (int y = 0; y < out->height; y++)
        for (int x = 0; x < out->width * 4; x++) out->plane[0][y * out->stride[0] + x] = x % 4 == 3 ? 255 : 0;
    cutroom_status status = CUTROOM_OK;
    const char *file = call->values[0].text;
    if (call->index == FRAME && (!file || !*file || access(file, F_OK) == 0)) status = misbehave(call);
    return status;
}

static const cutroom_effect effect = {FIXTURE_EFFECT("test.misbehaves", process), FIXTURE_PARAMS(params)};
FIXTURE_ONE(effect)
const cutroom_plugin cutroom_plugin_entry = {FIXTURE_ENTRY};
