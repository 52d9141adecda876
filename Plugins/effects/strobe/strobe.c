/* org.cutroom.strobe: a colour at a rate. */
#include "../effects.h"
#include "../tint.h"

enum { RATE, DUTY, STRENGTH, COLOR };

static const cutroom_param params[] = {
    [RATE] = KIT_DOUBLE("rate", "Rate", "Hz", 0.1, 30, 3,
                        "Flashes in a second. More than three can cause seizures in photosensitive people: warn your viewers."),
    [DUTY] = KIT_DOUBLE("duty", "Duty", "", 0, 1, 0.3, "The share of the time in which the colour is visible."),
    [STRENGTH] = KIT_DOUBLE("strength", "Strength", "", 0, 1, 0.9, "How strong the colour is."),
    [COLOR] = KIT_COLOR("color", "Colour", 1, 1, 1, 1, "The colour of the flashes. Its alpha lowers the strength."),
};

static cutroom_status render(const kit_job *job) {
    const cutroom_value *v = job->values;
    return kit_phase(job->time * v[RATE].n[0]) < v[DUTY].n[0] ? tint(job, v[COLOR].n, v[STRENGTH].n[0]) : CUTROOM_PASS;
}

const kit_effect effect_strobe = {
    .abi = KIT_EFFECT(CUTROOM_CAN_SHARE_INSTANCE, "org.cutroom.strobe", "Strobe",
                      "Flashes a colour at a rate. Above three flashes in a second it can harm photosensitive people.", params),
    .render = render,
};
