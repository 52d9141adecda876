#define _GNU_SOURCE
#include "CPosixChecks.h"

#include <errno.h>
#include <malloc.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <ucontext.h>
#include <unistd.h>

enum { REGIONS = 1024 };
static struct cposix_region regions[REGIONS];
static atomic_bool used[REGIONS];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int output = -1;

int32_t cposix_add_region(const struct cposix_region *region) {
    int32_t number = -1;
    pthread_mutex_lock(&lock);
    for (int32_t i = 0; i < REGIONS && number < 0; i++) {
        if (!atomic_load(&used[i])) number = i;
    }
    if (number >= 0) {
        regions[number] = *region;
        atomic_store(&used[number], true);
    }
    pthread_mutex_unlock(&lock);
    return number;
}

void cposix_remove_region(int32_t number) {
    if (number >= 0 && number < REGIONS) atomic_store(&used[number], false);
}

/* The handler may run in the middle of malloc or printf: it uses neither. */
struct text {
    char bytes[256];
    size_t count;
};

static void append(struct text *text, const char *more) {
    for (; *more && text->count < sizeof text->bytes; more++) text->bytes[text->count++] = *more;
}

static void append_number(struct text *text, int64_t number) {
    char digits[24];
    size_t at = sizeof digits - 1;
    uint64_t rest = number < 0 ? 0 - (uint64_t)number : (uint64_t)number;
    digits[at] = 0;
    do digits[--at] = (char)('0' + rest % 10);
    while (rest /= 10);
    if (number < 0) digits[--at] = '-';
    append(text, &digits[at]);
}

static const char *access_of(const void *context) {
#if defined(__x86_64__)
    /* Bit 1 of the page fault's error code: Intel SDM, volume 3, 4.7. */
    return ((const ucontext_t *)context)->uc_mcontext.gregs[REG_ERR] & 2 ? "write" : "read";
#else
    (void)context;
    return "unknown";
#endif
}

static void explain(int signal, siginfo_t *info, void *context) {
    const char *address = info->si_addr;
    const struct cposix_region *found = NULL;
    for (int i = 0; i < REGIONS && !found; i++) {
        const char *start = regions[i].start;
        if (atomic_load(&used[i]) && address >= start && address < start + regions[i].length) found = &regions[i];
    }
    struct text line = {.count = 0};
    append(&line, "{\"fault\":{\"place\":\"");
    if (found) append(&line, found->label);
    append(&line, "\",\"offset\":");
    append_number(&line, found ? address - (const char *)found->data : 0);
    append(&line, ",\"length\":");
    append_number(&line, found ? (int64_t)found->data_length : 0);
    append(&line, ",\"access\":\"");
    append(&line, access_of(context));
    append(&line, "\"}}\n");
    ssize_t written = write(output, line.bytes, line.count);
    (void)written;
    /* The instruction runs again, and now ends the process. A signal that another process sent is
     * sent again. */
    struct sigaction usual = {.sa_handler = SIG_DFL};
    sigaction(signal, &usual, NULL);
    if (info->si_code <= 0) raise(signal);
}

int32_t cposix_explain_faults(int32_t descriptor) {
    /* A stack of its own, so that an overflow of the usual one is seen as well. */
    static char stack[1 << 16];
    stack_t alternative = {.ss_sp = stack, .ss_size = sizeof stack};
    struct sigaction action = {.sa_sigaction = explain, .sa_flags = SA_SIGINFO | SA_ONSTACK};
    output = descriptor;
    sigemptyset(&action.sa_mask);
    if (sigaltstack(&alternative, NULL) < 0 || sigaction(SIGSEGV, &action, NULL) < 0 || sigaction(SIGBUS, &action, NULL) < 0)
        return -errno;
    return 0;
}

size_t cposix_heap_in_use(void) {
    struct mallinfo2 info = mallinfo2();
    return info.uordblks + info.hblkhd;
}

int32_t cposix_die_with_parent(void) { return prctl(PR_SET_PDEATHSIG, SIGKILL) < 0 ? -errno : 0; }
