/* Lets libav say something on the caller's thread and on another one, and logs what the host's
 * table gives of it. */
#define _GNU_SOURCE
#include <cutroom/libav_log.h>
#include <dlfcn.h>
#include <pthread.h>
#include "fixture.h"

static const cutroom_libav_log *table;

static void say(int level, const char *line) {
    void (*av_log)(void *, int, const char *, ...) = NULL;
    *(void **)&av_log = dlsym(RTLD_DEFAULT, "av_log");
    if (av_log) av_log(NULL, level, "%s\n", line);
}

static void report(size_t size) {
    char lines[256];
    memset(lines, 'x', sizeof lines);
    table->take(lines, size);
    fixture_host->log(fixture_host->context, CUTROOM_LOG_INFO, lines);
}

enum { ERROR = 16, DEBUG = 48 };

static void *other(void *argument) {
    say(ERROR, "elsewhere");
    report(256);
    return argument;
}

static cutroom_status process(void *instance, const cutroom_call *call) {
    (void)instance, (void)call;
    /* What was said before. */
    char before[4096];
    table->take(before, sizeof before);
    pthread_t thread;
    say(ERROR, "one");
    if (pthread_create(&thread, NULL, other, NULL) != 0) return CUTROOM_ERROR_MEMORY;
    pthread_join(thread, NULL);
    say(DEBUG, "a detail");
    say(ERROR, "two");
    report(256);
    report(256);
    say(ERROR, "0123456789");
    report(5);
    return CUTROOM_PASS;
}

static cutroom_status init(const cutroom_host *host, const char *path) {
    if (host->extension(host->context, CUTROOM_LIBAV_LOG, 0) || host->extension(host->context, CUTROOM_LIBAV_LOG, 2))
        return CUTROOM_ERROR_FATAL;
    table = host->extension(host->context, CUTROOM_LIBAV_LOG, 1);
    return table ? fixture_init(host, path) : CUTROOM_ERROR_UNSUPPORTED;
}

static const cutroom_effect effect = {FIXTURE_EFFECT("test.libav_log", process)};
FIXTURE_ONE(effect)
const cutroom_plugin cutroom_plugin_entry = {FIXTURE_ENTRY, .init = init};
