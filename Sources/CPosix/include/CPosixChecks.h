#ifndef CPOSIX_CHECKS_H
#define CPOSIX_CHECKS_H

/* What the plugin check and guarded frames need of the system and Swift cannot do: a handler of
 * memory faults, the heap. */

#include <stdint.h>
#include <stddef.h>

/* Memory whose faults are to be explained. `data` lies inside `start`; what is around it are guard
 * pages and slack. */
struct cposix_region {
    const void *start;
    size_t length;
    const void *data;
    size_t data_length;
    char label[96]; /* ASCII without quotes and backslashes */
};

/* From now on a SIGSEGV or SIGBUS first writes the line
 * {"fault":{"place":LABEL,"offset":N,"length":N,"access":"write"}} to `descriptor`, and then ends
 * the process by that signal. Offset counts from the region's data; the place is "" where the
 * address lies in no region; access is "read", "write" or "unknown". Returns 0 or a negative errno.
 */
int32_t cposix_explain_faults(int32_t descriptor);

/* Adds a region; returns its number, or -1 where there are too many (they are not explained then).
 * Any thread. */
int32_t cposix_add_region(const struct cposix_region *region);
void cposix_remove_region(int32_t number);

/* Bytes that are allocated from the C library. */
size_t cposix_heap_in_use(void);

/* The process is killed when the thread that started it ends. Returns 0 or a negative errno. */
int32_t cposix_die_with_parent(void);

#endif
