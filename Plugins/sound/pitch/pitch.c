/*
 * org.cutroom.pitch: higher or lower at the same length. Overlapping grains of 40 ms (at 48 kHz),
 * each read at the ratio of the pitches around its own place in the sound, shifted by up to 10 ms
 * so that it fits the grain before it (WSOLA, Verhelst and Roelands, ICASSP 1993, with resampled
 * grains). As every grain is read around its own place, nothing drifts.
 *
 * A transient keeps its place to the sample: the grains that play one are read around it, and no
 * other grain may contain it.
 */
#include "../sound.h"

#define PI 3.141592653589793

static const cutroom_param params[] = {
    SOUND_PARAM(CUTROOM_PARAM_SETUP_ONLY, "semitones", "Semitones", "", -12, 12, 4, "How much higher the sound becomes; an octave is 12."),
};

enum {
    HOP = 960,     /* half a grain's length, and the distance of two grains in the output */
    SEARCH = 480,  /* how far a grain may be shifted to fit */
    BLOCK = 48,    /* of the transient finder: 1 ms */
    RING = 144,    /* how long a transient rings: 3 ms */
    HALF = 16,     /* samples to each side that interpolation reads */
    PHASES = 512,  /* between two samples, of which interpolation takes the nearest two */
    REACH = 4096,  /* above 4 HOP + HALF + BLOCK: a grain an octave up, read around a transient at its edge, a hop ahead */
    SPAN = 8192,   /* of the rings: a power of two, above REACH and what lies as far back */
    KNOWN = 8,     /* transients */
};

typedef struct state {
    double ratio;
    uint32_t channels;
    float *input[SOUND_CHANNELS + 1]; /* rings by sample number; the last one is the sum of all */
    float *sum[SOUND_CHANNELS];       /* 2 HOP samples from the last grain's beginning on */
    int64_t fed, middle;              /* samples taken in; the middle of the next grain */
    uint32_t ahead, ready;            /* samples taken in before they are due; finished ones at the end of sum's first half */
    double last;                      /* the place in the input where the last grain's middle is read */
    double quiet;                     /* the level before */
    int64_t transients[KNOWN];        /* the latest last */
    float kernel[PHASES + 1][2 * HALF];
} state;

static void clear(void *memory) {
    state *one = memory;
    for (uint32_t c = 0; c <= one->channels; c++) memset(one->input[c == one->channels ? SOUND_CHANNELS : c], 0, SPAN * sizeof(float));
    for (uint32_t c = 0; c < one->channels; c++) memset(one->sum[c], 0, 2 * HOP * sizeof(float));
    one->fed = one->middle = 0;
    one->ahead = one->ready = 0;
    one->last = one->quiet = 0;
    for (int i = 0; i < KNOWN; i++) one->transients[i] = INT64_MIN / 2;
}

static cutroom_status prepare(void *memory, const cutroom_host *host, const cutroom_setup *setup) {
    state *one = memory;
    one->channels = setup->channel_count;
    one->ratio = pm_pow(2, setup->values[0].n[0] / 12);
    for (uint32_t c = 0; c < one->channels; c++) {
        one->input[c] = sound_alloc(host, SPAN, sizeof(float));
        one->sum[c] = sound_alloc(host, 2 * HOP, sizeof(float));
        if (!one->input[c] || !one->sum[c]) return CUTROOM_ERROR_MEMORY;
    }
    if (!(one->input[SOUND_CHANNELS] = sound_alloc(host, SPAN, sizeof(float)))) return CUTROOM_ERROR_MEMORY;
    /* A sinc under a Hann window, cut off where the higher pitch would fold over. */
    const double cutoff = one->ratio > 1 ? 0.95 / one->ratio : 0.95;
    for (int phase = 0; phase <= PHASES; phase++) {
        double total = 0;
        for (int i = 0; i < 2 * HALF; i++) {
            const double t = i - HALF + 1 - (double)phase / PHASES, x = PI * cutoff * t;
            const double h = fabs(t) >= HALF ? 0 : (fabs(x) < 1e-9 ? 1 : pm_sin(x) / x) * (1 + pm_cos(PI * t / HALF));
            one->kernel[phase][i] = (float)h;
            total += h;
        }
        for (int i = 0; i < 2 * HALF; i++) one->kernel[phase][i] = (float)(one->kernel[phase][i] / total);
    }
    clear(one);
    return CUTROOM_OK;
}

static void dispose(void *memory, const cutroom_host *host) {
    state *one = memory;
    for (uint32_t c = 0; c <= SOUND_CHANNELS; c++) host->release(host->context, one->input[c]);
    for (uint32_t c = 0; c < SOUND_CHANNELS; c++) host->release(host->context, one->sum[c]);
}

static inline float at(const float *ring, int64_t sample) { return ring[sample & (SPAN - 1)]; }

/* A block that is 12 dB above what was before it, and above −54 dB, begins a transient at its
 * loudest sample. */
static void find_transient(state *one) {
    const float *mono = one->input[SOUND_CHANNELS];
    const int64_t begin = one->fed - BLOCK;
    double energy = 0;
    int64_t loudest = begin;
    for (int64_t i = begin; i < one->fed; i++) {
        energy += at(mono, i) * at(mono, i);
        if (fabsf(at(mono, i)) > fabsf(at(mono, loudest))) loudest = i;
    }
    energy /= BLOCK;
    if (energy > 16 * one->quiet && energy > 4e-6 * one->channels && loudest - one->transients[KNOWN - 1] > HOP) {
        memmove(one->transients, one->transients + 1, (KNOWN - 1) * sizeof *one->transients);
        one->transients[KNOWN - 1] = loudest;
    }
    one->quiet = 0.85 * one->quiet + 0.15 * energy;
}

/* Takes samples in up to sample `wanted`, a block at a time. */
static void feed(state *one, const cutroom_call *call, int64_t wanted) {
    while (one->fed < wanted) {
        for (int i = 0; i < BLOCK; i++, one->fed++, one->ahead++) {
            float mono = 0;
            for (uint32_t c = 0; c < one->channels; c++)
                mono += one->input[c][one->fed & (SPAN - 1)] = sound_in(call, c)[one->ahead];
            one->input[SOUND_CHANNELS][one->fed & (SPAN - 1)] = mono;
        }
        find_transient(one);
    }
}

/* Returns how well a grain that starts at `to` continues the last one, which is at `from`: a
 * correlation, −1 … 1. */
static double fit(const state *one, int64_t from, int64_t to, int count, int step) {
    const float *mono = one->input[SOUND_CHANNELS];
    double product = 0, a = 1e-9, b = 1e-9;
    for (int i = 0; i < count; i += step) {
        const double x = at(mono, from + i), y = at(mono, to + i);
        product += x * y, a += x * x, b += y * y;
    }
    return product / sqrt(a * b);
}

/* Where in the input the grain around output sample `middle` has its middle. */
static double place(const state *one) {
    const double middle = (double)one->middle, width = HOP * one->ratio;
    double low = middle - SEARCH, high = middle + SEARCH;
    for (int i = KNOWN - 1; i >= 0; i--) {
        const double distance = (double)one->transients[i] - middle;
        if (fabs(distance) < HOP) return middle + distance * (1 - one->ratio);
        if (distance > 0 && distance < 2 * HOP + SEARCH) high = fmin(high, middle + distance - width - BLOCK);
        if (distance < 0 && distance > -2 * HOP - SEARCH) low = fmax(low, middle + distance + width + RING);
    }
    /* Farther than it would be for a fit; between two transients that leave no room it lies in
     * their middle. */
    if (low > high) return high == middle + SEARCH ? low : low == middle - SEARCH ? high : (low + high) / 2;
    if (one->middle == 0) return middle;
    const int64_t from = llround(one->last);
    const int64_t first = llround(low - width), last = llround(high - width);
    int64_t best = first;
    double most = -2;
    for (int64_t to = first; to <= last; to += 2) {
        /* The nearest of the places that fit alike: at an end of the search what fits may lie just
         * beyond it. */
        const double shift = ((double)to + width - middle) / SEARCH;
        const double score = fit(one, from, to, (int)width, 4) - 0.05 * shift * shift;
        if (score > most) most = score, best = to;
    }
    const int64_t coarse = best;
    most = fit(one, from, coarse, (int)width, 2);
    for (int64_t to = coarse - 2; to <= coarse + 2; to++) {
        if (to < first || to > last) continue;
        const double score = fit(one, from, to, (int)width, 2);
        if (score > most) most = score, best = to;
    }
    /* The top of a parabola through the best and its neighbours: what is left over would add up to
     * another frequency. */
    const double left = fit(one, from, best - 1, (int)width, 1), right = fit(one, from, best + 1, (int)width, 1);
    const double curve = left + right - 2 * fit(one, from, best, (int)width, 1);
    const double part = curve < 0 ? fmax(-0.5, fmin(0.5, (left - right) / (2 * curve))) : 0;
    /* The fraction is the last grain's own, so that the two lie in phase. */
    return (double)best + part + (one->last - (double)from) + width;
}

/* Adds the grain around `middle`, whose beginning is the sum's. */
static void add_grain(state *one) {
    const double from = place(one) - HOP * one->ratio;
    one->last = from + HOP * one->ratio;
    for (int n = 1; n < 2 * HOP; n++) {
        const double position = from + n * one->ratio, whole = floor(position), part = (position - whole) * PHASES;
        const int phase = (int)part;
        const float weight = (float)(part - phase), window = (float)(0.5 - 0.5 * pm_cos(PI * n / HOP));
        const int64_t first = (int64_t)whole - HALF + 1;
        for (uint32_t c = 0; c < one->channels; c++) {
            float low = 0, high = 0;
            for (int i = 0; i < 2 * HALF; i++) {
                const float sample = at(one->input[c], first + i);
                low += sample * one->kernel[phase][i];
                high += sample * one->kernel[phase + 1 > PHASES ? PHASES : phase + 1][i];
            }
            one->sum[c][n] += window * (low + weight * (high - low));
        }
    }
}

static cutroom_status run(void *memory, const cutroom_call *call) {
    state *one = memory;
    const uint32_t count = call->output->sample_count;
    if (one->ratio == 1) return CUTROOM_PASS;
    for (uint32_t done = 0; done < count;) {
        if (one->ready == 0) {
            /* A grain finishes the half before its middle; the first one finishes what lies before
             * the sound. */
            do {
                for (uint32_t c = 0; c < one->channels; c++) {
                    memmove(one->sum[c], one->sum[c] + HOP, HOP * sizeof(float));
                    memset(one->sum[c] + HOP, 0, HOP * sizeof(float));
                }
                feed(one, call, one->middle + REACH - HOP - BLOCK);
                add_grain(one);
                one->middle += HOP;
            } while (one->middle <= HOP);
            one->ready = HOP;
        }
        const uint32_t part = one->ready < count - done ? one->ready : count - done;
        for (uint32_t c = 0; c < one->channels; c++)
            memcpy(sound_out(call, c) + done, one->sum[c] + HOP - one->ready, part * sizeof(float));
        one->ready -= part;
        done += part;
    }
    one->ahead -= count;
    return CUTROOM_OK;
}

const sound_effect sound_pitch = {
    .abi = {SOUND_EFFECT(CUTROOM_STATE_SEQUENTIAL, 0, "org.cutroom.pitch", "Pitch",
                         "Makes sound higher or lower at the same length; beats stay where they are.", params), .reach_after = REACH},
    .size = sizeof(state), .prepare = prepare, .dispose = dispose, .clear = clear, .run = run,
};
