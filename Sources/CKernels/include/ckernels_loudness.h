/*
 * The K-weighted energy of planar float sound, in cells of equal length: what the loudness of ITU-R BS.1770-4 is made of.
 */
#ifndef CKERNELS_LOUDNESS_H
#define CKERNELS_LOUDNESS_H

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ck_weighting ck_weighting;

/* For `channels` ≥ 1 planes of `sample_rate` samples per second; null without memory. Ended by ck_weighting_destroy.
 * Six channels are L R C LFE Ls Rs: the fourth does not count, and the last two count 1.41 times. */
ck_weighting *ck_weighting_create(int channels, int sample_rate);
/* Null does nothing. */
void ck_weighting_destroy(ck_weighting *weighting);

/* Writes the energy of each `cell` samples of the next `count`: the sum of the weighted squares of all channels. The last
 * cell is shorter where `count` is no multiple of `cell`. Samples that are not finite are silence. */
void ck_weighting_run(ck_weighting *weighting, const float *const *planes, int count, int cell, float *energies);

#ifdef __cplusplus
}
#endif

#endif
