/* The life of an instance. */
#include "chain.h"
#include <libavutil/mem.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static cutroom_status open_chain(runner *r, char *reason) {
    const chain_setting setting = {&r->setup, r->text, r->is_pure};
    chain_close(&r->chain);
    r->is_fresh = 1, r->position = 0;
    return chain_open(&r->chain, &setting, r->log, reason);
}

cutroom_status runner_create(const cutroom_effect *effect, const cutroom_host *host, const cutroom_setup *setup, void **made) {
    uint32_t listed = 0;
    while (listed < effect->format_count && effect->formats[listed] != setup->format) listed++;
    if (listed == effect->format_count) return CUTROOM_ERROR_FORMAT;
    const char *text = setup->values[0].text;
    runner *r = av_mallocz(sizeof *r);
    if (!r) return CUTROOM_ERROR_MEMORY;
    r->host = host;
    cutroom_copy(&r->setup, sizeof r->setup, setup);
    r->setup.values = NULL;
    r->is_pure = effect->state == CUTROOM_STATE_PURE;
    r->text = av_strdup(text && *text ? text : effect->params[0].initial_text);
    if (CUTROOM_HAS(host, extension)) r->log = host->extension(host->context, CUTROOM_LIBAV_LOG, 1);
    char reason[CHAIN_REASON] = "";
    const cutroom_status status = r->text ? open_chain(r, reason) : CUTROOM_ERROR_MEMORY;
    if (status == CUTROOM_OK) return *made = r, CUTROOM_OK;
    if (*reason && CUTROOM_HAS(setup, handle)) host->error(host->context, setup->handle, reason);
    runner_destroy(r);
    return status;
}

void runner_destroy(void *memory) {
    runner *r = memory;
    chain_close(&r->chain);
    av_free(r->text);
    av_free(r);
}

cutroom_status runner_reset(void *memory) {
    chain_close(&((runner *)memory)->chain);
    return CUTROOM_OK;
}

cutroom_status runner_ready(runner *r, const cutroom_call *call) {
    const int is_broken = !r->is_pure && (call->flags & CUTROOM_CALL_DISCONTINUITY) && !r->is_fresh;
    if (r->chain.graph && !is_broken) return r->is_fresh = 0, CUTROOM_OK;
    char reason[CHAIN_REASON] = "";
    const cutroom_status status = open_chain(r, reason);
    if (*reason && CUTROOM_HAS(call, handle)) r->host->error(r->host->context, call->handle, reason);
    r->is_fresh = 0;
    return status;
}

cutroom_status runner_fail(runner *r, const cutroom_call *call, const char *format, ...) {
    char reason[CHAIN_REASON];
    const int length = snprintf(reason, sizeof reason, "the chain ‘%.200s’ ", r->text);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(reason + length, sizeof reason - (size_t)length, format, arguments);
    va_end(arguments);
    if (CUTROOM_HAS(call, handle)) r->host->error(r->host->context, call->handle, reason);
    chain_close(&r->chain);
    return CUTROOM_ERROR_PARAM;
}
