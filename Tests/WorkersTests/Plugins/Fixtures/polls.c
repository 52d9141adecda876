/* Works, in its first call, until it hears that nobody wants the result. */
#define _DEFAULT_SOURCE /* usleep */
#include <unistd.h>
#ifdef SOUND
#define FIXTURE_KIND CUTROOM_KIND_AUDIO_FILTER
#define FIXTURE_FORMATS CUTROOM_FORMAT_PCMF32_PLANAR
#endif
#include "fixture.h"

static void task(void *data, uint32_t index) {
    const cutroom_call *call = data;
    (void)index;
    while (!fixture_host->cancelled(fixture_host->context, call->handle)) usleep(1000);
}

static cutroom_status process(void *instance, const cutroom_call *call) {
    (void)instance;
#ifdef CLAIMS
    return CUTROOM_ERROR_CANCELLED;
#endif
    fixture_host->log(fixture_host->context, CUTROOM_LOG_WARNING, "the call has begun");
    fixture_host->parallel(fixture_host->context, task, (void *)call, 2);
    return CUTROOM_ERROR_CANCELLED;
}

static const cutroom_effect effect = {FIXTURE_EFFECT("test.polls", process)};
FIXTURE_ONE(effect)
const cutroom_plugin cutroom_plugin_entry = {FIXTURE_ENTRY};
