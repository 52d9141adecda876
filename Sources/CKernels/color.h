/* Curves and primaries, shared by the tables that are made of them. */
#ifndef CK_COLOR_H
#define CK_COLOR_H

#include <math.h>
#include <portable_math.h>
#include "ckernels_color.h"
#include "internal.h"

/* ITU-R BT.709-6, item 1.2, inverted and straight: between SDR codings ITU-R BT.2087-0 changes
 * primaries in this light. Its slope at black is finite, so that what lies on the target's border
 * does not turn the rounding of code values into colour. */
static inline double ck_camera_light(double signal) {
    return signal < 4.5 * 0.018 ? signal / 4.5 : pm_pow((signal + 0.099) / 1.099, 1 / 0.45);
}
static inline double ck_camera_signal(double light) { return light < 0.018 ? 4.5 * light : 1.099 * pm_pow(light, 0.45) - 0.099; }

/* The signal that stands for white in CK_MAPPED: bright colours reach 1.6 times that before they
 * are clipped. */
static const double ck_mapped_white = 0.625;

/* ITU-R BT.2100, table 4: signal 0…1 to cd/m², and back. */
double ck_pq_light(double signal);
double ck_pq_signal(double light);

/* ITU-R BT.2100, table 5: the OETF inverted, signal to scene light 0…1, and straight. */
double ck_hlg_scene(double signal);
double ck_hlg_signal(double scene);
/* The same table: the display, in cd/m², for which HLG's system gamma is 1.2. */
static const double ck_hlg_peak = 1000, ck_hlg_gamma = 1.2;

/* How much of the luminance each of red, green and blue light has. */
void ck_luminance(const double xy[8], double weights[3]);

/* From linear RGB of one coding to that of the other, row by row. */
void ck_primaries_matrix(const ck_coding *from, const ck_coding *to, double matrix[9]);

#endif
