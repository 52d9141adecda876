#ifndef CPOSIX_H
#define CPOSIX_H

/* What Swift's Glibc module lacks: headers it leaves out, macros it cannot import, and the calls
 * that need a struct full of such macros. Every function returns 0 or a positive value on success
 * and a negative errno on failure, and is safe to call from any thread. */

#include <stdbool.h>
#include <stdint.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/types.h>
#include <sys/wait.h>

#include "CPosixChecks.h"
#include "CPosixLimits.h"
#include "CPosixShared.h"
#include "CPosixThread.h"

/* How a process ended. */
struct cposix_end {
    bool signalled;            /* by a signal, else by exit */
    int32_t value;             /* the signal's number or the exit code */
    uint64_t processor_micros; /* what it and those that it waited for have used of the processors' time, in microseconds */
};

/* Starts the program at path (no search in $PATH) in a process group of its own, with every signal
 * at its default and unblocked, standard input from input, standard output and error to output, and
 * every other descriptor closed. Returns the process id. The descriptors stay the caller's. Spawns
 * by exec without copying the caller's memory. */
int32_t cposix_spawn(const char *path, char *const argv[], char *const envp[], int32_t input, int32_t output);

/* A close-on-exec descriptor that becomes readable when the process ends. The caller must be the
 * parent, and must not have reaped the process, or the id may name another one. */
int32_t cposix_pidfd_open(pid_t pid);

/* Sends a signal to the process behind a pidfd; -ESRCH when it has ended. */
int32_t cposix_pidfd_signal(int32_t pidfd, int32_t signal);

/* Whether the child behind a pidfd has ended: 1 and *end filled, or 0 while it still runs. Never
 * waits. With consume the child is reaped, and its process id may name another process from then
 * on. */
int32_t cposix_ended(int32_t pidfd, bool consume, struct cposix_end *end);

/* "SEGV" for SIGSEGV; null for an unknown number. The text is static. */
const char *cposix_signal_name(int32_t signal);

/* A close-on-exec pipe: ends[0] is read, ends[1] is written. */
int32_t cposix_pipe(int32_t ends[2]);

/* Moves the descriptor to a close-on-exec one above 2 and puts /dev/null in its place. Returns the
 * new one. */
int32_t cposix_detach(int32_t descriptor);

/* Names the calling thread; at most 15 bytes of the name are kept. */
void cposix_name_thread(const char *name);

/* Renames a file unless the new name exists (EEXIST). Returns 0, or -1 with errno set. */
int cposix_rename_exclusive(const char *from, const char *to);

/* Waits until all files of the open folder's file system are on the disk. Returns 0, or -1 with
 * errno set. */
int cposix_sync_file_system(int32_t folder);

/* Gives memory that is allocated from the system but free back to it. */
void cposix_trim_memory(void);

/* Calls visit with the build id (ELF's NT_GNU_BUILD_ID) of each library that the process has loaded
 * by a path; not with the program's own. The id is valid during the call. */
void cposix_visit_build_ids(void (*visit)(void *context, const uint8_t *id, size_t size), void *context);

#endif
