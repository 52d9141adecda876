/* A look-ahead limiter for true peaks. See ckernels_limiter.h. */
#include "ckernels_limiter.h"

#include <math.h>
#include <portable_math.h>
#include <stdlib.h>
#include <string.h>

enum { TAPS = 12 };

/* ITU-R BS.1770-4, annex 2: interpolation by four, 12 taps a phase. Phases 3 and 4 mirror 2 and 1.
 */
static const float phase_1[TAPS] = {0.0017089843750f, 0.0109863281250f, -0.0196533203125f, 0.0332031250000f,
                                    -0.0594482421875f, 0.1373291015625f, 0.9721679687500f, -0.1022949218750f,
                                    0.0476074218750f, -0.0266113281250f, 0.0148925781250f, -0.0083007812500f};
static const float phase_2[TAPS] = {-0.0291748046875f, 0.0292968750000f, -0.0517578125000f, 0.0891113281250f,
                                    -0.1665039062500f, 0.4650878906250f, 0.7797851562500f, -0.2003173828125f,
                                    0.1015625000000f, -0.0582275390625f, 0.0330810546875f, -0.0189208984375f};

/* Gains are kept as integers so that the moving average's running sum is exact: unity stays unity
 * for ever. */
#define UNITY ((int64_t)1 << 30)

struct ck_limiter {
    int channels;
    int delay;   /* samples from input to output */
    int average; /* length of the moving average */
    int hold;    /* how long a needed gain is held: delay + TAPS */
    double release;
    int position; /* counts samples modulo hold */
    int loud;     /* samples left until no interpolated value can pass full scale */
    int active;   /* needed gains below one within `hold` */
    float *lines; /* channels × delay */
    float *taps;  /* channels × TAPS, oldest first */
    float *need;  /* hold */
    int64_t *gains; /* average */
    int64_t sum;
    int line_at, gain_at;
    double current;
};

ck_limiter *ck_limiter_create(int channels, int sample_rate) {
    if (channels < 1 || sample_rate < 1) return NULL;
    ck_limiter *l = calloc(1, sizeof *l);
    if (!l) return NULL;
    l->channels = channels;
    /* 5 ms: too short to be heard as a change of level, long enough not to distort. */
    l->average = sample_rate / 200 > 16 ? sample_rate / 200 : 16;
    /* A peak is seen up to TAPS samples late; the average must have arrived when it leaves the
     * delay line. */
    l->delay = l->average + TAPS;
    l->hold = l->delay + TAPS;
    /* Back to full gain by 63 % in 80 ms. */
    l->release = 1 - pm_exp(-1 / (0.08 * sample_rate));
    l->lines = calloc((size_t)channels * l->delay, sizeof *l->lines);
    l->taps = calloc((size_t)channels * TAPS, sizeof *l->taps);
    l->need = malloc(l->hold * sizeof *l->need);
    l->gains = malloc(l->average * sizeof *l->gains);
    if (!l->lines || !l->taps || !l->need || !l->gains) {
        ck_limiter_destroy(l);
        return NULL;
    }
    for (int i = 0; i < l->hold; i++) l->need[i] = 1;
    for (int i = 0; i < l->average; i++) l->gains[i] = UNITY;
    l->sum = UNITY * l->average;
    l->current = 1;
    return l;
}

void ck_limiter_destroy(ck_limiter *l) {
    if (!l) return;
    free(l->lines);
    free(l->taps);
    free(l->need);
    free(l->gains);
    free(l);
}

int ck_limiter_delay(const ck_limiter *l) { return l->delay; }

static float true_peak(const float *t) {
    float a = 0, b = 0, c = 0, d = 0;
    for (int i = 0; i < TAPS; i++) {
        a += phase_1[i] * t[i];
        b += phase_2[i] * t[i];
        c += phase_2[TAPS - 1 - i] * t[i];
        d += phase_1[TAPS - 1 - i] * t[i];
    }
    return fmaxf(fmaxf(fabsf(a), fabsf(b)), fmaxf(fabsf(c), fabsf(d)));
}

/* The gain that the sample leaving the delay line gets, given what the newest sample needs. */
static int64_t advance(ck_limiter *l, float need) {
    l->active += (need < 1) - (l->need[l->position] < 1);
    l->need[l->position] = need;
    l->position = l->position + 1 == l->hold ? 0 : l->position + 1;
    float lowest = 1;
    if (l->active)
        for (int i = 0; i < l->hold; i++) lowest = l->need[i] < lowest ? l->need[i] : lowest;
    if (lowest < l->current) {
        l->current = lowest;
    } else if (l->current < 1) {
        l->current += (1 - l->current) * l->release;
        if (l->current > lowest) l->current = lowest;
        if (l->current > 0.99999) l->current = 1;
    }
    int64_t gain = (int64_t)floor(l->current * UNITY);
    l->sum += gain - l->gains[l->gain_at];
    l->gains[l->gain_at] = gain;
    l->gain_at = l->gain_at + 1 == l->average ? 0 : l->gain_at + 1;
    return l->sum / l->average;
}

void ck_limiter_process(ck_limiter *l, float *const *planes, int count) {
    for (int i = 0; i < count; i++) {
        float peak = 0;
        for (int c = 0; c < l->channels; c++) {
            float *t = l->taps + c * TAPS, x = planes[c][i];
            /* A sample that is not a number would never leave the filter again. */
            if (!isfinite(x)) planes[c][i] = x = 0;
            memmove(t, t + 1, (TAPS - 1) * sizeof *t);
            t[TAPS - 1] = x;
            /* The filter's magnitudes add up to less than 2.1: quieter samples cannot make a peak
             * between them. */
            if (fabsf(x) > 0.47f) l->loud = TAPS;
            peak = fmaxf(peak, fabsf(x));
        }
        if (l->loud > 0) {
            for (int c = 0; c < l->channels; c++) peak = fmaxf(peak, true_peak(l->taps + c * TAPS));
            l->loud--;
        }
        int64_t gain = advance(l, peak > 1 ? 1 / peak : 1);
        for (int c = 0; c < l->channels; c++) {
            float *slot = l->lines + (size_t)c * l->delay + l->line_at;
            float out = *slot;
            *slot = planes[c][i];
            planes[c][i] = gain == UNITY ? out : (float)(out * ((double)gain / UNITY));
        }
        l->line_at = l->line_at + 1 == l->delay ? 0 : l->line_at + 1;
    }
}
