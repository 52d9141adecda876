#include "ladspa.h"

#define STEADY CUTROOM_DETERMINISM_MACHINE
#define UNSURE CUTROOM_DETERMINISM_NONE

static const ladspa_facts table[] = {
#include "ladspa_table.inc"
    {0},
};

const ladspa_facts *ladspa_find_facts(const ladspa_plugin *plugin) {
    for (const ladspa_facts *facts = table; facts->label; facts++)
        if (facts->unique_id == plugin->unique_id && facts->port_count == plugin->port_count &&
            strcmp(facts->label, plugin->label) == 0)
            return facts;
    return NULL;
}
