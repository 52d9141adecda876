/* The weights of Lanczos' filter with three lobes (C. E. Duchon, "Lanczos Filtering in One and Two
 * Dimensions", Journal of Applied Meteorology 18, 1979), stretched by the ratio where a picture
 * becomes smaller. */
#include "filter.h"

#include <math.h>
#include <stdlib.h>

#pragma STDC FP_CONTRACT OFF

/* sin(π x) by its series, which is good to 10⁻¹¹ for |x| ≤ 1/2: the C library's own differs from
 * one machine to another. */
static double sin_pi(double x) {
    const double whole = rint(x), t = (x - whole) * 3.14159265358979323846, t2 = t * t;
    double sum = 0;
    for (int n = 17; n >= 3; n -= 2) sum = (1 + sum) * -t2 / (n * (n - 1));
    const double sine = t * (1 + sum);
    return fmod(whole, 2) == 0 ? sine : -sine;
}

double ck_lanczos(double x) {
    x = fabs(x);
    if (x < 1e-9) return 1;
    if (x >= CK_LOBES) return 0;
    const double pi = 3.14159265358979323846;
    return CK_LOBES * sin_pi(x) * sin_pi(x / CK_LOBES) / (pi * pi * x * x);
}

void ck_filter_free(ck_filter *f) {
    free(f->start);
    free(f->weights);
}

int ck_filter_make(ck_filter *f, int count, int size, double scale, double first, int multiple) {
    const double stretch = scale > 1 ? scale : 1, support = CK_LOBES * stretch;
    const int needed = (int)ceil(2 * support);
    /* No filter is longer than the input. */
    f->taps = ((needed < size ? needed : size) + multiple - 1) / multiple * multiple;
    f->count = count;
    f->start = calloc((size_t)count, sizeof *f->start);
    f->weights = calloc((size_t)count * (size_t)f->taps, sizeof *f->weights);
    double *exact = calloc((size_t)f->taps, sizeof *exact);
    if (!f->start || !f->weights || !exact) {
        free(exact);
        return -1;
    }
    for (int j = 0; j < count; j++) {
        const double centre = first + scale * j;
        const int64_t begin = (int64_t)floor(centre - support) + 1;
        /* Where the window reaches beyond the input it is moved inside; nothing with a weight is
         * lost by that. */
        int64_t start = begin;
        if (start > size - f->taps) start = size - f->taps;
        if (start < 0) start = 0;
        f->start[j] = (int32_t)start;
        double total = 0;
        memset(exact, 0, (size_t)f->taps * sizeof *exact);
        for (int k = 0; k < needed; k++) {
            const double weight = ck_lanczos(((double)(begin + k) - centre) / stretch);
            int64_t at = begin + k;
            at = at < 0 ? 0 : at >= size ? size - 1 : at;
            exact[at - start] += weight;
            total += weight;
        }
        for (int k = 0; k < f->taps; k++) f->weights[(size_t)j * (size_t)f->taps + (size_t)k] = (float)(exact[k] / total);
    }
    free(exact);
    return 0;
}

int ck_filter_make_halved(ck_filter *f, const ck_filter *of, int size, int full, ck_halving halving, int multiple) {
    /* Interpolation needs a sample before those of the input itself, and two behind. */
    const int more = halving == CK_REPEATED ? 0 : 1, needed = of->taps / 2 + 1 + 3 * more;
    f->count = of->count;
    f->taps = ((more == 0 || needed < size ? needed : size) + multiple - 1) / multiple * multiple;
    f->start = calloc((size_t)f->count, sizeof *f->start);
    f->weights = calloc((size_t)f->count * (size_t)f->taps, sizeof *f->weights);
    if (!f->start || !f->weights) return -1;
    for (int j = 0; j < f->count; j++) {
        const float *from = of->weights + (size_t)j * (size_t)of->taps;
        float *to = f->weights + (size_t)j * (size_t)f->taps;
        int start = of->start[j] / 2 - more;
        if (more && start > size - f->taps) start = size - f->taps;
        if (start < 0) start = 0;
        f->start[j] = start;
        for (int k = 0; k < of->taps; k++) {
            /* What lies beyond the input has no weight. */
            if (from[k] == 0) continue;
            const int at = of->start[j] + k, near = at / 2;
            /* The row is mirrored at its first and last pixel. */
            const int next = near + 1 < size ? near + 1 : full % 2 == 0 ? size - 1 : size > 1 ? size - 2 : 0;
            const int before = near > 0 ? near - 1 : size > 1 ? 1 : 0;
            if (halving == CK_REPEATED || (halving == CK_INTERPOLATED && at % 2 == 0)) {
                to[near - start] += from[k];
            } else if (at % 2 == 1) {
                to[near - start] += from[k] / 2;
                to[next - start] += from[k] / 2;
            } else {
                to[near - start] += from[k] * 1.5f;
                to[before - start] -= from[k] / 4;
                to[next - start] -= from[k] / 4;
            }
        }
    }
    return 0;
}
