/* The filter of all changes of size. */
#ifndef CK_FILTER_H
#define CK_FILTER_H

#include "internal.h"

#define CK_LOBES 3

/* The weights of a line of samples. */
typedef struct ck_filter {
    int count, taps; /* outputs; weights for each */
    int32_t *start;  /* the first sample of each; at or above 0 */
    float *weights;  /* [count][taps]; those of samples beyond the input's end are 0 */
} ck_filter;

/* The kernel itself; the same on every machine. */
double ck_lanczos(double x);

/* Outputs at `first` + n · `scale` of an input of `size` samples; weights of what lies outside go to the edge. The taps are a multiple of
 * `multiple`. Returns 0, or −1 without memory; to be freed in both cases. */
int ck_filter_make(ck_filter *f, int count, int size, double scale, double first, int multiple);

/* The same outputs for samples of which each stands for two neighbours of the other filter's input. */
int ck_filter_make_halved(ck_filter *f, const ck_filter *of, int multiple);

void ck_filter_free(ck_filter *f);

#endif
