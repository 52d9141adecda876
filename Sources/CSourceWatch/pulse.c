#include "CSourceWatch.h"

#include <pulse/pulseaudio.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { MOST_CLIENTS = 8, MOST_STREAMS = 8 };

struct watch {
    csourcewatch_visitor moved;
    void *context;
    char process[16]; /* this process's id, as clients state it */
    uint32_t clients[MOST_CLIENTS];
    uint32_t client_count;
    /* The streams of these clients, and the source of each. */
    struct {
        uint32_t id, source;
    } streams[MOST_STREAMS];
    uint32_t stream_count;
};

static void forget(pa_operation *operation)
{
    if (operation)
        pa_operation_unref(operation);
}

static void take_source(pa_context *server, const pa_source_info *info, int is_end, void *data)
{
    (void)server;
    struct watch *watch = data;
    if (is_end || !info)
        return;
    watch->moved(watch->context, info->description && *info->description ? info->description : info->name);
}

static void take_stream(pa_context *server, const pa_source_output_info *info, int is_end, void *data)
{
    struct watch *watch = data;
    /* A stream that is being moved has no source. */
    if (is_end || !info || info->source == PA_INVALID_INDEX)
        return;
    bool is_own = false;
    for (uint32_t index = 0; index < watch->client_count; index++)
        is_own = is_own || watch->clients[index] == info->client;
    if (!is_own)
        return;
    for (uint32_t index = 0; index < watch->stream_count; index++) {
        if (watch->streams[index].id != info->index)
            continue;
        if (watch->streams[index].source != info->source) {
            watch->streams[index].source = info->source;
            forget(pa_context_get_source_info_by_index(server, info->source, take_source, watch));
        }
        return;
    }
    if (watch->stream_count == MOST_STREAMS)
        return;
    watch->streams[watch->stream_count].id = info->index;
    watch->streams[watch->stream_count].source = info->source;
    watch->stream_count++;
}

static void take_client(pa_context *server, const pa_client_info *info, int is_end, void *data)
{
    struct watch *watch = data;
    if (is_end > 0) {
        forget(pa_context_get_source_output_info_list(server, take_stream, watch));
    } else if (info && is_end == 0 && watch->client_count < MOST_CLIENTS) {
        const char *process = pa_proplist_gets(info->proplist, PA_PROP_APPLICATION_PROCESS_ID);
        if (process && strcmp(process, watch->process) == 0)
            watch->clients[watch->client_count++] = info->index;
    }
}

static void look(pa_context *server, struct watch *watch)
{
    watch->client_count = 0;
    forget(pa_context_get_client_info_list(server, take_client, watch));
}

static void take_event(pa_context *server, pa_subscription_event_type_t event, uint32_t index, void *data)
{
    (void)index;
    if ((event & PA_SUBSCRIPTION_EVENT_FACILITY_MASK) == PA_SUBSCRIPTION_EVENT_SOURCE_OUTPUT)
        look(server, data);
}

static void take_state(pa_context *server, void *data)
{
    if (pa_context_get_state(server) != PA_CONTEXT_READY)
        return;
    pa_context_set_subscribe_callback(server, take_event, data);
    forget(pa_context_subscribe(server, PA_SUBSCRIPTION_MASK_SOURCE_OUTPUT, NULL, NULL));
    look(server, data);
}

void csourcewatch_pulse(csourcewatch_visitor moved, void *context)
{
    struct watch watch = {.moved = moved, .context = context};
    snprintf(watch.process, sizeof watch.process, "%ld", (long)getpid());
    pa_mainloop *loop = pa_mainloop_new();
    if (!loop)
        return;
    pa_context *server = pa_context_new(pa_mainloop_get_api(loop), "cutroom");
    if (server) {
        pa_context_set_state_callback(server, take_state, &watch);
        if (pa_context_connect(server, NULL, PA_CONTEXT_NOAUTOSPAWN, NULL) >= 0)
            while (PA_CONTEXT_IS_GOOD(pa_context_get_state(server)) && pa_mainloop_iterate(loop, 1, NULL) >= 0)
                ;
        pa_context_disconnect(server);
        pa_context_unref(server);
    }
    pa_mainloop_free(loop);
}
