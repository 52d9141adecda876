/*
 * Scaling of one plane of bytes: a polyphase filter down the columns, then one along the rows.
 *
 * The kernel is the cubic of Mitchell and Netravali ("Reconstruction Filters in Computer Graphics",
 * SIGGRAPH 1988) with B = 0, C = 0.6, stretched by the ratio where the picture becomes smaller.
 * Weights have 14 bits, their sum is exact. The columns come first, row by row of the result: their
 * sums keep 6 bits of fraction in 16, and only one row of them exists at a time. The edge's samples
 * go on beyond it.
 */
#include <math.h>
#include <stdlib.h>
#include "internal.h"

#define WEIGHT_BITS 14
#define FRACTION_BITS 6
#define COLUMN_SHIFT (WEIGHT_BITS - FRACTION_BITS)
#define ROW_SHIFT (WEIGHT_BITS + FRACTION_BITS)
/* How many samples one step of the row filter makes. */
#define GROUP 8

typedef struct filter {
    int count, taps;  /* outputs, a multiple of GROUP; weights for each */
    int32_t *start;   /* the first sample of each; may lie outside the plane */
    int16_t *weights; /* [count][taps] */
} filter;

struct ck_scaler {
    int32_t in_width, in_height, out_width, out_height;
    filter columns, rows;
    int16_t *packed; /* the row filter's weights in the order in which the fast version loads them */
    int32_t bias;    /* in the row filter's sum */
    int16_t *line;   /* one row of column sums, with `margin` samples on both sides */
    int margin;
    const uint8_t **lines; /* the source rows of one output row */
};

static double cubic(double x) {
    const double c = 0.6;
    x = fabs(x);
    if (x < 1) return (2 - c) * x * x * x + (c - 3) * x * x + 1;
    if (x < 2) return -c * x * x * x + 5 * c * x * x - 8 * c * x + 4 * c;
    return 0;
}

static void free_filter(filter *f) {
    free(f->start);
    free(f->weights);
}

/* - `scale`: input samples per output sample; `first`: where output 0 lies in the input; `sum`: of
 *   the weights.
 * - `multiple`: of how many taps. */
static int make_filter(filter *f, int count, double scale, double first, double sum, int multiple) {
    const double stretch = scale > 1 ? scale : 1, support = 2 * stretch;
    /* What lies on the support's edge has no weight; so 2 · support samples are always enough. */
    const int needed = (int)ceil(2 * support);
    f->taps = (needed + multiple - 1) / multiple * multiple;
    f->count = (count + GROUP - 1) / GROUP * GROUP;
    f->start = calloc((size_t)f->count, sizeof *f->start);
    f->weights = calloc((size_t)f->count * (size_t)f->taps, sizeof *f->weights);
    if (!f->start || !f->weights) return -1;
    for (int j = 0; j < f->count; j++) {
        const double centre = first + scale * (j < count ? j : count - 1);
        const int start = (int)floor(centre - support) + 1;
        f->start[j] = start;
        double total = 0;
        for (int k = 0; k < needed; k++) total += cubic((start + k - centre) / stretch);
        /* What rounding takes from one weight the next one gets, so that flat areas stay exactly
         * flat. */
        double exact = 0, given = 0;
        for (int k = 0; k < needed; k++) {
            exact += cubic((start + k - centre) / stretch) / total * sum;
            const double weight = rint(exact - given);
            f->weights[j * f->taps + k] = (int16_t)weight;
            given += weight;
        }
    }
    return 0;
}

/* For each group of 8 outputs: 8 taps, the k-th vector holds those of outputs k and k + 4; 4 taps,
 * of 2k, 2k + 1, 2k + 4 and 2k + 5. */
static int pack_weights(ck_scaler *s) {
    const filter *f = &s->rows;
    s->packed = aligned_alloc(32, ((size_t)f->count * (size_t)f->taps * sizeof(int16_t) + 31) / 32 * 32);
    if (!s->packed) return -1;
    int16_t *to = s->packed;
    for (int j = 0; j < f->count; j += GROUP) {
        if (f->taps == 4) {
            static const int order[GROUP] = {0, 1, 4, 5, 2, 3, 6, 7};
            for (int k = 0; k < GROUP; k++, to += 4) memcpy(to, f->weights + (j + order[k]) * 4, 4 * sizeof *to);
            continue;
        }
        for (int tap = 0; tap < f->taps; tap += 8)
            for (int k = 0; k < 4; k++)
                for (int half = 0; half < 2; half++, to += 8)
                    memcpy(to, f->weights + (j + k + 4 * half) * f->taps + tap, 8 * sizeof *to);
    }
    return 0;
}

ck_scaler *ck_scaler_make(ck_scaling scaling) {
    const int32_t sizes[4] = {scaling.in_width, scaling.in_height, scaling.out_width, scaling.out_height};
    for (int i = 0; i < 4; i++)
        if (sizes[i] < 1 || sizes[i] > 32768) return NULL;
    /* Beyond this, single weights are lost in rounding. */
    if (!(scaling.scale_x > 0 && scaling.scale_x <= 256 && scaling.scale_y > 0 && scaling.scale_y <= 256)) return NULL;
    if (!(scaling.gain > 0 && scaling.gain <= 1.5)) return NULL;
    ck_scaler *s = calloc(1, sizeof *s);
    if (!s) return NULL;
    s->in_width = sizes[0], s->in_height = sizes[1], s->out_width = sizes[2], s->out_height = sizes[3];
    s->bias = (int32_t)lrint(scaling.offset * (1 << ROW_SHIFT)) + (1 << (ROW_SHIFT - 1));
    const double one = 1 << WEIGHT_BITS;
    const int multiple = scaling.scale_x > 1 ? 8 : 4;
    if (make_filter(&s->columns, sizes[3], scaling.scale_y, scaling.first_y, rint(one * scaling.gain), 2) < 0
        || make_filter(&s->rows, sizes[2], scaling.scale_x, scaling.first_x, one, multiple) < 0 || pack_weights(s) < 0) {
        ck_scaler_free(s);
        return NULL;
    }
    /* A filter may begin before the plane by its length and a step, and end as far after it; what
     * lies further out is no scaling of this plane. */
    s->margin = 2 * s->rows.taps + (int)ceil(scaling.scale_x) + 16;
    for (int j = 0; j < s->rows.count; j++)
        if (s->rows.start[j] < -s->margin || s->rows.start[j] + s->rows.taps > s->in_width + s->margin) {
            ck_scaler_free(s);
            return NULL;
        }
    s->line = calloc((size_t)(s->in_width + 2 * s->margin), sizeof *s->line);
    s->lines = calloc((size_t)s->columns.taps, sizeof *s->lines);
    if (!s->line || !s->lines) {
        ck_scaler_free(s);
        return NULL;
    }
    return s;
}

void ck_scaler_free(ck_scaler *s) {
    if (!s) return;
    free_filter(&s->columns);
    free_filter(&s->rows);
    free(s->packed);
    free(s->line);
    free(s->lines);
    free(s);
}

CK_INLINE int16_t column_sum(const uint8_t *const *lines, const int16_t *weights, int taps, int x) {
    int sum = 1 << (COLUMN_SHIFT - 1);
    for (int k = 0; k < taps; k++) sum += lines[k][x] * weights[k];
    return (int16_t)ck_clamp(sum >> COLUMN_SHIFT, INT16_MIN, INT16_MAX);
}

static void columns_scalar(int16_t *to, const uint8_t *const *lines, const int16_t *weights, int taps, int width) {
    for (int x = 0; x < width; x++) to[x] = column_sum(lines, weights, taps, x);
}

static void rows_scalar(uint8_t *out, const ck_scaler *s, const int16_t *line) {
    const filter *f = &s->rows;
    for (int j = 0; j < s->out_width; j++) {
        const int16_t *from = line + f->start[j], *weights = f->weights + j * f->taps;
        int sum = s->bias;
        for (int k = 0; k < f->taps; k++) sum += from[k] * weights[k];
        out[j] = ck_u8(sum >> ROW_SHIFT);
    }
}

#if defined(__x86_64__)
#include <immintrin.h>

CK_AVX2 CK_INLINE __m128i load128(const void *from) { return _mm_loadu_si128((const __m128i *)from); }

CK_AVX2 CK_INLINE void columns16(int16_t *to, const uint8_t *const *lines, const int16_t *weights, int taps, int x) {
    __m256i low = _mm256_set1_epi32(1 << (COLUMN_SHIFT - 1)), high = low;
    for (int k = 0; k < taps; k += 2) {
        int both;
        memcpy(&both, weights + k, sizeof both);
        const __m256i w = _mm256_set1_epi32(both);
        const __m128i a = load128(lines[k] + x), b = load128(lines[k + 1] + x);
        low = _mm256_add_epi32(low, _mm256_madd_epi16(_mm256_cvtepu8_epi16(_mm_unpacklo_epi8(a, b)), w));
        high = _mm256_add_epi32(high, _mm256_madd_epi16(_mm256_cvtepu8_epi16(_mm_unpackhi_epi8(a, b)), w));
    }
    /* Packing works within 128-bit halves: 0…3, 8…11 | 4…7, 12…15. */
    const __m256i sums = _mm256_packs_epi32(_mm256_srai_epi32(low, COLUMN_SHIFT), _mm256_srai_epi32(high, COLUMN_SHIFT));
    _mm256_storeu_si256((__m256i *)(void *)(to + x), _mm256_permute4x64_epi64(sums, 0xd8));
}

CK_AVX2 static void columns_avx2(int16_t *to, const uint8_t *const *lines, const int16_t *weights, int taps, int width) {
    if (width < 16) {
        columns_scalar(to, lines, weights, taps, width);
        return;
    }
    for (int x = 0; x + 16 <= width; x += 16) columns16(to, lines, weights, taps, x);
    /* The last ones overlap: nothing is read beyond the row. */
    if (width % 16) columns16(to, lines, weights, taps, width - 16);
}

/* Two loads of 8 samples, and of 4. */
CK_AVX2 CK_INLINE __m256i two8(const int16_t *a, const int16_t *b) { return _mm256_set_m128i(load128(b), load128(a)); }
CK_AVX2 CK_INLINE __m128i two4(const int16_t *a, const int16_t *b) {
    return _mm_unpacklo_epi64(_mm_loadl_epi64((const __m128i *)(const void *)a), _mm_loadl_epi64((const __m128i *)(const void *)b));
}

CK_AVX2 CK_INLINE __m128i row8(const ck_scaler *s, const int16_t *line, int j) {
    const int32_t *at = s->rows.start + j;
    const int16_t *w = s->packed + j * s->rows.taps;
    __m256i sums;
    if (s->rows.taps == 4) {
        const __m256i *weights = (const __m256i *)(const void *)w;
        const __m256i a = _mm256_set_m128i(two4(line + at[4], line + at[5]), two4(line + at[0], line + at[1]));
        const __m256i b = _mm256_set_m128i(two4(line + at[6], line + at[7]), two4(line + at[2], line + at[3]));
        sums = _mm256_hadd_epi32(_mm256_madd_epi16(a, weights[0]), _mm256_madd_epi16(b, weights[1]));
    } else {
        __m256i sum[4] = {_mm256_setzero_si256(), _mm256_setzero_si256(), _mm256_setzero_si256(), _mm256_setzero_si256()};
        for (int tap = 0; tap < s->rows.taps; tap += 8, w += 64)
            for (int k = 0; k < 4; k++) {
                const __m256i weights = _mm256_load_si256((const __m256i *)(const void *)(w + 16 * k));
                const __m256i samples = two8(line + at[k] + tap, line + at[k + 4] + tap);
                sum[k] = _mm256_add_epi32(sum[k], _mm256_madd_epi16(samples, weights));
            }
        sums = _mm256_hadd_epi32(_mm256_hadd_epi32(sum[0], sum[1]), _mm256_hadd_epi32(sum[2], sum[3]));
    }
    sums = _mm256_srai_epi32(_mm256_add_epi32(sums, _mm256_set1_epi32(s->bias)), ROW_SHIFT);
    const __m128i words = _mm_packs_epi32(_mm256_castsi256_si128(sums), _mm256_extracti128_si256(sums, 1));
    return _mm_packus_epi16(words, words);
}

CK_AVX2 static void rows_avx2(uint8_t *out, const ck_scaler *s, const int16_t *line) {
    int j = 0;
    for (; j + GROUP <= s->out_width; j += GROUP) _mm_storel_epi64((__m128i *)(void *)(out + j), row8(s, line, j));
    if (j < s->out_width) {
        uint8_t last[16];
        _mm_storeu_si128((__m128i *)(void *)last, row8(s, line, j));
        memcpy(out + j, last, (size_t)(s->out_width - j));
    }
}
#else
#define columns_avx2 columns_scalar
#define rows_avx2 rows_scalar
#endif

/* Rows [first, end) of the output. `line` and `lines` are as the scaler's own. */
static void scale(const ck_scaler *s, int16_t *line, const uint8_t **lines, uint8_t *out, ptrdiff_t out_stride, const uint8_t *in,
                  ptrdiff_t in_stride, int first, int end, int fast) {
    line += s->margin;
    for (int y = first; y < end; y++) {
        const int taps = s->columns.taps;
        for (int k = 0; k < taps; k++) lines[k] = in + ck_clamp(s->columns.start[y] + k, 0, s->in_height - 1) * in_stride;
        (fast ? columns_avx2 : columns_scalar)(line, lines, s->columns.weights + y * taps, taps, s->in_width);
        for (int x = 1; x <= s->margin; x++) {
            line[-x] = line[0];
            line[s->in_width - 1 + x] = line[s->in_width - 1];
        }
        (fast ? rows_avx2 : rows_scalar)(out + y * out_stride, s, line);
    }
}

void ck_scale(ck_scaler *s, uint8_t *out, ptrdiff_t out_stride, const uint8_t *in, ptrdiff_t in_stride) {
    scale(s, s->line, s->lines, out, out_stride, in, in_stride, 0, s->out_height, ck_has_avx2());
}
void ck_scale_ref(ck_scaler *s, uint8_t *out, ptrdiff_t out_stride, const uint8_t *in, ptrdiff_t in_stride) {
    scale(s, s->line, s->lines, out, out_stride, in, in_stride, 0, s->out_height, 0);
}

size_t ck_scale_scratch(const ck_scaler *s) {
    return (size_t)s->columns.taps * sizeof *s->lines + (size_t)(s->in_width + 2 * s->margin) * sizeof *s->line;
}

void ck_scale_rows(const ck_scaler *s, uint8_t *out, ptrdiff_t out_stride, const uint8_t *in, ptrdiff_t in_stride, int32_t first,
                   int32_t end, void *scratch) {
    const uint8_t **lines = scratch;
    int16_t *line = (int16_t *)(void *)(lines + s->columns.taps);
    scale(s, line, lines, out, out_stride, in, in_stride, ck_clamp(first, 0, s->out_height), ck_clamp(end, 0, s->out_height),
          ck_has_avx2());
}
