#define _GNU_SOURCE
#include <stdio.h>
#include "CPosix.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <malloc.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

static int prepare(posix_spawnattr_t *attributes, posix_spawn_file_actions_t *actions, int input, int output) {
    sigset_t all, none;
    sigfillset(&all);
    sigemptyset(&none);
    int error = posix_spawnattr_setflags(attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
    if (!error) error = posix_spawnattr_setpgroup(attributes, 0);
    if (!error) error = posix_spawnattr_setsigdefault(attributes, &all);
    if (!error) error = posix_spawnattr_setsigmask(attributes, &none);
    if (!error) error = posix_spawn_file_actions_adddup2(actions, input, STDIN_FILENO);
    if (!error) error = posix_spawn_file_actions_adddup2(actions, output, STDOUT_FILENO);
    if (!error) error = posix_spawn_file_actions_adddup2(actions, output, STDERR_FILENO);
    if (!error) error = posix_spawn_file_actions_addclosefrom_np(actions, STDERR_FILENO + 1);
    return error;
}

int32_t cposix_spawn(const char *path, char *const argv[], char *const envp[], int32_t input, int32_t output) {
    posix_spawnattr_t attributes;
    posix_spawn_file_actions_t actions;
    pid_t pid = 0;
    int error = posix_spawnattr_init(&attributes);
    if (error) return -error;
    error = posix_spawn_file_actions_init(&actions);
    if (!error) {
        error = prepare(&attributes, &actions, input, output);
        if (!error) error = posix_spawn(&pid, path, &actions, &attributes, argv, envp);
        posix_spawn_file_actions_destroy(&actions);
    }
    posix_spawnattr_destroy(&attributes);
    return error ? -error : pid;
}

int32_t cposix_pidfd_open(pid_t pid) {
    int descriptor = pidfd_open(pid, 0);
    return descriptor < 0 ? -errno : descriptor;
}

int32_t cposix_pidfd_signal(int32_t pidfd, int32_t signal) {
    return pidfd_send_signal(pidfd, signal, NULL, 0) < 0 ? -errno : 0;
}

int32_t cposix_ended(int32_t pidfd, bool consume, struct cposix_end *end) {
    siginfo_t info;
    struct rusage usage;
    memset(&info, 0, sizeof info);
    memset(&usage, 0, sizeof usage);
    /* The library's waitid has no place for the usage. */
    long result;
    do result = syscall(SYS_waitid, P_PIDFD, (id_t)pidfd, &info, WEXITED | WNOHANG | (consume ? 0 : WNOWAIT), &usage);
    while (result < 0 && errno == EINTR);
    if (result < 0) return -errno;
    if (info.si_pid == 0) return 0;
    end->signalled = info.si_code != CLD_EXITED;
    end->value = info.si_status;
    end->processor_micros = (uint64_t)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1000000 +
                            (uint64_t)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
    return 1;
}

const char *cposix_signal_name(int32_t signal) { return sigabbrev_np(signal); }

int32_t cposix_pipe(int32_t ends[2]) { return pipe2(ends, O_CLOEXEC) < 0 ? -errno : 0; }

int32_t cposix_detach(int32_t descriptor) {
    int copy = fcntl(descriptor, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    if (copy < 0) return -errno;
    int null = open("/dev/null", O_RDWR | O_CLOEXEC);
    if (null < 0 || dup2(null, descriptor) < 0) {
        int error = errno;
        if (null >= 0) close(null);
        close(copy);
        return -error;
    }
    if (null != descriptor) close(null);
    return copy;
}

void cposix_name_thread(const char *name) { prctl(PR_SET_NAME, (unsigned long)name, 0, 0, 0); }

int cposix_sync_file_system(int32_t folder) { return syncfs(folder); }

int cposix_rename_exclusive(const char *from, const char *to) {
    if (renameat2(AT_FDCWD, from, AT_FDCWD, to, RENAME_NOREPLACE) == 0) return 0;
    /* Some file systems do not know the flag; there a hard link does the same. */
    if (errno != EINVAL && errno != ENOSYS) return -1;
    if (link(from, to) != 0) return -1;
    return unlink(from);
}

void cposix_trim_memory(void) { malloc_trim(0); }

struct build_ids {
    void (*visit)(void *context, const uint8_t *id, size_t size);
    void *context;
};

static int visit_build_id(struct dl_phdr_info *library, size_t size, void *data) {
    (void)size;
    const struct build_ids *all = data;
    /* The program has no name, the kernel's page no path. */
    if (!library->dlpi_name || !strchr(library->dlpi_name, '/')) return 0;
    for (int i = 0; i < library->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &library->dlpi_phdr[i];
        if (segment->p_type != PT_NOTE) continue;
        const size_t alignment = segment->p_align == 8 ? 8 : 4;
        const uint8_t *at = (const uint8_t *)(library->dlpi_addr + segment->p_vaddr), *end = at + segment->p_memsz;
        while (at + sizeof(ElfW(Nhdr)) <= end) {
            ElfW(Nhdr) note;
            memcpy(&note, at, sizeof note);
            const uint8_t *name = at + sizeof note;
            const uint8_t *id = name + (((size_t)note.n_namesz + alignment - 1) & ~(alignment - 1));
            if (id + note.n_descsz > end) break;
            if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 && memcmp(name, "GNU", 4) == 0) {
                all->visit(all->context, id, note.n_descsz);
                return 0;
            }
            at = id + (((size_t)note.n_descsz + alignment - 1) & ~(alignment - 1));
        }
    }
    return 0;
}

void cposix_visit_build_ids(void (*visit)(void *context, const uint8_t *id, size_t size), void *context) {
    struct build_ids all = {visit, context};
    dl_iterate_phdr(visit_build_id, &all);
}
