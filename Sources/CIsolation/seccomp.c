#define _GNU_SOURCE
#include "CIsolation.h"

#include <asm/ioctls.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/sockios.h>
#include <sched.h>
#include <seccomp.h>
#include <sys/socket.h>
#include <unistd.h>

/* By name, so that what this machine's libseccomp or processor does not know is left out. */
static const char *const refused[] = {
    /* other processes */
    "ptrace", "process_vm_readv", "process_vm_writev", "process_madvise", "pidfd_getfd", "pidfd_send_signal", "kcmp", "tkill",
    /* precedence over everybody else; see also below */
    "sched_setattr",
    /* other programs, which would be fresh processes under the same limits but not under the host's eye */
    "execve", "execveat",
    /* another view of the system */
    "mount", "umount", "umount2", "move_mount", "open_tree", "fsopen", "fsconfig", "fsmount", "fspick", "mount_setattr",
    "pivot_root", "chroot", "unshare", "setns", "swapon", "swapoff", "quotactl", "acct",
    /* the kernel; io_uring does what else is refused */
    "io_uring_setup", "io_uring_enter", "io_uring_register", "bpf", "perf_event_open", "userfaultfd", "init_module", "finit_module",
    "delete_module", "kexec_load", "kexec_file_load", "reboot", "iopl", "ioperm", "add_key", "request_key", "keyctl",
    "settimeofday", "clock_settime", "clock_adjtime", "adjtimex", "sethostname", "setdomainname", "syslog",
    /* changes of files that Landlock does not see */
    "chmod", "fchmod", "fchmodat", "fchmodat2", "chown", "lchown", "fchown", "fchownat", "setxattr", "lsetxattr", "fsetxattr",
    "setxattrat", "removexattr", "lremovexattr", "fremovexattr", "removexattrat", "open_by_handle_at",
    "utime", "utimes", "futimesat", "utimensat",
    /* emptying files, which Landlock sees from its version 3 on; see also below. openat2 has its flags in memory */
    "truncate", "truncate64", "openat2",
};

static const char *const connecting[] = {"socket", "socketpair", "connect", "bind", "listen", "accept", "accept4"};

/* Calls whose first argument is a process. */
static const char *const signalling[] = {"kill", "tgkill", "rt_sigqueueinfo", "rt_tgsigqueueinfo"};

enum { LENGTH_OF_CONNECTING = sizeof connecting / sizeof *connecting };

static int refuse(scmp_filter_ctx filter, const char *name, unsigned count, const struct scmp_arg_cmp *conditions) {
    int number = seccomp_syscall_resolve_name(name);
    /* Negative numbers are those of calls that other processors have. */
    return number < 0 ? 0 : seccomp_rule_add_array(filter, SCMP_ACT_ERRNO(EPERM), number, count, conditions);
}

/* SVT-AV1 takes real-time priority where it runs as root, and would starve the host. libzmq sets the policy that it has. */
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
    int result = 0;
    for (size_t i = 0; i < sizeof signalling / sizeof *signalling && !result; i++)
        result = refuse(filter, signalling[i], 1, &foreign);
    const int owning[] = {F_SETOWN, F_SETOWN_EX, F_SETSIG};
    for (size_t i = 0; i < sizeof owning / sizeof *owning && !result; i++) {
        const struct scmp_arg_cmp command = {.arg = 1, .op = SCMP_CMP_MASKED_EQ, .datum_a = 0xffffffff, .datum_b = (unsigned)owning[i]};
        result = refuse(filter, "fcntl", 1, &command);
    }
    /* The C library's own calls for the process itself have a zero there. */
    const struct scmp_arg_cmp other = {.arg = 0, .op = SCMP_CMP_NE, .datum_a = 0};
    if (!result) result = refuse(filter, "prlimit64", 1, &other);
    const struct scmp_arg_cmp slowed = {.arg = 1, .op = SCMP_CMP_NE, .datum_a = 0};
    return result ? result : refuse(filter, "setpriority", 1, &slowed);
}

/* A file that is opened for reading alone can be emptied by it, and before version 3 Landlock lets that pass. */
static int refuse_emptying(scmp_filter_ctx filter) {
    const struct { const char *name; unsigned flags; } calls[] = {{"open", 1}, {"openat", 2}};
    int result = 0;
    for (size_t i = 0; i < sizeof calls / sizeof *calls && !result; i++) {
        const struct scmp_arg_cmp emptying = {
            .arg = calls[i].flags, .op = SCMP_CMP_MASKED_EQ, .datum_a = O_ACCMODE | O_TRUNC, .datum_b = O_TRUNC};
        result = refuse(filter, calls[i].name, 1, &emptying);
    }
    return result;
}

static int fill(scmp_filter_ctx filter, bool connects) {
    int result = refuse_real_time(filter);
    for (size_t i = 0; i < sizeof refused / sizeof *refused && !result; i++) result = refuse(filter, refused[i], 0, NULL);
    if (!result) result = refuse_reaching_others(filter);
    if (!result) result = refuse_emptying(filter);
    /* Typing into the terminal that the host was started from: tty_ioctl(4), console_ioctl(4). The other two are F_SETOWN again.
     * Requests are 32 bits wide. */
    const scmp_datum_t requests[] = {TIOCSTI, TIOCLINUX, FIOSETOWN, SIOCSPGRP};
    for (size_t i = 0; i < sizeof requests / sizeof *requests && !result; i++) {
        const struct scmp_arg_cmp request = {.arg = 1, .op = SCMP_CMP_MASKED_EQ, .datum_a = 0xffffffff, .datum_b = requests[i]};
        result = refuse(filter, "ioctl", 1, &request);
    }
    const struct scmp_arg_cmp family = {.arg = 0, .op = SCMP_CMP_NE, .datum_a = AF_UNIX};
    if (connects) return result ? result : refuse(filter, "socket", 1, &family);
    for (size_t i = 0; i < LENGTH_OF_CONNECTING && !result; i++) result = refuse(filter, connecting[i], 0, NULL);
    return result;
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
