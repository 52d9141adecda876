/*
 * org.cutroom.equalizer: five second-order filters one after another, after Robert Bristow-Johnson,
 * Cookbook formulae for audio EQ biquad filter coefficients (W3C Note, 2021). A band at 0 dB, and a
 * cut that is off, leave every sample as it is.
 */
#include "../sound.h"

enum { LOW_CUT, LOW_GAIN, LOW_FREQUENCY, MID_GAIN, MID_FREQUENCY, MID_Q, HIGH_GAIN, HIGH_FREQUENCY, HIGH_CUT };

static const cutroom_param params[] = {
    [LOW_CUT] = SOUND_ANIMATED("low_cut", "Low cut", "Hz", 0, 2000, 0,
                               "Below this frequency the sound falls off by 12 dB an octave. 0: no cut."),
    [LOW_GAIN] = SOUND_ANIMATED("low_gain", "Low gain", "dB", -24, 24, 0, "Gain of the low shelf."),
    [LOW_FREQUENCY] = SOUND_ANIMATED("low_frequency", "Low frequency", "Hz", 20, 2000, 120, "Corner frequency of the low shelf."),
    [MID_GAIN] = SOUND_ANIMATED("mid_gain", "Mid gain", "dB", -24, 24, 0, "Gain of the peak."),
    [MID_FREQUENCY] = SOUND_ANIMATED("mid_frequency", "Mid frequency", "Hz", 20, 20000, 1000, "Center frequency of the peak."),
    [MID_Q] = SOUND_ANIMATED("mid_q", "Mid Q", "", 0.1, 20, 1, "Q of the peak: its center frequency divided by its width. A higher Q is narrower."),
    [HIGH_GAIN] = SOUND_ANIMATED("high_gain", "High gain", "dB", -24, 24, 0, "Gain of the high shelf."),
    [HIGH_FREQUENCY] = SOUND_ANIMATED("high_frequency", "High frequency", "Hz", 200, 20000, 6000, "Corner frequency of the high shelf."),
    [HIGH_CUT] = SOUND_ANIMATED("high_cut", "High cut", "Hz", 0, 20000, 0,
                                "Above this frequency the sound falls off by 12 dB an octave. 0: no cut."),
};

enum { BANDS = 5 };

typedef struct filter {
    double b0, b1, b2, a1, a2;
} filter;

typedef struct state {
    double rate, memory[SOUND_CHANNELS][BANDS][2];
} state;

static cutroom_status prepare(void *memory, const cutroom_host *host, const cutroom_setup *setup) {
    (void)host;
    ((state *)memory)->rate = setup->sample_rate;
    return CUTROOM_OK;
}

static void clear(void *memory) { memset(((state *)memory)->memory, 0, sizeof((state *)memory)->memory); }

static filter normal(double b0, double b1, double b2, double a0, double a1, double a2) {
    return (filter){b0 / a0, b1 / a0, b2 / a0, a1 / a0, a2 / a0};
}

/* The angle of a frequency, which stays a little below half the rate. */
static double angle(double frequency, double rate) { return 6.283185307179586 * fmin(frequency, 0.49 * rate) / rate; }

/* `side` is 1 for a low shelf, −1 for a high one; its slope is 1. */
static filter shelf(double frequency, double gain, double rate, int side) {
    const double w = angle(frequency, rate), A = pm_pow(10, gain / 40), c = side * pm_cos(w), root = sqrt(2 * A) * pm_sin(w);
    return normal(A * (A + 1 - (A - 1) * c + root), side * 2 * A * (A - 1 - (A + 1) * c), A * (A + 1 - (A - 1) * c - root),
                  A + 1 + (A - 1) * c + root, side * -2 * (A - 1 + (A + 1) * c), A + 1 + (A - 1) * c - root);
}

static filter peak(double frequency, double gain, double q, double rate) {
    const double w = angle(frequency, rate), A = pm_pow(10, gain / 40), alpha = pm_sin(w) / (2 * q);
    return normal(1 + alpha * A, -2 * pm_cos(w), 1 - alpha * A, 1 + alpha / A, -2 * pm_cos(w), 1 - alpha / A);
}

/* `side` is 1 for what passes below the frequency, −1 for what passes above it; a Butterworth
 * filter. */
static filter cut(double frequency, double rate, int side) {
    if (frequency <= 0) return (filter){1, 0, 0, 0, 0};
    const double w = angle(frequency, rate), c = pm_cos(w), alpha = pm_sin(w) * 0.7071067811865476, b = 1 - side * c;
    return normal(b / 2, side * b, b / 2, 1 + alpha, -2 * c, 1 - alpha);
}

static cutroom_status run(void *memory, const cutroom_call *call) {
    state *one = memory;
    const cutroom_value *v = call->values;
    const filter bands[BANDS] = {
        cut(v[LOW_CUT].n[0], one->rate, -1), shelf(v[LOW_FREQUENCY].n[0], v[LOW_GAIN].n[0], one->rate, 1),
        peak(v[MID_FREQUENCY].n[0], v[MID_GAIN].n[0], v[MID_Q].n[0], one->rate),
        shelf(v[HIGH_FREQUENCY].n[0], v[HIGH_GAIN].n[0], one->rate, -1), cut(v[HIGH_CUT].n[0], one->rate, 1)};
    for (uint32_t c = 0; c < call->output->channel_count; c++) {
        const float *in = sound_in(call, c);
        float *out = sound_out(call, c);
        for (uint32_t i = 0; i < call->output->sample_count; i++) {
            double x = in[i];
            for (int band = 0; band < BANDS; band++) {
                /* Transposed direct form II, which stands changes of its coefficients. */
                const filter *f = &bands[band];
                double *z = one->memory[c][band];
                const double y = f->b0 * x + z[0];
                z[0] = f->b1 * x - f->a1 * y + z[1];
                z[1] = f->b2 * x - f->a2 * y;
                x = y;
            }
            out[i] = (float)x;
        }
    }
    return CUTROOM_OK;
}

const sound_effect sound_equalizer = {
    .abi = {SOUND_EFFECT(CUTROOM_STATE_SEQUENTIAL, CUTROOM_CAN_IN_PLACE, "org.cutroom.equalizer", "Equaliser",
                         "Makes low, middle and high tones louder or softer, and cuts off the lowest and the highest.", params)},
    .size = sizeof(state), .prepare = prepare, .clear = clear, .run = run,
};
