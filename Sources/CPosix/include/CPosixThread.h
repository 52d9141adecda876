#ifndef CPOSIX_THREAD_H
#define CPOSIX_THREAD_H

/* What of a thread's state changes the results of other people's code in it: the floating-point
 * mode and the signal mask. */

#include <stdint.h>

/* The calling thread's floating-point mode as bits of the processor's registers, without its sticky
 * flags. x86-64: MXCSR (rounding, denormals, traps), above it the x87 control word (the same, and
 * precision), above that which x87 registers are in use: none at the border of a call. arm64: FPCR.
 * Elsewhere: what fegetround says. */
uint64_t cposix_floating_point_mode(void);

/* Gives the calling thread a mode that cposix_floating_point_mode told; empties the x87 registers
 * where it says that none is in use. */
void cposix_set_floating_point_mode(uint64_t mode);

/* The signals that the calling thread blocks; the lowest bit is signal 1. */
uint64_t cposix_signal_mask(void);
void cposix_set_signal_mask(uint64_t mask);

#endif
