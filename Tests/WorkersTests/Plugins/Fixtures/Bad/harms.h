/* What a plugin can do to the thread and the process that it runs in: harm() does what -DHARM
 * names, where -DHARM_AT says. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <dlfcn.h>
#include <fcntl.h>
#include <fenv.h>
#include <locale.h>
#include <malloc.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

enum harm {
    NOTHING, ROUNDS_UP, ROUNDS_DOWN, ROUNDS_TO_ZERO, FLUSHES_DENORMALS, LOSES_PRECISION, LEAVES_MMX, TRAPS, BLOCKS_SIGNALS,
    CHANGES_LOCALE_OF_ALL, CHANGES_LOCALE_OF_THREAD, CHANGES_MASK_OF_FILES, CHANGES_FOLDER_OF_ALL, CHANGES_TIME_ZONE, CHANGES_LANGUAGE,
    EMPTIES_ENVIRONMENT, SEEDS, FILLS_MEMORY, EXPORTS, HANDLES_SIGNALS, LIMITS_FILES, LIMITS_FILE_SIZE, SCRIBBLES_OVER_LIBRARY, SCRIBBLES_OVER_CODE, SCRIBBLES_OVER_MATHS, LEAVES_THREAD
};
enum harm_place { LOAD, CREATE, PROCESS, TASK };

#ifndef HARM
#define HARM NOTHING
#endif
#ifndef HARM_AT
#define HARM_AT PROCESS
#endif

#ifdef EXPORTS_SYMBOLS
/* Names of the C library's. */
__attribute__((visibility("default"))) double sin(double x);
double sin(double x) { return -x; }
__attribute__((visibility("default"))) float powf(float x, float y);
float powf(float x, float y) { return x + y; }
#endif

/* The interrupted code, wherever it is, goes on with another rounding. */
static void on_signal(int number, siginfo_t *info, void *context) {
    (void)number, (void)info, (void)context;
#if defined(__x86_64__)
    ((ucontext_t *)context)->uc_mcontext.fpregs->mxcsr |= 0x6000;
#endif
}

static void *stay(void *argument) {
    fesetround(FE_UPWARD);
    for (;;) pause();
    return argument;
}

/* Changes bytes of a library: of its data, or of its code. */
static void scribble(const char *library, int over_code) {
    FILE *maps = fopen("/proc/self/maps", "re");
    char line[4096];
    while (maps && fgets(line, sizeof line, maps)) {
        unsigned long start, end;
        char rights[8];
        if (!strstr(line, library) || sscanf(line, "%lx-%lx %7s", &start, &end, rights) != 3) continue;
        if (over_code ? rights[2] != 'x' : rights[1] != 'w') continue;
        if (over_code && mprotect((void *)start, end - start, PROT_READ | PROT_WRITE | PROT_EXEC)) continue;
        for (unsigned long at = start + 64; at < end; at += 512) *(volatile uint8_t *)at ^= 1;
    }
    if (maps) fclose(maps);
}

/* Functions of the mathematical library return what they are given. */
static void forget_maths(void) {
    const char *names[] = {"exp2f", "exp2", "powf", "pow", "log2f", "log2", "expf", "exp", "sinf", "sin", "cosf", "cos"};
    void *library = dlopen("libm.so.6", RTLD_NOW | RTLD_NOLOAD);
    for (size_t i = 0; library && i < sizeof names / sizeof *names; i++) {
        char *code = dlsym(library, names[i]);
        char *page = code - (uintptr_t)code % 4096;
        if (!code || mprotect(page, 8192, PROT_READ | PROT_WRITE | PROT_EXEC)) continue;
#if defined(__x86_64__)
        memcpy(code, "\xc3", 1);
#elif defined(__aarch64__)
        memcpy(code, "\xc0\x03\x5f\xd6", 4);
        __builtin___clear_cache(code, code + 4);
#endif
    }
}

static inline void harm(void) {
    sigset_t all;
    struct rlimit size;
    pthread_t thread;
    extern char **environ;
    switch (HARM) {
    case NOTHING: case EXPORTS: break;
    case ROUNDS_UP: fesetround(FE_UPWARD); break;
    case ROUNDS_DOWN: fesetround(FE_DOWNWARD); break;
    case ROUNDS_TO_ZERO: fesetround(FE_TOWARDZERO); break;
#if defined(__x86_64__)
    case FLUSHES_DENORMALS: __builtin_ia32_ldmxcsr(__builtin_ia32_stmxcsr() | 0x8040); break;
    case LOSES_PRECISION: __asm__ volatile("fldcw %0" : : "m"((const uint16_t){0x007f})); break;
    case LEAVES_MMX: __asm__ volatile("movd %%eax, %%mm0" : : : "mm0"); break;
#elif defined(__aarch64__)
    case FLUSHES_DENORMALS: __asm__ volatile("msr fpcr, %0" : : "r"((uint64_t)1 << 24)); break;
    case LOSES_PRECISION: case LEAVES_MMX: fesetround(FE_UPWARD); break;
#endif
    case TRAPS: feenableexcept(FE_DIVBYZERO | FE_INVALID | FE_OVERFLOW); break;
    case BLOCKS_SIGNALS:
        sigfillset(&all);
        pthread_sigmask(SIG_BLOCK, &all, NULL);
        break;
    case CHANGES_LOCALE_OF_ALL: setlocale(LC_ALL, "C.UTF-8"); break;
    case CHANGES_LOCALE_OF_THREAD: uselocale(newlocale(LC_ALL_MASK, "C.UTF-8", (locale_t)0)); break;
    case CHANGES_MASK_OF_FILES: umask(0777); break;
    case CHANGES_FOLDER_OF_ALL: (void)!chdir("/"); break;
    case CHANGES_TIME_ZONE:
        setenv("TZ", "Asia/Kathmandu", 1);
        tzset();
        break;
    case CHANGES_LANGUAGE: setenv("LC_ALL", "de_DE.UTF-8", 1); break;
    case EMPTIES_ENVIRONMENT: environ = NULL; break;
    case SEEDS:
        srand(7);
        srand48(7);
        srandom(7);
        break;
    case FILLS_MEMORY: mallopt(M_PERTURB, 0x5a); break;
    case HANDLES_SIGNALS:
        sigaction(SIGALRM, &(const struct sigaction){.sa_sigaction = on_signal, .sa_flags = SA_SIGINFO | SA_RESTART}, NULL);
        setitimer(ITIMER_REAL, &(const struct itimerval){{0, 1000}, {0, 1000}}, NULL);
        break;
    case LIMITS_FILE_SIZE:
        getrlimit(RLIMIT_FSIZE, &size);
        setrlimit(RLIMIT_FSIZE, &(const struct rlimit){0, size.rlim_max});
        break;
    case LIMITS_FILES: setrlimit(RLIMIT_NOFILE, &(const struct rlimit){64, 64}); break;
    case SCRIBBLES_OVER_LIBRARY: scribble("libswscale", 0); break;
    case SCRIBBLES_OVER_CODE: scribble("libx264", 1); break;
    case SCRIBBLES_OVER_MATHS: forget_maths(); break;
    case LEAVES_THREAD: pthread_create(&thread, NULL, stay, NULL); break;
    default: break;
    }
}

__attribute__((constructor)) static void harm_on_load(void) {
    if (HARM_AT == LOAD) harm();
}
static inline void harm_at(enum harm_place place) {
    if (HARM_AT == place) harm();
}
