#define _GNU_SOURCE
#include "CPosixLimits.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

static const int resources[] = {
    [CPOSIX_OPEN_FILES] = RLIMIT_NOFILE,
    [CPOSIX_ADDRESS_SPACE] = RLIMIT_AS,
    [CPOSIX_DATA] = RLIMIT_DATA,
    [CPOSIX_STACK] = RLIMIT_STACK,
    [CPOSIX_FILE_SIZE] = RLIMIT_FSIZE,
    [CPOSIX_PROCESSOR] = RLIMIT_CPU,
};

static uint64_t plain(rlim_t value) { return value == RLIM_INFINITY ? UINT64_MAX : (uint64_t)value; }

int32_t cposix_limit(enum cposix_resource resource, uint64_t *soft, uint64_t *hard) {
    struct rlimit limit;
    if (getrlimit(resources[resource], &limit) < 0) return -errno;
    *soft = plain(limit.rlim_cur);
    *hard = plain(limit.rlim_max);
    return 0;
}

int32_t cposix_raise_limit(enum cposix_resource resource, uint64_t wanted) {
    struct rlimit limit;
    if (getrlimit(resources[resource], &limit) < 0) return -errno;
    if (plain(limit.rlim_cur) >= wanted) return 0;
    limit.rlim_cur = plain(limit.rlim_max) < wanted ? limit.rlim_max : (rlim_t)wanted;
    return setrlimit(resources[resource], &limit) < 0 ? -errno : 0;
}

int32_t cposix_set_limit(enum cposix_resource resource, uint64_t soft, uint64_t hard) {
    const struct rlimit limit = {soft == UINT64_MAX ? RLIM_INFINITY : (rlim_t)soft, hard == UINT64_MAX ? RLIM_INFINITY : (rlim_t)hard};
    return setrlimit(resources[resource], &limit) < 0 ? -errno : 0;
}

int32_t cposix_raise_thread_stack(size_t bytes) {
    pthread_attr_t attributes;
    size_t size = 0;
    int error = pthread_getattr_default_np(&attributes);
    if (error) return -error;
    error = pthread_attr_getstacksize(&attributes, &size);
    if (!error && size < bytes) {
        error = pthread_attr_setstacksize(&attributes, bytes);
        if (!error) error = pthread_setattr_default_np(&attributes);
    }
    pthread_attr_destroy(&attributes);
    return error ? -error : 0;
}

static size_t append(char *text, size_t at, uint64_t number);

/* Before main: with less, the run-time of the language ends the process without a word. What may be
 * raised is raised, and grows into what the system has left free below the stack. */
__attribute__((constructor(101))) static void need_stack(void) {
    static const uint64_t least = 64 << 10, enough = 8 << 20;
    uint64_t soft = 0, hard = 0;
    if (cposix_limit(CPOSIX_STACK, &soft, &hard) < 0 || soft >= least) return;
    if (hard >= least) {
        cposix_raise_limit(CPOSIX_STACK, enough);
        return;
    }
    static char text[200] = "cutroom: Cutroom needs at least 1 MiB of stack for each thread, but this shell allows ";
    size_t at = append(text, strlen(text), hard >> 10);
    memcpy(text + at, " KiB (ulimit -s ", 16);
    at = append(text, at + 16, hard >> 10);
    memcpy(text + at, "); raise that limit.\n", 21);
    const ssize_t written = write(STDERR_FILENO, text, at + 21);
    (void)written;
    _exit(69);
}

static int note = -1;
static int usage = -1;

static size_t append(char *text, size_t at, uint64_t number) {
    char digits[24];
    size_t count = 0;
    do digits[count++] = (char)('0' + number % 10);
    while (number /= 10);
    while (count > 0) text[at++] = digits[--count];
    return at;
}

/* The fields of /proc/self/statm count pages: size, resident, shared, text, lib, data. Neither
 * malloc nor stdio is used: the process may be in the middle of them. */
static void tell(int number, siginfo_t *info, void *context) {
    (void)context;
    char read_back[256] = "", line[64];
    uint64_t pages[6] = {0};
    ssize_t count = pread(usage, read_back, sizeof read_back - 1, 0);
    size_t field = 0;
    for (ssize_t i = 0; i < count && field < 6; i++) {
        if (read_back[i] >= '0' && read_back[i] <= '9') pages[field] = pages[field] * 10 + (uint64_t)(read_back[i] - '0');
        else field++;
    }
    uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
    size_t at = append(line, 0, pages[0] * page);
    line[at++] = ' ';
    at = append(line, at, pages[5] * page);
    line[at++] = '\n';
    ssize_t written = write(note, line, at);
    (void)written;
    /* The instruction is tried again, and now ends the process; a signal that was sent is sent
     * again. */
    struct sigaction usual = {.sa_handler = SIG_DFL};
    sigaction(number, &usual, NULL);
    if (info->si_code <= 0) raise(number);
}

int32_t cposix_note_memory_at_death(int32_t descriptor) {
    static const int signals[] = {SIGSEGV, SIGBUS, SIGABRT, SIGILL, SIGTRAP, SIGFPE};
    static char stack[1 << 16];
    stack_t alternative = {.ss_sp = stack, .ss_size = sizeof stack};
    struct sigaction action = {.sa_sigaction = tell, .sa_flags = SA_SIGINFO | SA_ONSTACK};
    sigemptyset(&action.sa_mask);
    usage = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
    if (usage < 0) return -errno;
    note = descriptor;
    if (sigaltstack(&alternative, NULL) < 0) return -errno;
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) {
        if (sigaction(signals[i], &action, NULL) < 0) return -errno;
    }
    return 0;
}

bool cposix_proc_shows_threads(void) {
    char path[64];
    snprintf(path, sizeof path, "/proc/self/task/%d/stat", gettid());
    return access(path, R_OK) == 0;
}
