/* A parameter of whole numbers whose bounds are not whole (-DWHOLE), which is never given another
 * number; or texts in Latin-1 (-DLATIN). */
#include <math.h>
#include <stdlib.h>
#include "fixture.h"

static cutroom_status process(void *instance, const cutroom_call *call) {
    (void)instance;
    const double count = call->values[0].n[0];
#ifdef WHOLE
    if (count != round(count) && count != 1.5) abort();
#endif
    (void)count;
    return fixture_copy(call);
}

static const cutroom_param params[] = {
#ifdef WHOLE
    {.type = CUTROOM_PARAM_INT, .id = "count", .label = "Count", .unit = "", .help = "", .minimum = 0.5, .maximum = 2.5, .initial = {1.5}},
#else
    {.type = CUTROOM_PARAM_INT, .id = "count", .label = "Z\xe4hler", .unit = "", .help = "", .minimum = 0, .maximum = 2, .initial = {1}},
#endif
};

static const cutroom_effect effect = {FIXTURE_EFFECT("test.odd", process), FIXTURE_PARAMS(params),
#ifdef LATIN
                                      .help = "Z\xe4hlt.",
#endif
};
FIXTURE_ONE(effect)
const cutroom_plugin cutroom_plugin_entry = {FIXTURE_ENTRY};
