/* Shows a number made of the middle luma of all frames that it saw, this one included, or with
 * DEPTH of the last DEPTH + 1. It fails where frames that follow one another do not say so, or
 * others do. -DFORGETS: it can be reset. */
#include <stdlib.h>
#ifndef FIXTURE_KIND
#define FIXTURE_KIND CUTROOM_KIND_FILTER
#endif
#define FIXTURE_FORMATS CUTROOM_FORMAT_YUV420P8, CUTROOM_FORMAT_RGBA8
#include "fixture.h"

#ifdef DEPTH
#define TALLY_STATE CUTROOM_STATE_WARM_UP
#else
#define TALLY_STATE CUTROOM_STATE_SEQUENTIAL
#define DEPTH 0
#define SUMS
#endif
#ifndef TALLY_ID
#define TALLY_ID "test.tally"
#endif

typedef struct tally { unsigned count, sum, luma[DEPTH + 1]; } tally;

static cutroom_status create(const cutroom_effect *effect, const cutroom_host *host, const cutroom_setup *setup, void **instance) {
    (void)effect, (void)host, (void)setup;
    *instance = calloc(1, sizeof(tally));
    return *instance ? CUTROOM_OK : CUTROOM_ERROR_MEMORY;
}
static void destroy(void *instance) { free(instance); }

static cutroom_status process(void *instance, const cutroom_call *call) {
    tally *t = instance;
    const cutroom_frame *in = call->input_count ? cutroom_current(call, call->input_count - 1) : NULL, *out = call->output;
    if ((t->count == 0) != ((call->flags & CUTROOM_CALL_DISCONTINUITY) != 0)) return CUTROOM_ERROR_FATAL;
    const unsigned luma = in ? in->plane[0][in->height / 2 * in->stride[0] + in->width / 2] : (unsigned)call->index;
    t->sum = t->sum * 31 + luma + 1;
    t->luma[t->count++ % (DEPTH + 1)] = luma;
    unsigned value = t->sum;
#ifndef SUMS
    value = 0;
    for (unsigned i = 0; i < DEPTH + 1 && i < t->count; i++) value = value * 31 + t->luma[(t->count - 1 - i) % (DEPTH + 1)] + 1;
#endif
    for (int y = 0; y < out->height; y++) memset(out->plane[0] + y * out->stride[0], 20 + (int)(value % 199), (size_t)out->width);
    for (int p = 1; p < 3; p++)
        for (int y = 0; y < (out->height + 1) / 2; y++) memset(out->plane[p] + y * out->stride[p], 128, (size_t)(out->width + 1) / 2);
    return CUTROOM_OK;
}

#ifdef FORGETS
static cutroom_status forget(void *instance) { return memset(instance, 0, sizeof(tally)), CUTROOM_OK; }
#else
#define forget NULL
#endif

static const cutroom_effect effect = {FIXTURE_EFFECT(TALLY_ID, process), .state = TALLY_STATE, .warm_up = DEPTH, .create = create,
                                      .destroy = destroy, .reset = forget};
FIXTURE_ONE(effect)
const cutroom_plugin cutroom_plugin_entry = {FIXTURE_ENTRY};
