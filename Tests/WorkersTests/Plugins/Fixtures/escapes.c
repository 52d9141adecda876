/* Tries to do what a plugin has no business with, and fails with a list of what it could do. What a plugin may do must work. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include "fixture.h"

static const cutroom_param params[] = {
    {.type = CUTROOM_PARAM_STRING, .id = "file", .label = "File", .unit = "", .help = "One that is there and is not to change."},
};

static int closes(int descriptor) { return descriptor >= 0 && close(descriptor) == 0; }

static int runs(void) {
    pid_t child = fork();
    if (child == 0) {
        execl("/bin/true", "true", (char *)NULL);
        _exit(77);
    }
    int status;
    return child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static int traces(void) {
    pid_t child = fork();
    if (child == 0) _exit(ptrace(PTRACE_TRACEME, 0, NULL, NULL) == 0 ? 0 : 77);
    int status;
    return child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/* To be a background process is allowed to everybody: what is refused is to choose at all. */
static int chooses_precedence(void) {
    struct { uint32_t size, policy; uint64_t flags; int32_t nice; uint32_t priority; uint64_t runtime, deadline, period; } wish = {
        .size = sizeof wish, .policy = SCHED_BATCH};
    return syscall(SYS_sched_setattr, 0, &wish, 0) == 0;
}

/* A signal to somebody else when data comes. */
static int has_signalled(void) {
    int ends[2], can = 0;
    if (pipe2(ends, O_CLOEXEC) != 0) return 0;
    can = fcntl(ends[0], F_SETOWN, getppid()) == 0;
    close(ends[0]), close(ends[1]);
    return can;
}

static cutroom_status process(void *instance, const cutroom_call *call) {
    (void)instance;
    const char *file = call->values[0].text;
    char beside[4096], own[4096], text[512] = "it could:";
    snprintf(beside, sizeof beside, "%s.new", file);
    struct rlimit limit;
    const char *temporary = getenv("TMPDIR");
    snprintf(own, sizeof own, "%s/own", temporary ? temporary : "");
    const struct { const char *name; int can; } tried[] = {
        {" connect", closes(socket(AF_INET, SOCK_STREAM, 0)) || closes(socket(AF_INET6, SOCK_DGRAM, 0))},
        {" connect-locally", closes(socket(AF_UNIX, SOCK_STREAM, 0))},
        {" write", closes(open(file, O_WRONLY | O_CLOEXEC))},
        {" truncate", truncate(file, 0) == 0},
        {" empty", closes(open(file, O_RDONLY | O_TRUNC | O_CLOEXEC))},
        {" change-times", utimensat(AT_FDCWD, file, NULL, 0) == 0},
        {" make", closes(open(beside, O_WRONLY | O_CREAT | O_CLOEXEC, 0600))},
        {" change-mode", chmod(file, 0600) == 0},
        {" rename", rename(file, beside) == 0},
        {" signal", kill(getppid(), 0) == 0},
        {" have-signalled", has_signalled()},
        {" limit", prlimit(getppid(), RLIMIT_CPU, NULL, NULL) == 0},
        {" slow", setpriority(PRIO_PROCESS, (id_t)getppid(), 0) == 0},
        {" not-limit-itself", getrlimit(RLIMIT_CPU, &limit) != 0},
        {" run", runs()},
        {" trace", traces()},
        {" choose-precedence", chooses_precedence()},
        {" not-read", !closes(open(file, O_RDONLY | O_CLOEXEC)) && !closes(open(beside, O_RDONLY | O_CLOEXEC))},
        {" not-discard", !closes(open("/dev/null", O_WRONLY | O_CLOEXEC))},
        {" not-make-temporaries", !closes(open(own, O_RDWR | O_CREAT | O_CLOEXEC, 0600)) || unlink(own) != 0},
    };
    int found = 0;
    for (size_t i = 0; i < sizeof tried / sizeof *tried; i++)
        if (tried[i].can && ++found) strcat(text, tried[i].name);
    if (!found) return fixture_copy(call);
    fixture_host->error(fixture_host->context, call->handle, text);
    return CUTROOM_ERROR_UNSUPPORTED;
}

static const cutroom_effect effect = {FIXTURE_EFFECT("test.escapes", process), FIXTURE_PARAMS(params)};
FIXTURE_ONE(effect)
const cutroom_plugin cutroom_plugin_entry = {FIXTURE_ENTRY};
