/* Tries to do what a plugin has no business with, and fails with a list of what it could do, and of what was refused in another way
 * than by EPERM. What a plugin may do must work. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>
#include "fixture.h"

static const cutroom_param params[] = {
    {.type = CUTROOM_PARAM_STRING, .id = "file", .label = "File", .unit = "", .help = "One that is there and is not to change."},
    {.type = CUTROOM_PARAM_STRING, .id = "made", .label = "Made", .unit = "", .help = "One that can be made; empty: none."},
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

/* Makes a file beside the output, gives it another name, and removes it. */
static int writes(const char *file) {
    char other[4096];
    snprintf(other, sizeof other, "%s.other", file);
    const int made = open(file, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    return made >= 0 && write(made, "x", 1) == 1 && close(made) == 0 && rename(file, other) == 0 && unlink(other) == 0;
}

/* What a call came to: whether it was refused as everything is that is refused. Each call here fails in another way, or does nothing, where
 * it is not refused. */
static int passes(long result) { return result != -1 || errno != EPERM; }

static int passes_some(const char *file, char *text) {
    char byte = 0, copy, *const nothing[] = {NULL};
    const struct iovec here = {&copy, 1}, there = {&byte, 1};
    const struct sched_param priority = {.sched_priority = 1000};
    const struct { const char *name; int can; } tried[] = {
        {" see-memory", passes(syscall(SYS_process_vm_readv, (long)getpid(), &here, 1L, &there, 1L, 0L))},
        {" change-memory", passes(syscall(SYS_process_vm_writev, (long)getpid(), &here, 1L, &there, 1L, 0L))},
        {" peek", passes(ptrace(PTRACE_PEEKDATA, -1, NULL, NULL))},
        {" start", passes(execve("/none/none", nothing, nothing))},
        {" be-first", passes(sched_setscheduler(0, SCHED_FIFO, &priority))},
        {" be-first-in-turn", passes(sched_setscheduler(0, SCHED_RR | SCHED_RESET_ON_FORK, &priority))},
        {" limit-host", passes(prlimit(getppid(), RLIMIT_CPU, NULL, NULL))},
        {" signal-host", passes(kill(getppid(), 0))},
        {" own-pipe", passes(fcntl(-1, F_SETOWN, 1))},
        {" mount", passes(mount("none", "/none/none", "none", 0, NULL))},
        {" unmount", passes(umount2("/none/none", 0))},
        {" unshare", passes(unshare(0))},
        {" join-namespace", passes(setns(-1, 0))},
        {" change-owner", passes(chown(file, (uid_t)-1, (gid_t)-1))},
        {" change-mode", passes(chmod("/none/none", 0600))},
        {" change-times", passes(utimensat(-1, "none", NULL, 0))},
        {" queue-calls", passes(syscall(SYS_io_uring_setup, 0L, NULL))},
        {" type", passes(ioctl(-1, TIOCSTI, "x"))},
    };
    int found = 0;
    for (size_t i = 0; i < sizeof tried / sizeof *tried; i++)
        if (tried[i].can && ++found) strcat(text, tried[i].name);
    return found;
}

static cutroom_status process(void *instance, const cutroom_call *call) {
    (void)instance;
    const char *file = call->values[0].text;
    char beside[4096], own[4096], text[1024] = "it could:";
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
        {" remove", unlink(file) == 0 || unlink(beside) == 0},
        {" not-discard", !closes(open("/dev/null", O_WRONLY | O_CLOEXEC))},
        {" not-make-temporaries", !closes(open(own, O_RDWR | O_CREAT | O_CLOEXEC, 0600)) || unlink(own) != 0},
        {" not-write-beside-the-output", *call->values[1].text && !writes(call->values[1].text)},
    };
    int found = 0;
    for (size_t i = 0; i < sizeof tried / sizeof *tried; i++)
        if (tried[i].can && ++found) strcat(text, tried[i].name);
    strcat(text, "; in another way:");
    found += passes_some(file, text);
    if (!found) return fixture_copy(call);
    fixture_host->error(fixture_host->context, call->handle, text);
    return CUTROOM_ERROR_UNSUPPORTED;
}

static const cutroom_effect effect = {FIXTURE_EFFECT("test.escapes", process), FIXTURE_PARAMS(params)};
FIXTURE_ONE(effect)
const cutroom_plugin cutroom_plugin_entry = {FIXTURE_ENTRY};
