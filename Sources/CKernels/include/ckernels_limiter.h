/*
 * Holds true peaks of planar float sound at or below full scale; what needs no limiting passes bit
 * for bit.
 *
 * Peaks are those that the meter of ITU-R BS.1770-4 finds: four times the samples, 12 taps each. It
 * errs: what lies below 0.4 of the sampling rate may still peak 0.5 dB above full scale, and may be
 * lowered where it peaks less than 0.5 dB below. Above that frequency, and where sound begins
 * abruptly, the meter misses more.
 */
#ifndef CKERNELS_LIMITER_H
#define CKERNELS_LIMITER_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ck_limiter ck_limiter;

/* For `channels` ≥ 1 planes of `sample_rate` samples per second; null without memory. Ended by
 * ck_limiter_destroy. */
ck_limiter *ck_limiter_create(int channels, int sample_rate);
/* Null does nothing. */
void ck_limiter_destroy(ck_limiter *limiter);

/* Samples by which the output is behind the input. */
int ck_limiter_delay(const ck_limiter *limiter);

/* Replaces `count` samples of each plane by the output. A gain reduction rises over 5 ms before its
 * peak and is let go by 63 % in 80 ms; it is the same for all channels. Samples that are not finite
 * become silence. */
void ck_limiter_process(ck_limiter *limiter, float *const *planes, int count);

#ifdef __cplusplus
}
#endif

#endif
