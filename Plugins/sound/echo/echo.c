/* org.cutroom.echo: the sound again and again, each time softer. */
#include "../sound.h"

enum { DELAY, FEEDBACK, LEVEL };

#define LONGEST 2 /* seconds */

static const cutroom_param params[] = {
    [DELAY] = SOUND_FIXED("delay", "Delay", "s", 0.01, LONGEST, 0.3, "The time from the sound to its first echo."),
    [FEEDBACK] = SOUND_ANIMATED("feedback", "Feedback", "", 0, 0.95, 0.4, "How loud each echo is, as a factor of the one before it."),
    [LEVEL] = SOUND_ANIMATED("level", "Level", "", 0, 1, 0.5, "How loud the first echo is, as a factor of the sound."),
};

typedef struct state {
    float *line[SOUND_CHANNELS]; /* rings of what was heard and its echoes */
    uint32_t length, next, channels, rate;
} state;

static cutroom_status prepare(void *memory, const cutroom_host *host, const cutroom_setup *setup) {
    state *one = memory;
    *one = (state){.length = LONGEST * setup->sample_rate + 1, .channels = setup->channel_count, .rate = setup->sample_rate};
    for (uint32_t c = 0; c < one->channels; c++)
        if (!(one->line[c] = sound_alloc(host, one->length, sizeof(float)))) return CUTROOM_ERROR_MEMORY;
    return CUTROOM_OK;
}

static void dispose(void *memory, const cutroom_host *host) {
    state *one = memory;
    for (uint32_t c = 0; c < SOUND_CHANNELS; c++) host->release(host->context, one->line[c]);
}

static void clear(void *memory) {
    state *one = memory;
    for (uint32_t c = 0; c < one->channels; c++) memset(one->line[c], 0, one->length * sizeof(float));
    one->next = 0;
}

static cutroom_status run(void *memory, const cutroom_call *call) {
    state *one = memory;
    const uint32_t count = call->output->sample_count, delay = (uint32_t)lround(call->values[DELAY].n[0] * one->rate);
    const float feedback = (float)call->values[FEEDBACK].n[0], level = (float)call->values[LEVEL].n[0];
    for (uint32_t c = 0; c < one->channels; c++) {
        const float *in = sound_in(call, c);
        float *out = sound_out(call, c), *line = one->line[c];
        uint32_t to = one->next, from = (one->next + one->length - delay) % one->length;
        for (uint32_t i = 0; i < count; i++) {
            const float heard = in[i], echo = line[from];
            line[to] = heard + feedback * echo;
            out[i] = heard + level * echo;
            if (++to == one->length) to = 0;
            if (++from == one->length) from = 0;
        }
    }
    one->next = (one->next + count) % one->length;
    return CUTROOM_OK;
}

const sound_effect sound_echo = {
    .abi = {SOUND_EFFECT(CUTROOM_STATE_SEQUENTIAL, CUTROOM_CAN_IN_PLACE, "org.cutroom.echo", "Echo",
                         "Repeats the sound after a delay, each time softer. The echo ends with its clip or range.", params)},
    .size = sizeof(state), .prepare = prepare, .dispose = dispose, .clear = clear, .run = run,
};
