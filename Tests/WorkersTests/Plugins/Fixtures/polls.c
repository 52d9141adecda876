/* Works, in its first call, until it hears that the result is not wanted any more. With OWN it asks
 * from a thread of its own, and of sound from both. */
#define _DEFAULT_SOURCE /* usleep */
#include <pthread.h>
#include <stdio.h>
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

#ifdef OWN
static void *ask(void *call) {
    fputs("the thread has begun\n", stderr);
    task(call, 0);
    return NULL;
}
#endif

static cutroom_status process(void *instance, const cutroom_call *call) {
    (void)instance;
#ifdef CLAIMS
    return CUTROOM_ERROR_CANCELLED;
#endif
    fputs("plugin: the call has begun\n", stderr);
#ifdef OWN
    pthread_t thread;
    if (pthread_create(&thread, NULL, ask, (void *)call) != 0) return CUTROOM_ERROR_FATAL;
#ifdef SOUND
    task((void *)call, 0);
#endif
    pthread_join(thread, NULL);
    return CUTROOM_ERROR_CANCELLED;
#endif
    fixture_host->parallel(fixture_host->context, task, (void *)call, 2);
    return CUTROOM_ERROR_CANCELLED;
}

static const cutroom_effect effect = {FIXTURE_EFFECT("test.polls", process)};
FIXTURE_ONE(effect)
const cutroom_plugin cutroom_plugin_entry = {FIXTURE_ENTRY};
