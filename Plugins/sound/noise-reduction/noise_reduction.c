/*
 * org.cutroom.noise_reduction: takes a steady noise away, band by band. Short-time Fourier
 * transforms of 2048 samples (at 48 kHz) a quarter apart under the square root of a Hann window,
 * before and after; in each bin the noise is tracked as the lowest power of late (Doblinger,
 * Computationally efficient speech enhancement by spectral minima tracking in subbands, Eurospeech
 * 1995), and what is not far above it is lowered. Nothing above `threshold` is taken for noise, so
 * that held tones stay.
 *
 * The window is what the effect sees ahead (`reach_after`), so its sound is not late.
 */
#include "../sound.h"

enum { AMOUNT, THRESHOLD };

static const cutroom_param params[] = {
    [AMOUNT] = SOUND_ANIMATED("amount", "Amount", "dB", 0, 40, 18, "The greatest reduction of the noise."),
    [THRESHOLD] = SOUND_ANIMATED("threshold", "Threshold", "dB", -90, -10, -35,
                                 "Steady sound above this level does not count as noise."),
};

enum { SIZE = 2048, HOP = SIZE / 4, BINS = SIZE / 2 + 1 };

/* What is taken for noise, as a multiple of the lowest power. */
#define OVER 24

typedef struct channel {
    float input[SIZE];      /* the last samples */
    double sum[SIZE];       /* overlapping results of the last transform's samples */
    double finished[HOP];
    double power[BINS];     /* smoothed over some 50 ms */
    double noise[BINS];
    double gain[BINS];
} channel;

typedef struct state {
    channel *channels;
    uint32_t count, rate;
    uint32_t ahead; /* samples that were taken in before they are due */
    uint32_t skip;  /* finished samples that lie before the sound */
    uint32_t ready; /* at the end of `finished` */
    int started;
    double window[SIZE], cosine[SIZE / 2], sine[SIZE / 2], re[SIZE], im[SIZE];
} state;

static void clear(void *memory) {
    state *one = memory;
    memset(one->channels, 0, one->count * sizeof *one->channels);
    for (uint32_t c = 0; c < one->count; c++)
        for (int k = 0; k < BINS; k++) one->channels[c].gain[k] = 1;
    one->ahead = one->ready = 0;
    one->skip = SIZE - HOP;
    one->started = 0;
}

static cutroom_status prepare(void *memory, const cutroom_host *host, const cutroom_setup *setup) {
    state *one = memory;
    one->count = setup->channel_count;
    one->rate = setup->sample_rate;
    one->channels = sound_alloc(host, one->count, sizeof *one->channels);
    if (!one->channels) return CUTROOM_ERROR_MEMORY;
    for (int i = 0; i < SIZE; i++) one->window[i] = pm_sin(3.141592653589793 * (i + 0.5) / SIZE);
    for (int i = 0; i < SIZE / 2; i++) {
        one->cosine[i] = pm_cos(6.283185307179586 * i / SIZE);
        one->sine[i] = pm_sin(6.283185307179586 * i / SIZE);
    }
    clear(one);
    return CUTROOM_OK;
}

static void dispose(void *memory, const cutroom_host *host) { host->release(host->context, ((state *)memory)->channels); }

/* Radix 2, in place (Cooley and Tukey 1965); its own inverse but for the order of the result and a
 * factor of SIZE. */
static void transform(const state *one, double *re, double *im) {
    for (int i = 1, j = 0; i < SIZE; i++) {
        int bit = SIZE / 2;
        for (; j & bit; bit /= 2) j ^= bit;
        j ^= bit;
        if (i >= j) continue;
        const double r = re[i], s = im[i];
        re[i] = re[j], im[i] = im[j], re[j] = r, im[j] = s;
    }
    for (int length = 2; length <= SIZE; length *= 2)
        for (int begin = 0; begin < SIZE; begin += length)
            for (int k = 0; k < length / 2; k++) {
                const double c = one->cosine[k * (SIZE / length)], s = -one->sine[k * (SIZE / length)];
                const int a = begin + k, b = a + length / 2;
                const double r = re[b] * c - im[b] * s, t = re[b] * s + im[b] * c;
                re[b] = re[a] - r, im[b] = im[a] - t;
                re[a] += r, im[a] += t;
            }
}

/* The mean power in a bin of white noise at full scale (0 dB): the window's squares sum to SIZE /
 * 2. */
static const double full_scale = SIZE / 2.0;

static void reduce(state *one, channel *now, const cutroom_value *v) {
    const double seconds = (double)HOP / one->rate;
    const double smooth = pm_exp(-seconds / 0.05), fast = pm_exp(-seconds / 0.02), slow = pm_exp(-seconds / 0.12);
    const double rise = pm_pow(10, 0.3 * seconds); /* 3 dB in a second */
    const double floor = sound_factor(-v[AMOUNT].n[0]);
    /* Noise that has this level in all has this power in each bin. */
    const double most = full_scale * pm_pow(10, v[THRESHOLD].n[0] / 10);
    double powers[BINS];
    for (int k = 0; k < BINS; k++) powers[k] = one->re[k] * one->re[k] + one->im[k] * one->im[k];
    for (int k = 0; k < BINS; k++) {
        /* With two neighbours at each side: single bins of noise leap too much. */
        double power = 0;
        for (int i = k - 2; i <= k + 2; i++) power += powers[i < 0 ? -i : i < BINS ? i : 2 * (BINS - 1) - i] / 5;
        now->power[k] = one->started ? smooth * now->power[k] + (1 - smooth) * power : power;
        const double grown = one->started ? now->noise[k] * rise : most;
        now->noise[k] = fmin(most, fmin(grown, now->power[k]));
        /* The lowest lies well below the mean, and noise leaps above its mean: it hardly ever
         * reaches this. */
        const double noise = OVER * now->noise[k], level = fmax(power, now->power[k]);
        const double wanted = level > noise ? fmax(floor, sqrt(1 - noise / level)) : floor;
        const double keep = wanted > now->gain[k] ? fast : slow;
        now->gain[k] = keep * now->gain[k] + (1 - keep) * wanted;
        one->re[k] *= now->gain[k];
        one->im[k] *= now->gain[k];
    }
}

/* A transform of the last SIZE samples, whose first HOP are finished by it. */
static void hop(state *one, channel *now, const cutroom_value *v) {
    for (int i = 0; i < SIZE; i++) one->re[i] = now->input[i] * one->window[i], one->im[i] = 0;
    transform(one, one->re, one->im);
    reduce(one, now, v);
    for (int k = 1; k < SIZE / 2; k++) one->re[SIZE - k] = one->re[k], one->im[SIZE - k] = -one->im[k];
    transform(one, one->re, one->im);
    /* Squares of the window, a quarter apart, sum to 2. The second transform went the same way: it
     * is backwards in time. */
    for (int i = 0; i < SIZE; i++) now->sum[i] += one->re[(SIZE - i) % SIZE] / SIZE * one->window[i] / 2;
    memcpy(now->finished, now->sum, sizeof now->finished);
    memmove(now->sum, now->sum + HOP, (SIZE - HOP) * sizeof *now->sum);
    memset(now->sum + SIZE - HOP, 0, HOP * sizeof *now->sum);
}

/*
 * Transform j is over the HOP samples from j · HOP on and those before them, and finishes the HOP
 * samples at its beginning. So sample n needs input before n + SIZE, and the first transforms
 * finish what lies before the sound.
 */
static cutroom_status run(void *memory, const cutroom_call *call) {
    state *one = memory;
    const uint32_t count = call->output->sample_count;
    for (uint32_t done = 0; done < count;) {
        if (one->ready == 0) {
            for (uint32_t c = 0; c < one->count; c++) {
                channel *now = &one->channels[c];
                memmove(now->input, now->input + HOP, (SIZE - HOP) * sizeof *now->input);
                memcpy(now->input + SIZE - HOP, sound_in(call, c) + one->ahead, HOP * sizeof *now->input);
                hop(one, now, call->values);
            }
            one->ahead += HOP;
            one->started = 1;
            if (one->skip > 0) one->skip -= HOP;
            else one->ready = HOP;
        }
        const uint32_t part = one->ready < count - done ? one->ready : count - done;
        for (uint32_t c = 0; c < one->count; c++)
            for (uint32_t i = 0; i < part; i++) sound_out(call, c)[done + i] = (float)one->channels[c].finished[HOP - one->ready + i];
        one->ready -= part;
        done += part;
    }
    one->ahead -= count;
    return CUTROOM_OK;
}

const sound_effect sound_noise_reduction = {
    .abi = {SOUND_EFFECT(CUTROOM_STATE_SEQUENTIAL, 0, "org.cutroom.noise_reduction", "Noise reduction",
                         "Lowers steady noise, such as hiss and hum, under everything else.", params), .reach_after = SIZE},
    .size = sizeof(state), .prepare = prepare, .dispose = dispose, .clear = clear, .run = run,
};
