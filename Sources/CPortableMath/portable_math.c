#include "portable_math.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

/* A number in two parts, high + low, with the low one below half an ulp of the high one (Dekker,
 * 1971). */
typedef struct {
    double high, low;
} pair;

static uint64_t bits(double x) {
    uint64_t result;
    memcpy(&result, &x, sizeof result);
    return result;
}

static double number(uint64_t bits) {
    double result;
    memcpy(&result, &bits, sizeof result);
    return result;
}

/* 2^exponent for -1022 … 1023. */
static double power_of_two(int exponent) { return number((uint64_t)(exponent + 1023) << 52); }

/* Precondition: |a| >= |b|, or a is zero. */
static pair quick_sum(double a, double b) {
    const double sum = a + b;
    return (pair){sum, b - (sum - a)};
}

static pair sum(double a, double b) {
    const double sum = a + b, other = sum - a;
    return (pair){sum, (a - (sum - other)) + (b - other)};
}

/* The exact product (Veltkamp's splitting). Precondition: no operand is above 2^970. */
static pair product(double a, double b) {
    const double ca = 134217729 * a, cb = 134217729 * b;
    const double ah = ca - (ca - a), al = a - ah, bh = cb - (cb - b), bl = b - bh;
    const double high = a * b;
    return (pair){high, ((ah * bh - high) + ah * bl + al * bh) + al * bl};
}

static pair times(pair a, double b) {
    const pair p = product(a.high, b);
    return quick_sum(p.high, p.low + a.low * b);
}

static pair times_pair(pair a, pair b) {
    const pair p = product(a.high, b.high);
    return quick_sum(p.high, p.low + (a.high * b.low + a.low * b.high));
}

static const pair ln2 = {0x1.62e42fefa39efp-1, 0x1.abc9e3b39803fp-56};
static const pair inverse_ln2 = {0x1.71547652b82fep+0, 0x1.777d0ffda0d24p-56};
static const pair inverse_ln10 = {0x1.bcb7b1526e50ep-2, 0x1.95355baaafad3p-57};

/* MARK: Exponentials */

/* value · 2^exponent, rounded once; value is within 0.5 … 2. */
static double scaled(double value, int exponent) {
    if (exponent > 1023) return exponent > 1025 ? INFINITY : value * 0x1p1023 * power_of_two(exponent - 1023);
    if (exponent < -1021) return exponent < -1080 ? 0 : value * power_of_two(exponent + 60) * 0x1p-60;
    return value * power_of_two(exponent);
}

/* e^(x.high + x.low) for |x.high| < 800. */
static double exp_of(pair x) {
    const double k = floor(x.high * inverse_ln2.high + 0.5);
    /* The first 32 bits of ln 2: their product with k is exact. */
    static const double first = 0x1.62e42feep-1, rest = 0x1.a39ef35793c76p-33;
    const double a = x.high - k * first, b = k * rest;
    const double r = a - b, lost = ((a - r) - b) + x.low;
    /* e^r − 1 − r = r² · (1/2! + r/3! + …): |r| ≤ 0.35, so the next term is below 2^-58 of the
     * whole. */
    static const double factorials[] = {
        1.0 / 6227020800, 1.0 / 479001600, 1.0 / 39916800, 1.0 / 3628800, 1.0 / 362880, 1.0 / 40320,
        1.0 / 5040,       1.0 / 720,       1.0 / 120,      1.0 / 24,      1.0 / 6,      1.0 / 2,
    };
    double tail = 0;
    for (unsigned i = 0; i < sizeof factorials / sizeof *factorials; i++) tail = tail * r + factorials[i];
    const double bend = r * r * tail;
    const pair start = quick_sum(1, r);
    return scaled(start.high + (start.low + (bend + lost * (1 + r + bend))), (int)k);
}

double pm_exp(double x) {
    if (x != x) return x;
    if (x > 720) return INFINITY;
    if (x < -760) return 0;
    return exp_of((pair){x, 0});
}

double pm_exp2(double x) {
    if (x != x) return x;
    if (x >= 1024) return INFINITY;
    if (x < -1080) return 0;
    const double k = floor(x + 0.5);
    /* Exact at whole numbers. */
    return scaled(exp_of(times(ln2, x - k)), (int)k);
}

/* MARK: Logarithms */

/* x = 2^exponent · m with m within √½ … √2, and log m. Precondition: x is positive and finite. */
static pair log_of(double x, int *exponent) {
    int k = 0;
    if (x < 0x1p-1022) {
        x *= 0x1p54;
        k = -54;
    }
    k += (int)(bits(x) >> 52) - 1023;
    double m = number((bits(x) & 0xFFFFFFFFFFFFF) | (uint64_t)1023 << 52);
    if (m > 1.4142135623730951) {
        m /= 2;
        k++;
    }
    *exponent = k;
    /* log m = 2 artanh s = 2 (s + s³/3 + s⁵/5 + …) with s = (m − 1) / (m + 1), in two parts. */
    const double up = m - 1;
    const pair down = sum(m, 1);
    const double s = up / down.high;
    const pair back = product(s, down.high);
    const double low = ((up - back.high) - back.low - s * down.low) / down.high;
    const double square = s * s;
    /* |s| ≤ 0.172: the next term is below 2^-68 of the whole. */
    double tail = 0;
    for (int n = 25; n >= 5; n -= 2) tail = tail * square + 1.0 / n;
    /* s³/3 in two parts, as it is up to a hundredth of the whole. */
    static const pair third = {0x1.5555555555555p-2, 0x1.5555555555555p-56};
    const pair sp = quick_sum(s, low);
    const pair cube = times_pair(times_pair(times_pair(sp, sp), sp), third);
    const double higher = square * square * s * tail;
    const pair first = quick_sum(sp.high, cube.high);
    const pair whole = quick_sum(first.high, first.low + (sp.low + (cube.low + higher)));
    return (pair){2 * whole.high, 2 * whole.low};
}

/* log x in two parts. */
static pair whole_log(double x) {
    int k;
    const pair m = log_of(x, &k);
    const pair e = times(ln2, k), s = sum(e.high, m.high);
    return quick_sum(s.high, s.low + (e.low + m.low));
}

/* False where the logarithm is known without calculation: then it is in *result. */
static int has_log(double x, double *result) {
    if (x > 0 && x < INFINITY) return 1;
    *result = x == 0 ? -INFINITY : x > 0 ? x : NAN;
    return 0;
}

double pm_log(double x) {
    double known;
    if (!has_log(x, &known)) return known;
    const pair l = whole_log(x);
    return l.high + l.low;
}

double pm_log2(double x) {
    double known;
    if (!has_log(x, &known)) return known;
    int k;
    const pair l = times_pair(log_of(x, &k), inverse_ln2);
    const pair s = sum(k, l.high);
    return s.high + (s.low + l.low);
}

double pm_log10(double x) {
    double known;
    if (!has_log(x, &known)) return known;
    const pair l = times_pair(whole_log(x), inverse_ln10);
    return l.high + l.low;
}

/* MARK: Powers */

double pm_pow(double x, double y) {
    if (y == 0 || x == 1) return 1;
    if (x != x || y != y) return NAN;
    const double size = x < 0 ? -x : x;
    const int is_whole = fabs(y) >= 0x1p53 || y == floor(y);
    const int is_odd = is_whole && fabs(y) < 0x1p53 && fmod(y, 2) != 0;
    const double sign = (bits(x) >> 63) && is_odd ? -1 : 1;
    if (size == 1) return x > 0 || is_whole ? sign : NAN;
    if (y == INFINITY || y == -INFINITY) return (size > 1) == (y > 0) ? INFINITY : 0;
    if (size == 0) return y > 0 ? sign * 0.0 : sign * INFINITY;
    if (size == INFINITY) return y > 0 ? sign * INFINITY : sign * 0.0;
    if (x < 0 && !is_whole) return NAN;
    if (y == 1) return x;
    const pair l = whole_log(size);
    const double rough = l.high * y;
    if (rough > 720) return sign * INFINITY;
    if (rough < -760) return sign * 0.0;
    return sign * exp_of(times(l, y));
}

double pm_hypot(double x, double y) { return sqrt(x * x + y * y); }

/* MARK: Sine and cosine */

/* x less the nearest multiple of π/2, in two parts; *quadrant is the multiple, modulo 4. */
static pair reduced(double x, int *quadrant) {
    const double k = floor(x * 0.63661977236758134308 + 0.5);
    *quadrant = (int)(k - 4 * floor(k / 4));
    /* π/2 in pieces of 33 bits: their products with k are exact below 2^20. */
    static const double pieces[] = {0x1.921fb5440p+0, 0x1.0b4611a60p-34, 0x1.3198a2e00p-69, 0x1.b839a252049c1p-104};
    const pair a = sum(x - k * pieces[0], -k * pieces[1]);
    const pair b = sum(a.high, -k * pieces[2]);
    return quick_sum(b.high, a.low + b.low - k * pieces[3]);
}

/* sin r and cos r for |r| ≤ π/4 and a little, by Taylor's series. */
static double sine(pair r) {
    const double z = r.high * r.high;
    double tail = 0;
    for (int n = 19; n >= 3; n -= 2) tail = (tail * z + 1) * (-1.0 / (n * (n - 1)));
    /* cos r ≈ 1 − r²/2 on the low part. */
    return r.high + (r.high * z * tail + r.low * (1 - z / 2));
}

static double cosine(pair r) {
    const double z = r.high * r.high;
    double tail = 0;
    for (int n = 20; n >= 4; n -= 2) tail = (tail * z + 1) * (-1.0 / (n * (n - 1)));
    const pair start = quick_sum(1, -z / 2);
    return start.high + (start.low + (-(z / 2) * z * tail - r.high * r.low));
}

double pm_sin(double x) {
    if (!(fabs(x) < 0x1p52)) return x == x && fabs(x) < INFINITY ? 0 : NAN;
    int quadrant;
    const pair r = reduced(x, &quadrant);
    const double result = quadrant % 2 == 0 ? sine(r) : cosine(r);
    return quadrant >= 2 ? -result : result;
}

double pm_cos(double x) {
    if (!(fabs(x) < 0x1p52)) return x == x && fabs(x) < INFINITY ? 1 : NAN;
    int quadrant;
    const pair r = reduced(x, &quadrant);
    const double result = quadrant % 2 == 0 ? cosine(r) : sine(r);
    return quadrant == 1 || quadrant == 2 ? -result : result;
}
