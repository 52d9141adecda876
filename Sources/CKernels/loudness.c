/* K-weighting. See ckernels_loudness.h. */
#include "ckernels_loudness.h"

#include <math.h>
#include <portable_math.h>
#include <stdlib.h>

typedef struct section {
    double b[3], a[3];
} section;

struct ck_weighting {
    int channels;
    section shelf, high_pass;
    double *state; /* channels × 2 sections × 2 */
    double *sums;  /* the squares since the last ck_weighting_take, of each channel */
};

static double tangent(double x) { return pm_sin(x) / pm_cos(x); }

/* The analogue filters behind the coefficients that BS.1770-4 lists for 48 kHz, as libebur128 has
 * them, brought to any rate by the bilinear transform. */
static void set_up(ck_weighting *w, int sample_rate) {
    const double pi = 3.14159265358979323846;
    double q = 0.7071752369554196, k = tangent(pi * 1681.974450955533 / sample_rate);
    const double high = pm_pow(10, 3.999843853973347 / 20), band = pm_pow(high, 0.4996667741545416);
    double a0 = 1 + k / q + k * k;
    w->shelf = (section){
        .b = {(high + band * k / q + k * k) / a0, 2 * (k * k - high) / a0, (high - band * k / q + k * k) / a0},
        .a = {1, 2 * (k * k - 1) / a0, (1 - k / q + k * k) / a0},
    };
    q = 0.5003270373238773, k = tangent(pi * 38.13547087602444 / sample_rate);
    a0 = 1 + k / q + k * k;
    w->high_pass = (section){.b = {1, -2, 1}, .a = {1, 2 * (k * k - 1) / a0, (1 - k / q + k * k) / a0}};
}

ck_weighting *ck_weighting_create(int channels, int sample_rate) {
    if (channels < 1 || sample_rate < 1) return NULL;
    ck_weighting *w = calloc(1, sizeof *w);
    if (!w) return NULL;
    w->channels = channels;
    w->state = calloc((size_t)channels * 5, sizeof *w->state);
    if (!w->state) {
        free(w);
        return NULL;
    }
    w->sums = w->state + 4 * (size_t)channels;
    set_up(w, sample_rate);
    return w;
}

void ck_weighting_destroy(ck_weighting *w) {
    if (!w) return;
    free(w->state);
    free(w);
}

/* Transposed direct form II. */
static double filter(const section *s, double *state, double x) {
    const double y = s->b[0] * x + state[0];
    state[0] = s->b[1] * x - s->a[1] * y + state[1];
    state[1] = s->b[2] * x - s->a[2] * y;
    return y;
}

static double weight(int channels, int channel) {
    if (channels != 6) return 1;
    return channel == 3 ? 0 : channel > 3 ? 1.41 : 1;
}

void ck_weighting_run(ck_weighting *w, const float *const *planes, int count) {
    for (int c = 0; c < w->channels; c++) {
        double *const kept = w->state + 4 * c;
        double sum = w->sums[c], state[4] = {kept[0], kept[1], kept[2], kept[3]};
        for (int i = 0; i < count; i++) {
            const double x = isfinite(planes[c][i]) ? (double)planes[c][i] : 0;
            const double y = filter(&w->high_pass, state + 2, filter(&w->shelf, state, x));
            sum += y * y;
        }
        for (int i = 0; i < 4; i++) kept[i] = state[i];
        w->sums[c] = sum;
    }
}

double ck_weighting_take(ck_weighting *w) {
    double total = 0;
    for (int c = 0; c < w->channels; c++) {
        total += weight(w->channels, c) * w->sums[c];
        w->sums[c] = 0;
    }
    /* Numbers too small to be normal cost much time and mean nothing. They are dropped here and not
     * after each run, so that the energies do not depend on how many samples a run has. */
    for (int i = 0; i < 4 * w->channels; i++)
        if (fabs(w->state[i]) < 1e-30) w->state[i] = 0;
    return total;
}
