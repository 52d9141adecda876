/*
 * The K-weighted energy of planar float sound, from which ITU-R BS.1770-4 calculates loudness.
 */
#ifndef CKERNELS_LOUDNESS_H
#define CKERNELS_LOUDNESS_H

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ck_weighting ck_weighting;

/* For `channels` ≥ 1 planes of `sample_rate` samples per second; null without memory. Ended by
 * ck_weighting_destroy. Six channels are L R C LFE Ls Rs: the fourth does not count, and the last
 * two count 1.41 times. */
ck_weighting *ck_weighting_create(int channels, int sample_rate);
/* Null does nothing. */
void ck_weighting_destroy(ck_weighting *weighting);

/* Filters the next `count` samples and adds their energy up. Samples that are not finite are
 * silence. */
void ck_weighting_run(ck_weighting *weighting, const float *const *planes, int count);
/* Returns the energy of the samples since the last call: the sum of the weighted squares of all
 * channels. It depends on the samples and on where it was taken, not on how the samples were
 * divided into runs. */
double ck_weighting_take(ck_weighting *weighting);

#ifdef __cplusplus
}
#endif

#endif
