/* What the bridges share: texts and ids of what they describe. What is made here stays until the
 * process ends. */
#ifndef CBRIDGES_COMMON_H
#define CBRIDGES_COMMON_H

#include "cbridges.h"

/* A copy; what is not there is empty. Null where there is no memory. */
const char *bridge_kept(const char *text);

/* Both texts, one after the other; null where there is no memory. */
char *bridge_join(const char *a, const char *b);

/*
 * An id from a parameter's name: lower case, one _ for everything between letters and digits,
 * accents left out, and with the parameter's number where nothing is left of it or one of `count`
 * others has it. Null where there is no memory.
 */
char *bridge_make_id(const char *name, int number, const cutroom_param *others, uint32_t count);

/* Finds out, once, what a library has: its `library`, or the `failure` that says why it has
 * nothing. */
typedef struct bridge_opened {
    void *handle;
    void (*describe)(struct bridge_opened *opened, const char *path);
    const char *failure;
    cbridge_library library;
    struct bridge_opened *next;
} bridge_opened;

/* A cbridge's `open`, from any thread: `describe` is called where `handle` is not known to it yet.
 */
const char *bridge_open(
    void *handle, const char *path, void (*describe)(bridge_opened *opened, const char *path), cbridge_library *library);

#define BRIDGE_NO_MEMORY "there is not enough memory to describe it"

#endif
