#define _GNU_SOURCE
#include "CIsolation.h"

#include <asm/ioctls.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/sockios.h>
#include <sched.h>
#include <seccomp.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

/* By name, so that what this processor does not have is left out. */
static const char *const refused[] = {
    /* other processes */
    "ptrace", "process_vm_readv", "process_vm_writev", "process_madvise", "pidfd_getfd", "pidfd_send_signal", "kcmp", "tkill",
    /* precedence over all other processes; see also below */
    "sched_setattr",
    /* other programs, which would be fresh processes under the same limits but not under the host's
     * eye */
    "execve", "execveat",
    /* another view of the system */
    "mount", "umount", "umount2", "move_mount", "open_tree", "fsopen", "fsconfig", "fsmount", "fspick", "mount_setattr",
    "pivot_root", "chroot", "unshare", "setns", "open_tree_attr", "swapon", "swapoff", "quotactl", "quotactl_fd", "acct",
    /* what others share: memory, messages and semaphores of System V, which no library here uses,
     * and queues of POSIX */
    "shmget", "shmat", "shmdt", "shmctl", "msgget", "msgsnd", "msgrcv", "msgctl", "semget", "semop", "semtimedop", "semctl", "ipc",
    "mq_open", "mq_unlink",
    /* away from the process group, as which the host kills it, and from the terminal; see also
     * below */
    "setsid", "setpgid", "vhangup",
    /* the kernel; io_uring does what else is refused */
    "io_uring_setup", "io_uring_enter", "io_uring_register", "bpf", "perf_event_open", "userfaultfd", "init_module", "finit_module",
    "delete_module", "kexec_load", "kexec_file_load", "reboot", "iopl", "ioperm", "add_key", "request_key", "keyctl",
    "fanotify_init", "settimeofday", "clock_settime", "clock_adjtime", "adjtimex", "sethostname", "setdomainname", "syslog",
    /* changes of files that Landlock does not see */
    "chmod", "fchmod", "fchmodat", "fchmodat2", "chown", "lchown", "fchown", "fchownat", "setxattr", "lsetxattr", "fsetxattr",
    "setxattrat", "removexattr", "lremovexattr", "fremovexattr", "removexattrat", "file_setattr", "open_by_handle_at",
    "utime", "utimes", "futimesat", "utimensat",
    /* emptying files, which Landlock sees from its version 3 on; see also below. openat2 has its
     * flags in memory */
    "truncate", "truncate64", "openat2",
};

/* Later than Debian 12's libseccomp. New calls have the same number on all processors. */
static const struct { const char *name; int number; } later[] = {
    {"fchmodat2", 452}, {"setxattrat", 463}, {"removexattrat", 466}, {"open_tree_attr", 467}, {"file_setattr", 469},
};

static const char *const connecting[] = {"socket", "socketpair", "connect", "bind", "listen", "accept", "accept4"};

/* Calls whose first argument is a process; the second kind knows the caller as 0. */
static const char *const signalling[] = {"kill", "tgkill", "rt_sigqueueinfo", "rt_tgsigqueueinfo"};
static const char *const limiting[] = {"prlimit64", "migrate_pages", "move_pages"};
/* And this kind the caller's threads by their ids, which nothing tells from others' processes: see
 * fill. */
static const char *const scheduling[] = {"sched_setaffinity", "sched_setscheduler", "sched_setparam"};

static int answer(scmp_filter_ctx filter, int error, const char *name, unsigned count, const struct scmp_arg_cmp *conditions) {
    int number = seccomp_syscall_resolve_name(name);
    for (size_t i = 0; i < sizeof later / sizeof *later && number == __NR_SCMP_ERROR; i++)
        if (strcmp(name, later[i].name) == 0) number = later[i].number;
    /* Other negative numbers are those of calls that other processors have. */
    return number < 0 ? 0 : seccomp_rule_add_array(filter, SCMP_ACT_ERRNO((unsigned)error), number, count, conditions);
}

static int refuse(scmp_filter_ctx filter, const char *name, unsigned count, const struct scmp_arg_cmp *conditions) {
    return answer(filter, EPERM, name, count, conditions);
}

static int refuse_each(scmp_filter_ctx filter, const char *const *names, size_t count, const struct scmp_arg_cmp *condition) {
    int result = 0;
    for (size_t i = 0; i < count && !result; i++) result = refuse(filter, names[i], condition ? 1 : 0, condition);
    return result;
}

#define EACH(names) names, sizeof names / sizeof *names

/* SVT-AV1 takes real-time priority where it runs as root, and would starve the host. libzmq sets
 * the policy that it has. */
static int refuse_real_time(scmp_filter_ctx filter) {
    int result = 0;
    for (int policy = SCHED_FIFO; policy <= SCHED_RR && !result; policy++) {
        /* Beside the policy there may be SCHED_RESET_ON_FORK. */
        const struct scmp_arg_cmp chosen = {.arg = 1, .op = SCMP_CMP_MASKED_EQ, .datum_a = 0xff, .datum_b = (unsigned)policy};
        result = refuse(filter, "sched_setscheduler", 1, &chosen);
    }
    return result;
}

/* What makes the kernel send another process a signal, limits it or takes its turns from it. */
static int refuse_reaching_others(scmp_filter_ctx filter) {
    const struct scmp_arg_cmp foreign = {.arg = 0, .op = SCMP_CMP_NE, .datum_a = (scmp_datum_t)getpid()};
    int result = refuse_each(filter, EACH(signalling), &foreign);
    const int owning[] = {F_SETOWN, F_SETOWN_EX, F_SETSIG};
    for (size_t i = 0; i < sizeof owning / sizeof *owning && !result; i++) {
        const struct scmp_arg_cmp command = {.arg = 1, .op = SCMP_CMP_MASKED_EQ, .datum_a = 0xffffffff, .datum_b = (unsigned)owning[i]};
        result = refuse(filter, "fcntl", 1, &command);
    }
    /* The C library's own calls for the process itself have a zero there. */
    const struct scmp_arg_cmp other = {.arg = 0, .op = SCMP_CMP_NE, .datum_a = 0};
    if (!result) result = refuse_each(filter, EACH(limiting), &other);
    /* A zero in place of a group or user means one's own, with others in it. */
    const struct scmp_arg_cmp slowed[] = {{.arg = 0, .op = SCMP_CMP_NE, .datum_a = PRIO_PROCESS}, {.arg = 1, .op = SCMP_CMP_NE, .datum_a = 0}};
    for (size_t i = 0; i < 2 && !result; i++) result = refuse(filter, "setpriority", 1, &slowed[i]);
    const scmp_datum_t process = 1; /* IOPRIO_WHO_PROCESS, which no header has */
    const struct scmp_arg_cmp delayed[] = {{.arg = 0, .op = SCMP_CMP_NE, .datum_a = process}, {.arg = 1, .op = SCMP_CMP_NE, .datum_a = 0}};
    for (size_t i = 0; i < 2 && !result; i++) result = refuse(filter, "ioprio_set", 1, &delayed[i]);
    return result;
}

/* New namespaces, which unshare makes as well. clone3 has its flags in memory; where the kernel
 * does not know it, the C library starts threads by clone. */
static int refuse_namespaces(scmp_filter_ctx filter) {
    const unsigned kinds[] = {CLONE_NEWNS, CLONE_NEWCGROUP, CLONE_NEWUTS, CLONE_NEWIPC, CLONE_NEWUSER, CLONE_NEWPID, CLONE_NEWNET};
    int result = answer(filter, ENOSYS, "clone3", 0, NULL);
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds && !result; i++) {
        const struct scmp_arg_cmp kind = {.arg = 0, .op = SCMP_CMP_MASKED_EQ, .datum_a = kinds[i], .datum_b = kinds[i]};
        result = refuse(filter, "clone", 1, &kind);
    }
    return result;
}

/* A file that is opened for reading alone can be emptied by it, and before version 3 Landlock lets
 * that pass. So it does with the access mode that is neither reading nor writing. */
static int refuse_emptying(scmp_filter_ctx filter) {
    const struct { const char *name; unsigned flags; } calls[] = {{"open", 1}, {"openat", 2}};
    const scmp_datum_t modes[] = {O_RDONLY, O_ACCMODE};
    int result = 0;
    for (size_t i = 0; i < 4 && !result; i++) {
        const struct scmp_arg_cmp emptying = {.arg = calls[i / 2].flags, .op = SCMP_CMP_MASKED_EQ, .datum_a = O_ACCMODE | O_TRUNC,
                                              .datum_b = modes[i % 2] | O_TRUNC};
        result = refuse(filter, calls[i / 2].name, 1, &emptying);
    }
    return result;
}

/* Requests are 32 bits wide, and the second byte of most says whose they are. */
static int refuse_requests(scmp_filter_ctx filter) {
    const struct { scmp_datum_t mask, request; } requests[] = {
        /* Typing into the terminal that the host was started from, taking it, hanging it up:
         * tty_ioctl(4), console_ioctl(4). */
        {0xffffffff, TIOCSTI}, {0xffffffff, TIOCLINUX}, {0xffffffff, TIOCSPGRP}, {0xffffffff, TIOCSCTTY}, {0xffffffff, TIOCVHANGUP},
        /* F_SETOWN again. */
        {0xffffffff, FIOSETOWN}, {0xffffffff, SIOCSPGRP},
        /* Attributes of files (FS_IOC_SETFLAGS, FS_IOC_FSSETXATTR), of file systems (FIFREEZE) and
         * snapshots (btrfs), for which an open descriptor is enough, if only for reading. */
        {0xff00, 'f' << 8}, {0xff00, 'v' << 8}, {0xff00, 'X' << 8}, {0xff00, 0x94 << 8},
    };
    int result = 0;
    for (size_t i = 0; i < sizeof requests / sizeof *requests && !result; i++) {
        const struct scmp_arg_cmp request = {.arg = 1, .op = SCMP_CMP_MASKED_EQ, .datum_a = requests[i].mask, .datum_b = requests[i].request};
        result = refuse(filter, "ioctl", 1, &request);
    }
    return result;
}

static int fill(scmp_filter_ctx filter, bool connects) {
    int result = refuse_real_time(filter);
    if (!result) result = refuse_each(filter, EACH(refused), NULL);
    if (!result) result = refuse_reaching_others(filter);
    if (!result) result = refuse_namespaces(filter);
    if (!result) result = refuse_emptying(filter);
    if (!result) result = refuse_requests(filter);
    const struct scmp_arg_cmp family = {.arg = 0, .op = SCMP_CMP_NE, .datum_a = AF_UNIX};
    if (connects) return result ? result : refuse(filter, "socket", 1, &family);
    if (!result) result = refuse_each(filter, EACH(connecting), NULL);
    /* libzmq's threads set their own policy when they start, by their ids, and end the process
     * where that fails. */
    const struct scmp_arg_cmp other = {.arg = 0, .op = SCMP_CMP_NE, .datum_a = 0};
    return result ? result : refuse_each(filter, EACH(scheduling), &other);
}

int32_t cisolation_refuse_calls(bool connects) {
    scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ALLOW);
    if (!filter) return -ENOMEM;
    /* All threads, and a search by halving instead of one rule after the other. */
    int result = seccomp_attr_set(filter, SCMP_FLTATR_CTL_TSYNC, 1);
    if (!result) result = seccomp_attr_set(filter, SCMP_FLTATR_CTL_OPTIMIZE, 2);
    if (!result) result = fill(filter, connects);
    if (!result) result = seccomp_load(filter);
    seccomp_release(filter);
    return result;
}
