/*
 * org.cutroom.glitch: a bad signal. A few times in a second the picture breaks anew: bands and
 * blocks of it are displaced, some with wrong colours, red and blue come apart, and scan lines
 * show.
 *
 * A list for the whole picture says what is broken (breakage.c). A pair of rows is assembled from
 * displaced pieces, then its red and blue are moved (rows.c).
 */
#include "glitch.h"
#include <math.h>

enum { AMOUNT, SHIFT, SPLIT, LINES, RATE, BURSTS, SEED };

static const cutroom_param params[] = {
    [AMOUNT] = KIT_DOUBLE("amount", "Amount", "", 0, 1, 0.8,
        "How much is broken: 0 adds only the scan lines."),
    [SHIFT] = KIT_PIXELS("shift", "Shift", 0, 2000, 160, "How far a piece of the picture is displaced at most."),
    [SPLIT] = KIT_PIXELS("split", "Split", 0, 200, 24, "How far red and blue move at most, in opposite directions."),
    [LINES] = KIT_DOUBLE("lines", "Scan lines", "", 0, 1, 0.25, "How dark every other line is."),
    [RATE] = KIT_DOUBLE("rate", "Rate", "Hz", 0.1, 60, 12, "How often the distortion changes in a second."),
    [BURSTS] = KIT_DOUBLE("bursts", "Bursts", "", 0, 1, 0.7,
        "The share of the time in which the signal is bad. The rest of the time it is nearly good."),
    [SEED] = KIT_SEED,
};

static glitch_look look_of(const kit_job *job) {
    const cutroom_value *v = job->values;
    const uint64_t moment = kit_hash((uint64_t)v[SEED].n[0], kit_count(job->time * v[RATE].n[0]));
    glitch_look look = {.seed = moment, .amount = v[AMOUNT].n[0], .shift = v[SHIFT].n[0]};
    /* Between the bursts a trace remains. */
    look.amount *= kit_unit(kit_hash(moment, 0)) < v[BURSTS].n[0] ? 0.5 + 0.5 * kit_unit(kit_hash(moment, 1)) : 0.12;
    const double side = kit_unit(kit_hash(moment, 2)) < 0.5 ? -1 : 1;
    look.split = (int)floor(side * look.amount * v[SPLIT].n[0] * (0.4 + 0.6 * kit_unit(kit_hash(moment, 3))) + 0.5);
    look.split = kit_clamp(look.split, 1 - job->width, job->width - 1);
    look.dark = (int)floor(256 * (1 - v[LINES].n[0]) + 0.5);
    /* A line is two pixels high at 1080 rows, and never less than one. */
    const int smaller = job->width < job->height ? job->width : job->height;
    look.line = smaller < 720 ? 1 : (smaller + 270) / 540;
    return look;
}

static cutroom_status render(const kit_job *job) {
    const glitch_look look = look_of(job);
    glitch_breakage breakage;
    glitch_break(&breakage, &look, job->width, job->height);
    return glitch_render(job, &look, &breakage);
}

const kit_effect effect_glitch = {
    .abi = KIT_EFFECT(CUTROOM_CAN_SHARE_INSTANCE, "org.cutroom.glitch", "Glitch",
                      "A bad signal: displaced bands and blocks, wrong colours, red and blue apart, scan lines.", params),
    .render = render,
};
