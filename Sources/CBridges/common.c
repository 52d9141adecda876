#include "common.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

const char *bridge_kept(const char *text) { return strdup(text ? text : ""); }

char *bridge_join(const char *a, const char *b) {
    char *text = malloc(strlen(a) + strlen(b) + 1);
    return text ? strcat(strcpy(text, a), b) : NULL;
}

static int is_used(const char *id, const cutroom_param *others, uint32_t count) {
    for (uint32_t i = 0; i < count; i++)
        if (others[i].id && strcmp(others[i].id, id) == 0) return 1;
    return 0;
}

char *bridge_make_id(const char *name, int number, const cutroom_param *others, uint32_t count) {
    static const char plain[] = "aaaaaaaceeeeiiiidnooooo_ouuuuyts"; /* U+00C0 … U+00FF without accents; both cases */
    char id[120] = "";
    size_t length = 0;
    for (const unsigned char *c = (const unsigned char *)name; *c && length < 60; c++) {
        int letter = *c | 32;
        if (*c == 0xc3 && c[1] >= 0x80) letter = (unsigned char)plain[*++c & 31];
        if ((letter >= 'a' && letter <= 'z') || (*c >= '0' && *c <= '9'))
            id[length++] = (char)(*c >= '0' && *c <= '9' ? *c : letter);
        else if (length > 0 && id[length - 1] != '_')
            id[length++] = '_';
    }
    while (length > 0 && id[length - 1] == '_') length--;
    id[length] = 0;
    if (length == 0) snprintf(id, sizeof id, "parameter_%d", number + 1);
    /* With the number it may be another one's too. */
    for (length = strlen(id); length + 1 < sizeof id && is_used(id, others, count); length = strlen(id))
        snprintf(id + length, sizeof id - length, "_%d", number + 1);
    return strdup(id);
}

/* ---- Libraries --------------------------------------------------------------------------------------------------------- */

static bridge_opened *all;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static const bridge_opened *find_or_describe(void *handle, const char *path, void (*describe)(bridge_opened *, const char *)) {
    for (const bridge_opened *known = all; known; known = known->next)
        if (known->handle == handle && known->describe == describe) return known;
    bridge_opened *new = calloc(1, sizeof *new);
    if (!new) return NULL;
    *new = (bridge_opened){.handle = handle, .describe = describe, .next = all};
    all = new;
    describe(new, path);
    return new;
}

const char *bridge_open(
    void *handle, const char *path, void (*describe)(bridge_opened *opened, const char *path), cbridge_library *library) {
    pthread_mutex_lock(&lock);
    const bridge_opened *known = find_or_describe(handle, path, describe);
    pthread_mutex_unlock(&lock);
    if (!known) return BRIDGE_NO_MEMORY;
    if (!known->failure) *library = known->library;
    return known->failure;
}
