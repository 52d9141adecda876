/* Tries to do what a plugin has no business with, and fails with a list of what it could do, and of
 * what was refused in another way than by EPERM. What a plugin may do must work. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/ipc.h>
#include <sys/mount.h>
#include <sys/msg.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/sem.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>
#include "fixture.h"

static const cutroom_param params[] = {
    {.type = CUTROOM_PARAM_STRING, .id = "file", .label = "File", .unit = "", .help = "One that is there and is not to change."},
    {.type = CUTROOM_PARAM_STRING, .id = "made", .label = "Made", .unit = "", .help = "One beside the output, which cannot be made; empty: none."},
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

/* To where the host does not reach it with the others of its group. */
static int leaves(void) {
    pid_t child = fork();
    if (child == 0) _exit(setpgid(0, 0) == 0 || setsid() >= 0 ? 0 : 77);
    int status;
    return child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static void *nothing(void *given) { return given; }

static int starts_a_thread(void) {
    pthread_t thread;
    void *given = NULL;
    return pthread_create(&thread, NULL, nothing, &given) == 0 && pthread_join(thread, &given) == 0 && given;
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

/* What a call came to: whether it was refused as everything is that is refused. Each call here
 * fails in another way, or does nothing, where it is not refused. */
static int passes(long result) { return result != -1 || errno != EPERM; }

/* In a child without the terminal, which is not to lose its programs where this passes. */
static int hangs_up(void) {
    pid_t child = fork();
    if (child == 0) {
        const int terminal = open("/dev/tty", O_RDONLY | O_CLOEXEC);
        if (terminal >= 0) ioctl(terminal, TIOCNOTTY);
        _exit(passes(syscall(SYS_vhangup)) ? 0 : 77);
    }
    int status;
    return child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/* A namespace of the kind, with a wish that no kernel grants beside it: a thread of another
 * program. */
static int parts(unsigned long kind) { return passes(syscall(SYS_clone, kind | CLONE_THREAD, 0L, 0L, 0L, 0L)); }

/* Later than the headers of Debian 12. */
enum { CALL_FCHMODAT2 = 452, CALL_SETXATTRAT = 463, CALL_REMOVEXATTRAT = 466, CALL_OPEN_TREE_ATTR = 467, CALL_FILE_SETATTR = 469 };

static int passes_some(const char *file, char *text) {
    char byte = 0, copy, *const nothing[] = {NULL};
    const struct iovec here = {&copy, 1}, there = {&byte, 1};
    const struct sched_param priority = {.sched_priority = 1000};
    const long host = getppid();
    union semun { int value; } none = {0};
    const struct { const char *name; int can; } tried[] = {
        {" see-memory", passes(syscall(SYS_process_vm_readv, (long)getpid(), &here, 1L, &there, 1L, 0L))},
        {" change-memory", passes(syscall(SYS_process_vm_writev, (long)getpid(), &here, 1L, &there, 1L, 0L))},
        {" peek", passes(ptrace(PTRACE_PEEKDATA, -1, NULL, NULL))},
        {" start", passes(execve("/none/none", nothing, nothing))},
        {" be-first", passes(sched_setscheduler(0, SCHED_FIFO, &priority))},
        {" be-first-in-turn", passes(sched_setscheduler(0, SCHED_RR | SCHED_RESET_ON_FORK, &priority))},
        {" limit-host", passes(prlimit(getppid(), RLIMIT_CPU, NULL, NULL))},
        {" signal-host", passes(kill(getppid(), 0))},
        {" pin-host", passes(syscall(SYS_sched_setaffinity, host, 0L, NULL))},
        {" schedule-host", passes(sched_setscheduler((pid_t)host, -1, &priority))},
        {" turn-host", passes(syscall(SYS_sched_setparam, host, NULL))},
        {" plan-host", passes(syscall(SYS_sched_setattr, host, NULL, 0L))},
        {" delay-host", passes(syscall(SYS_ioprio_set, 1L, host, -1L))},
        {" delay-others", passes(syscall(SYS_ioprio_set, 3L, 0L, -1L))},
        {" slow-group", passes(setpriority(PRIO_PGRP, 0, getpriority(PRIO_PROCESS, 0)))},
        {" slow-others", passes(syscall(SYS_setpriority, 3L, 0L, 0L))},
        {" move-host", passes(syscall(SYS_migrate_pages, host, 0L, NULL, NULL))},
        {" move-host-memory", passes(syscall(SYS_move_pages, host, 0L, NULL, NULL, NULL, -1L))},
        {" own-pipe", passes(fcntl(-1, F_SETOWN, 1))},
        {" mount", passes(mount("none", "/none/none", "none", 0, NULL))},
        {" unmount", passes(umount2("/none/none", 0))},
        {" unshare", passes(unshare(0))},
        {" new-mounts", parts(CLONE_NEWNS)},
        {" new-groups", parts(CLONE_NEWCGROUP)},
        {" new-host-name", parts(CLONE_NEWUTS)},
        {" new-queues", parts(CLONE_NEWIPC)},
        {" new-users", parts(CLONE_NEWUSER)},
        {" new-processes", parts(CLONE_NEWPID)},
        {" new-network", parts(CLONE_NEWNET)},
        {" new-anything", passes(syscall(SYS_clone3, NULL, 0L)) && errno != ENOSYS},
        {" mount-elsewhere", passes(syscall(CALL_OPEN_TREE_ATTR, -1L, "none", 0L, NULL, 0L))},
        {" join-namespace", passes(setns(-1, 0))},
        {" change-owner", passes(chown(file, (uid_t)-1, (gid_t)-1))},
        {" change-mode", passes(chmod("/none/none", 0600))},
        {" change-mode-anew", passes(syscall(CALL_FCHMODAT2, -1L, "none", 0600L, 0L))},
        {" set-attribute-anew", passes(syscall(CALL_SETXATTRAT, -1L, "none", 0L, "user.a", NULL, 0L))},
        {" remove-attribute-anew", passes(syscall(CALL_REMOVEXATTRAT, -1L, "none", 0L, "user.a"))},
        {" set-flags-anew", passes(syscall(CALL_FILE_SETATTR, -1L, "none", NULL, 0L, 0L))},
        {" set-flags", passes(ioctl(-1, FS_IOC_SETFLAGS, NULL))},
        {" set-project", passes(ioctl(-1, FS_IOC_FSSETXATTR, NULL))},
        {" freeze", passes(ioctl(-1, FIFREEZE, NULL))},
        {" empty-oddly", passes(open(file, O_ACCMODE | O_TRUNC | O_CLOEXEC))},
        {" watch", passes(syscall(SYS_fanotify_init, -1L, 0L))},
        {" set-quotas", passes(syscall(SYS_quotactl_fd, -1L, 0L, 0L, NULL))},
        {" share-memory", passes(shmget(IPC_PRIVATE, 0, 0600))},
        {" see-shared-memory", passes((long)shmat(-1, NULL, 0))},
        {" remove-shared-memory", passes(shmctl(-1, IPC_RMID, NULL))},
        {" make-a-queue", passes(msgget(-1, 0))},
        {" send", passes(msgsnd(-1, &byte, 0, IPC_NOWAIT))},
        {" receive", passes(msgrcv(-1, &byte, 0, 0, IPC_NOWAIT))},
        {" remove-a-queue", passes(msgctl(-1, IPC_RMID, NULL))},
        {" make-a-semaphore", passes(semget(-1, 0, 0))},
        {" raise-a-semaphore", passes(semop(-1, NULL, 0))},
        {" set-a-semaphore", passes(semctl(-1, 0, SETVAL, none))},
        {" open-a-queue", passes(syscall(SYS_mq_open, NULL, 0L, 0L, NULL))},
        {" unlink-a-queue", passes(syscall(SYS_mq_unlink, NULL))},
        {" change-times", passes(utimensat(-1, "none", NULL, 0))},
        {" queue-calls", passes(syscall(SYS_io_uring_setup, 0L, NULL))},
        {" type", passes(ioctl(-1, TIOCSTI, "x"))},
        {" take-the-terminal", passes(ioctl(-1, TIOCSPGRP, NULL))},
        {" keep-the-terminal", passes(ioctl(-1, TIOCSCTTY, 0))},
        {" hang-up", hangs_up()},
    };
    int found = 0;
    for (size_t i = 0; i < sizeof tried / sizeof *tried; i++)
        if (tried[i].can && ++found) strcat(text, tried[i].name);
    return found;
}

static cutroom_status process(void *instance, const cutroom_call *call) {
    (void)instance;
    const char *file = call->values[0].text;
    char beside[4096], own[4096], text[4096] = "it could:";
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
        {" leave", leaves()},
        {" not-start-a-thread", !starts_a_thread()},
        {" choose-precedence", chooses_precedence()},
        {" not-read", !closes(open(file, O_RDONLY | O_CLOEXEC)) && !closes(open(beside, O_RDONLY | O_CLOEXEC))},
        {" remove", unlink(file) == 0 || unlink(beside) == 0},
        {" not-discard", !closes(open("/dev/null", O_WRONLY | O_CLOEXEC))},
        {" not-make-temporaries", !closes(open(own, O_RDWR | O_CREAT | O_CLOEXEC, 0600)) || unlink(own) != 0},
        {" write-beside-the-output", *call->values[1].text && writes(call->values[1].text)},
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
