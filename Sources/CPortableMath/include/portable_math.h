#ifndef PORTABLE_MATH_H
#define PORTABLE_MATH_H

/* Elementary functions that give the same bits on every machine.
 *
 * The C library's differ in their last bits from one version and one processor to another (glibc
 * has variants with fused multiply-add), and what is calculated here decides bytes of rendered
 * files. These use additions, multiplications and divisions of doubles alone, in a fixed order,
 * which IEEE 754 defines to the bit. The target is compiled with -ffp-contract=off.
 *
 * Errors are below 1 ulp. sqrt and fmod are exact by IEEE 754: use the C library's. */

double pm_exp(double x);
double pm_exp2(double x);
/* NaN below zero, -INFINITY at zero, as in C. */
double pm_log(double x);
double pm_log2(double x);
double pm_log10(double x);
/* As in C, for negative x and whole y too. */
double pm_pow(double x, double y);
/* In radians. Below 2^20 the error is below 1 ulp or 2^-60, whichever is more; beyond that it grows
 * with x. */
double pm_sin(double x);
double pm_cos(double x);
/* sqrt(x^2 + y^2) without care for overflow. */
double pm_hypot(double x, double y);

#endif
