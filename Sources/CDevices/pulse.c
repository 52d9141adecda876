#include "CDevices.h"

#include <errno.h>
#include <pulse/pulseaudio.h>
#include <string.h>

struct question {
    char usual[256]; /* the default source */
    cdevices_source_visitor visit;
    void *context;
};

static void take_server(pa_context *server, const pa_server_info *info, void *data)
{
    (void)server;
    struct question *question = data;
    if (info && info->default_source_name)
        strncpy(question->usual, info->default_source_name, sizeof question->usual - 1);
}

static void take_source(pa_context *server, const pa_source_info *info, int is_end, void *data)
{
    (void)server;
    struct question *question = data;
    if (is_end || !info || !info->name)
        return;
    struct cdevices_source source = {
        .name = info->name,
        .description = info->description ? info->description : "",
        .sample_rate = info->sample_spec.rate,
        .channels = info->sample_spec.channels,
        .is_default = strcmp(info->name, question->usual) == 0,
        .is_monitor = info->monitor_of_sink != PA_INVALID_INDEX,
    };
    question->visit(question->context, &source);
}

/* Waits for an answer; false where none comes any more. */
static bool has_answer(pa_mainloop *loop, pa_operation *operation)
{
    if (!operation)
        return false;
    while (pa_operation_get_state(operation) == PA_OPERATION_RUNNING && pa_mainloop_iterate(loop, 1, NULL) >= 0)
        ;
    bool is_done = pa_operation_get_state(operation) == PA_OPERATION_DONE;
    pa_operation_unref(operation);
    return is_done;
}

int32_t cdevices_pulse(cdevices_source_visitor visit, void *context)
{
    struct question question = {.visit = visit, .context = context};
    pa_mainloop *loop = pa_mainloop_new();
    if (!loop)
        return -ENOMEM;
    int32_t result = -ENOMEM;
    pa_context *server = pa_context_new(pa_mainloop_get_api(loop), "cutroom");
    if (server) {
        result = -ECONNREFUSED;
        if (pa_context_connect(server, NULL, PA_CONTEXT_NOFLAGS, NULL) >= 0) {
            pa_context_state_t state = pa_context_get_state(server);
            while (state != PA_CONTEXT_READY && PA_CONTEXT_IS_GOOD(state) && pa_mainloop_iterate(loop, 1, NULL) >= 0)
                state = pa_context_get_state(server);
            if (state == PA_CONTEXT_READY
                && has_answer(loop, pa_context_get_server_info(server, take_server, &question))
                && has_answer(loop, pa_context_get_source_info_list(server, take_source, &question)))
                result = 0;
        }
        pa_context_disconnect(server);
        pa_context_unref(server);
    }
    pa_mainloop_free(loop);
    return result;
}
