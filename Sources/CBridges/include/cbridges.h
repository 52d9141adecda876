/*
 * Effect libraries for other interfaces, presented as effects of Cutroom's own. Callers (registry,
 * planner, renderer, check) see a cutroom_effect and nothing of the bridge behind it.
 */
#ifndef CBRIDGES_H
#define CBRIDGES_H

#include <cutroom/plugin.h>

/* An effect as the bridge presents it. */
typedef struct cbridge_effect {
    const cutroom_effect *table;
    /* Why it can be listed and not used: a sentence without its subject; null where it can be used.
     */
    const char *refusal;
} cbridge_effect;

/* What is in a library. It stays valid and unchanged until the process ends. */
typedef struct cbridge_library {
    const char *name; /* for people */
    uint32_t effect_count;
    const cbridge_effect *effects;
} cbridge_library;

/* One foreign interface. */
typedef struct cbridge {
    const char *name; /* "frei0r"; ids of its effects begin with it, in small letters, and a dot */
    /* The symbol by which one of its libraries is known. */
    const char *symbol;
    /*
     * Initialises and describes an open library, which runs its code; the second time it gives the
     * same answer and runs none. `path` is the library's absolute path. On failure the result is
     * why: a sentence without its subject, valid until the process ends; null is success.
     */
    const char *(*open)(void *handle, const char *path, cbridge_library *library);
} cbridge;

/* The bridge for a library that dlopen has given; null where no bridge knows it. Any thread. */
const cbridge *cbridge_find(void *handle);

extern const cbridge cbridge_frei0r, cbridge_ladspa;

#endif
