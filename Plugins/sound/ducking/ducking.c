/*
 * org.cutroom.ducking: music makes room while a voice is heard. The key's level is the mean square
 * of its loudest channel, smoothed with one pole, and the gain follows it with attack, hold and
 * release, as in Zölzer (ed.), DAFX: Digital Audio Effects (2nd edition, 2011), chapter 4, Dynamic
 * Range Control. It is looked at ahead of time, by the attack, and moves in decibels by straight
 * lines: so the music is down when the voice begins, and not only then on its way.
 */
#include "../sound.h"

enum { THRESHOLD, AMOUNT, ATTACK, HOLD, RELEASE };

/* Samples: the longest attack, 200 ms, at 96 kHz. */
#define REACH 19200
/* The time of the mean square, in ms. */
#define SMOOTHING 5.0

static const cutroom_param params[] = {
    [THRESHOLD] = SOUND_ANIMATED("threshold", "Threshold", "dB", -70, 0, -40, "The voice counts as heard above this level (RMS)."),
    [AMOUNT] = SOUND_ANIMATED("amount", "Amount", "dB", 0, 60, 12, "How much softer the music becomes while the voice is heard."),
    [ATTACK] = SOUND_FIXED("attack", "Attack", "ms", 1, 200, 150, "How far ahead of the voice the music starts to drop."),
    [HOLD] = SOUND_ANIMATED("hold", "Hold", "ms", 0, 5000, 400, "How long the music stays soft in the voice's pauses and after the voice ends."),
    [RELEASE] = SOUND_ANIMATED("release", "Release", "ms", 10, 5000, 600, "How long the music takes to return to its level."),
};

typedef struct state {
    const cutroom_host *host;
    double rate, smoothing, square; /* of the key */
    double reduction;               /* dB */
    double depth;                   /* dB: from how far down it rises, whatever `amount` has become since */
    int64_t held;                   /* samples for which it stays down */
    int is_running;
} state;

static cutroom_status prepare(void *memory, const cutroom_host *host, const cutroom_setup *setup) {
    state *one = memory;
    one->host = host;
    one->rate = setup->sample_rate;
    one->smoothing = 1 - pm_exp(-1000 / (SMOOTHING * one->rate));
    return CUTROOM_OK;
}

static void clear(void *memory) {
    state *one = memory;
    one->square = one->reduction = one->depth = 0;
    one->held = 0;
    one->is_running = 0;
}

/* Whether the voice is heard at the key's sample `index`, once each in order. */
static int is_heard(state *one, const cutroom_call *call, uint32_t index, double least) {
    double loudest = 0;
    for (uint32_t c = 0; c < call->output->channel_count; c++) loudest = fmax(loudest, fabs((double)sound_key(call, c)[index]));
    one->square += one->smoothing * (loudest * loudest - one->square);
    return one->square > least;
}

static cutroom_status run(void *memory, const cutroom_call *call) {
    state *one = memory;
    const cutroom_value *v = call->values;
    if (call->input_count < 2) {
        one->host->error(one->host->context, call->handle, "it is given no key; it needs a host of version 1.1 of the interface");
        return CUTROOM_ERROR_UNSUPPORTED;
    }
    const double amount = v[AMOUNT].n[0], least = sound_factor(2 * v[THRESHOLD].n[0]); /* a square */
    const uint32_t ahead = (uint32_t)fmin(REACH, ceil(v[ATTACK].n[0] * one->rate / 1000));
    const double fall = amount / ahead, release = ceil(v[RELEASE].n[0] * one->rate / 1000);
    const int64_t hold = ahead + (int64_t)(v[HOLD].n[0] * one->rate / 1000);
    /* Sound that begins during the voice, or shortly before it, begins with its gain reduced. */
    for (uint32_t i = 0; !one->is_running && i < ahead; i++) {
        if (!is_heard(one, call, i, least)) continue;
        if (one->held == 0) one->reduction = amount - fall * i;
        one->held = hold + 1 - (ahead - i);
    }
    one->is_running = 1;
    for (uint32_t i = 0; i < call->output->sample_count; i++) {
        if (is_heard(one, call, i + ahead, least)) one->held = hold + 1;
        const double wanted = one->held > 0 ? amount : 0;
        if (one->held > 0) one->held--;
        if (one->reduction <= wanted) one->depth = wanted;
        one->reduction = one->reduction < wanted ? fmin(wanted, one->reduction + fall)
                                                 : fmax(wanted, one->reduction - one->depth / release);
        const float factor = (float)sound_factor(-one->reduction);
        for (uint32_t c = 0; c < call->output->channel_count; c++) sound_out(call, c)[i] = sound_in(call, c)[i] * factor;
    }
    return CUTROOM_OK;
}

const sound_effect sound_ducking = {
    .abi = {SOUND_EFFECT(CUTROOM_STATE_SEQUENTIAL, CUTROOM_WANTS_KEY, "org.cutroom.ducking", "Ducking",
                         "Lowers music while a voice, its key, is heard, and just before.", params),
            .reach_after = REACH},
    .size = sizeof(state), .prepare = prepare, .clear = clear, .run = run,
};
