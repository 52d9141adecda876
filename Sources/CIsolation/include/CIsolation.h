#ifndef CISOLATION_H
#define CISOLATION_H

/* What a process gives up for good before it runs code that it does not trust. Works without
 * privileges, and with them: the process and all that it starts can gain none any more
 * (PR_SET_NO_NEW_PRIVS). */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* From now on this thread, and threads and processes started by it, write, make, rename and remove
 * files only within `folders` (which count with everything below them; what is not there is left
 * out) and write to /dev/null. Reading stays, as do open descriptors. By Landlock:
 * https://docs.kernel.org/userspace-api/landlock.html. To be called before there are other threads.
 * Returns the kernel's version of Landlock, or a negative errno: -ENOSYS and -EOPNOTSUPP where the
 * kernel has none. */
int32_t cisolation_limit_writing(const char *const *folders, size_t count);

/* From now on all threads of this process, and what they start, get EPERM for system calls that a
 * plugin has no use for: sockets but local ones, other processes (signals, tracing, their memory,
 * what they share), starting programs, leaving the process group, mounts, namespaces, owners, modes
 * and attributes of files, the kernel. By seccomp. Without `connects` local sockets are refused as
 * well, and the scheduling of all but the calling thread; those that are open stay, and threads
 * that the C library is to schedule do not start. Returns 0 or a negative errno. May be called
 * again to refuse more. */
int32_t cisolation_refuse_calls(bool connects);

#endif
