/*
 * org.cutroom.compressor: what is loud becomes softer. Feed-forward, on the logarithm of the
 * loudest channel's peak, with a soft knee and the smooth decoupled detector of Giannoulis,
 * Massberg and Reiss, Digital Dynamic Range Compressor Design (J. Audio Eng. Soc. 60, 2012),
 * equations 4 and 17. All channels get one gain, so that nothing moves between left and right.
 */
#include "../sound.h"

enum { THRESHOLD, RATIO, ATTACK, RELEASE, KNEE, MAKEUP };

static const cutroom_param params[] = {
    [THRESHOLD] = SOUND_ANIMATED("threshold", "Threshold", "dB", -60, 0, -20, "Peaks above this level are lowered."),
    [RATIO] = SOUND_ANIMATED("ratio", "Ratio", "", 1, 20, 4, "Input dB above the threshold per output dB."),
    [ATTACK] = SOUND_ANIMATED("attack", "Attack", "ms", 0.1, 200, 10, "Time constant of the reduction when the sound becomes loud."),
    [RELEASE] = SOUND_ANIMATED("release", "Release", "ms", 10, 2000, 150, "Time constant of the return when the sound becomes soft."),
    [KNEE] = SOUND_ANIMATED("knee", "Knee", "dB", 0, 24, 6, "Width of the range around the threshold in which the ratio sets in gradually."),
    [MAKEUP] = SOUND_ANIMATED("makeup", "Makeup", "dB", 0, 24, 0, "How much louder the result becomes."),
};

typedef struct state {
    double rate, peak, reduction; /* the detector's two stages, in dB */
} state;

static cutroom_status prepare(void *memory, const cutroom_host *host, const cutroom_setup *setup) {
    (void)host;
    ((state *)memory)->rate = setup->sample_rate;
    return CUTROOM_OK;
}

static void clear(void *memory) {
    state *one = memory;
    one->peak = one->reduction = 0;
}

static cutroom_status run(void *memory, const cutroom_call *call) {
    state *one = memory;
    const cutroom_value *v = call->values;
    const double threshold = v[THRESHOLD].n[0], slope = 1 - 1 / v[RATIO].n[0], knee = v[KNEE].n[0];
    const double attack = pm_exp(-1000 / (v[ATTACK].n[0] * one->rate));
    const double release = pm_exp(-1000 / (v[RELEASE].n[0] * one->rate));
    const uint32_t channels = call->output->channel_count;
    for (uint32_t i = 0; i < call->output->sample_count; i++) {
        double loudest = 1e-6; /* −120 dB */
        for (uint32_t c = 0; c < channels; c++) loudest = fmax(loudest, fabs((double)sound_in(call, c)[i]));
        const double over = 20 * pm_log10(loudest) - threshold;
        double wanted = 0; /* dB to take away */
        if (2 * over >= knee) wanted = slope * over;
        else if (2 * over > -knee) wanted = slope * (over + knee / 2) * (over + knee / 2) / (2 * knee);
        one->peak = fmax(wanted, release * one->peak + (1 - release) * wanted);
        one->reduction = attack * one->reduction + (1 - attack) * one->peak;
        const float factor = (float)sound_factor(v[MAKEUP].n[0] - one->reduction);
        for (uint32_t c = 0; c < channels; c++) sound_out(call, c)[i] = sound_in(call, c)[i] * factor;
    }
    return CUTROOM_OK;
}

const sound_effect sound_compressor = {
    .abi = {SOUND_EFFECT(CUTROOM_STATE_SEQUENTIAL, CUTROOM_CAN_IN_PLACE, "org.cutroom.compressor", "Compressor",
                         "Lowers loud parts, so that soft and loud parts are more alike.", params)},
    .size = sizeof(state), .prepare = prepare, .clear = clear, .run = run,
};
