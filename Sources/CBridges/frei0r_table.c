#include "frei0r.h"

#define PURE CUTROOM_STATE_PURE, CUTROOM_DETERMINISM_MACHINE
#define SEQUENTIAL CUTROOM_STATE_SEQUENTIAL, CUTROOM_DETERMINISM_MACHINE
#define UNSURE CUTROOM_STATE_SEQUENTIAL, CUTROOM_DETERMINISM_NONE

static const frei0r_facts table[] = {
#include "frei0r_table.inc"
    {0},
};

const frei0r_facts *frei0r_find_facts(const char *name, int major, int minor) {
    for (const frei0r_facts *facts = table; facts->name; facts++)
        if (facts->major == major && facts->minor == minor && strcmp(facts->name, name) == 0) return facts;
    return NULL;
}
