#include "CPosixThread.h"

#include <fenv.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>

#if defined(__x86_64__)

/* Bits 0 to 5 of MXCSR say what has happened so far: Intel SDM, volume 1, 10.2.3. */
enum { HAPPENED = 0x3f };

uint64_t cposix_floating_point_mode(void) {
    /* FXSAVE's area, SDM volume 1, table 10-2: control word at 0, registers in use at 4, MXCSR at
     * 24. It alone changes nothing. */
    _Alignas(16) unsigned char area[512];
    uint32_t vector;
    uint16_t legacy;
    __asm__ volatile("fxsave64 %0" : "=m"(area));
    memcpy(&vector, area + 24, sizeof vector);
    memcpy(&legacy, area, sizeof legacy);
    return (vector & ~(uint32_t)HAPPENED) | (uint64_t)legacy << 32 | (uint64_t)area[4] << 48;
}

void cposix_set_floating_point_mode(uint64_t mode) {
    uint32_t vector;
    const uint16_t legacy = (uint16_t)(mode >> 32);
    /* Clears past exceptions first: a pending trap would be raised by the next instruction. */
    __asm__ volatile("fnclex");
    if (!(mode >> 48)) __asm__ volatile("emms");
    __asm__ volatile("fldcw %0" : : "m"(legacy));
    __asm__ volatile("stmxcsr %0" : "=m"(vector));
    vector = (vector & HAPPENED) | (uint32_t)mode;
    __asm__ volatile("ldmxcsr %0" : : "m"(vector));
}

#elif defined(__aarch64__)

uint64_t cposix_floating_point_mode(void) {
    uint64_t control;
    __asm__ volatile("mrs %0, fpcr" : "=r"(control));
    return control;
}

void cposix_set_floating_point_mode(uint64_t mode) { __asm__ volatile("msr fpcr, %0" : : "r"(mode)); }

#else

uint64_t cposix_floating_point_mode(void) { return (uint64_t)fegetround(); }
void cposix_set_floating_point_mode(uint64_t mode) { fesetround((int)mode); }

#endif

/* The kernel's set, of 64 signals, is what the C library's begins with. */
uint64_t cposix_signal_mask(void) {
    sigset_t set;
    uint64_t mask;
    sigemptyset(&set);
    pthread_sigmask(SIG_BLOCK, NULL, &set);
    memcpy(&mask, &set, sizeof mask);
    return mask;
}

void cposix_set_signal_mask(uint64_t mask) {
    sigset_t set;
    sigemptyset(&set);
    memcpy(&set, &mask, sizeof mask);
    pthread_sigmask(SIG_SETMASK, &set, NULL);
}
