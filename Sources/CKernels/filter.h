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

/* Outputs at `first` + n · `scale` of an input of `size` samples; weights of what lies outside go
 * to the edge. The taps are a multiple of `multiple`. Returns 0, or −1 without memory; to be freed
 * in both cases. */
int ck_filter_make(ck_filter *f, int count, int size, double scale, double first, int multiple);

/* How two neighbours of a filter's input are made of samples of half as many. */
typedef enum ck_halving {
    CK_REPEATED,     /* both are the sample itself, which lies between them */
    CK_INTERPOLATED, /* the sample lies on the first of them, and the second one between two samples */
    CK_RESTORED      /* as above; the first is (6 C[i] − C[i−1] − C[i+1]) / 4, so that means weighted 1 : 2 : 1 give the samples again */
} ck_halving;

/* The same outputs for samples of which there are half as many: `size` of them, for an input of
 * `full` samples. */
int ck_filter_make_halved(ck_filter *f, const ck_filter *of, int size, int full, ck_halving halving, int multiple);

void ck_filter_free(ck_filter *f);

#endif
