#ifndef CPOSIX_LIMITS_H
#define CPOSIX_LIMITS_H

/* What the system allows a process, and how a process tells that it had no more. Failures are
 * negative errnos. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum cposix_resource {
    CPOSIX_OPEN_FILES,    /* ulimit -n */
    CPOSIX_ADDRESS_SPACE, /* ulimit -v, bytes */
    CPOSIX_DATA,          /* ulimit -d, bytes */
    CPOSIX_STACK,         /* ulimit -s, bytes */
    CPOSIX_FILE_SIZE,     /* ulimit -f, bytes */
    CPOSIX_PROCESSOR,     /* ulimit -t, seconds of processor time */
};

/* The limit that is in force, and the one up to which it may be raised; UINT64_MAX: none. */
int32_t cposix_limit(enum cposix_resource resource, uint64_t *soft, uint64_t *hard);

/* Raises the limit that is in force to `wanted`, or to the highest that is allowed where that is
 * lower; never lowers it. */
int32_t cposix_raise_limit(enum cposix_resource resource, uint64_t wanted);

/* Sets both; the second may only be lowered, but by root. */
int32_t cposix_set_limit(enum cposix_resource resource, uint64_t soft, uint64_t hard);

/* Sets the least stack of threads that start from now on and request no size. */
int32_t cposix_raise_thread_stack(size_t bytes);

/* From now on a signal that is a crash's writes one line to the descriptor before it ends the
 * process as usual: bytes of address space and of data that the process has then. */
int32_t cposix_note_memory_at_death(int32_t descriptor);

/* Whether /proc tells of the calling thread by the number that the thread has for itself: not where
 * it is missing, or is another PID namespace's. */
bool cposix_proc_shows_threads(void);

#endif
