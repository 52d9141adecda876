/* org.cutroom.gain: louder or softer, in decibels. */
#include "../sound.h"

static const cutroom_param params[] = {
    SOUND_ANIMATED("gain", "Gain", "dB", -60, 24, 0, "How much louder the sound becomes; 6 dB is about twice the amplitude."),
};

static cutroom_status run(void *state, const cutroom_call *call) {
    (void)state;
    if (call->values[0].n[0] == 0) return CUTROOM_PASS;
    const float factor = (float)sound_factor(call->values[0].n[0]);
    for (uint32_t c = 0; c < call->output->channel_count; c++) {
        const float *in = sound_in(call, c);
        float *out = sound_out(call, c);
        for (uint32_t i = 0; i < call->output->sample_count; i++) out[i] = in[i] * factor;
    }
    return CUTROOM_OK;
}

const sound_effect sound_gain = {
    .abi = {SOUND_EFFECT(CUTROOM_STATE_PURE, CUTROOM_CAN_IN_PLACE, "org.cutroom.gain", "Gain", "Makes sound louder or softer.", params)},
    .run = run,
};
