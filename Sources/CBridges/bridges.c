#include "cbridges.h"

#include <dlfcn.h>

static const cbridge *const bridges[] = {&cbridge_frei0r, &cbridge_ladspa};

const cbridge *cbridge_find(void *handle) {
    for (size_t i = 0; i < sizeof bridges / sizeof *bridges; i++)
        if (dlsym(handle, bridges[i]->symbol)) return bridges[i];
    return NULL;
}
