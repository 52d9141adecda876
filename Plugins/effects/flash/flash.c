/* org.cutroom.flash: the picture is overexposed and comes back, once or again and again. */
#include "../effects.h"
#include "../tint.h"

enum { PERIOD, DECAY, STRENGTH, COLOR };

static const cutroom_param params[] = {
    [PERIOD] = KIT_DOUBLE("period", "Period", "s", 0, 60, 0,
                          "The time from one flash to the next. 0: a single flash at the start. More than three flashes in a second "
                          "can cause seizures in photosensitive people."),
    [DECAY] = KIT_DOUBLE("decay", "Decay", "s", 0.01, 10, 0.35, "The time until the flash has faded."),
    [STRENGTH] = KIT_DOUBLE("strength", "Strength", "", 0, 1, 1, "How strong the colour is when a flash begins."),
    [COLOR] = KIT_COLOR("color", "Colour", 1, 1, 1, 1, "The flash's colour; its alpha lowers the strength."),
};

static cutroom_status render(const kit_job *job) {
    const cutroom_value *v = job->values;
    const double period = v[PERIOD].n[0], since = period > 0 ? period * kit_phase(job->time / period) : job->time;
    /* Fast at first, as the eye comes back. */
    const double left = 1 - kit_bound(since / v[DECAY].n[0], 0, 1);
    return tint(job, v[COLOR].n, v[STRENGTH].n[0] * left * left);
}

const kit_effect effect_flash = {
    .abi = KIT_EFFECT(CUTROOM_CAN_SHARE_INSTANCE, "org.cutroom.flash", "Flash",
                      "A flash of light that fades away. Fast flashes can harm photosensitive people.", params),
    .render = render,
};
