/*
 * Applying a baked look.
 *
 * Samples have 8 or 10 bits; the grid has a point at every fourth code of 8 bits, so every
 * sixteenth of 10. Everything below is one body for both, whose number of bits is a constant where
 * it is inlined.
 *
 * With fractions fy, fu, fv in 0…3 (or 0…15) of a cell, fa ≥ fb the larger and smaller of fu and
 * fv, and `a` the axis of fa, the four corners of the tetrahedron lie in at most three columns of
 * the cell along Y: the first one, that one step along `a`, and that one step along both. Their
 * weights at the lower and the upper Y follow from sorting and are, in quarters (in sixteenths, 16
 * stands for 4):
 *
 *     first:  4 − max(fy, fa)            and  max(fy − fa, 0)
 *     a:      max(fa − max(fy, fb), 0)   and  max(min(fy, fa) − fb, 0)
 *     both:   max(fb − fy, 0)            and  min(fb, fy)
 *
 * so three loads of neighbouring pairs do, without branches. The four pixels of a block share
 * everything but fy.
 */
#include "lut.h"

/* The bits of a sample's place in its cell. */
CK_INLINE int fraction_bits(int bits) { return bits - 6; }
/* From a weighted sum of values in 1/64 of an 8-bit code to a sample; the weights' own bits and a
 * sample's cancel out. */
enum { SUM_BITS = 8 };

CK_INLINE int get(const uint8_t *row, int x, int bits) {
    if (bits == 8) return row[x];
    uint16_t sample;
    memcpy(&sample, row + 2 * (ptrdiff_t)x, sizeof sample);
    return sample < 1023 ? sample : 1023;
}

CK_INLINE void put(uint8_t *row, int x, int value, int bits) {
    if (bits == 8) {
        row[x] = ck_u8(value);
        return;
    }
    const uint16_t sample = (uint16_t)ck_clamp(value, 0, 1023);
    memcpy(row + 2 * (ptrdiff_t)x, &sample, sizeof sample);
}

typedef struct block {
    int corner, along_a, fa, fb;
} block;

CK_INLINE block make_block(int u, int v, int bits) {
    const int places = fraction_bits(bits), mask = (1 << places) - 1;
    const int fu = u & mask, fv = v & mask, corner = (u >> places) * CK_LUT_U + (v >> places) * CK_LUT_V;
    return fu >= fv ? (block){corner, CK_LUT_U, fu, fv} : (block){corner, CK_LUT_V, fv, fu};
}

CK_INLINE int max(int a, int b) { return a > b ? a : b; }
CK_INLINE int min(int a, int b) { return a < b ? a : b; }

CK_INLINE int interpolate(const int16_t *table, block b, int y, int bits) {
    const int places = fraction_bits(bits), one = 1 << places, fy = y & (one - 1);
    const int16_t *first = table + b.corner + (y >> places), *a = first + b.along_a, *both = first + CK_LUT_U + CK_LUT_V;
    const int sum = first[0] * (one - max(fy, b.fa)) + first[1] * max(fy - b.fa, 0) + a[0] * max(b.fa - max(fy, b.fb), 0)
        + a[1] * max(min(fy, b.fa) - b.fb, 0) + both[0] * max(b.fb - fy, 0) + both[1] * min(b.fb, fy);
    return (sum + (1 << (SUM_BITS - 1))) >> SUM_BITS;
}

/* Two rows of luma (the same one twice at the bottom of an odd height) and their row of chroma. */
typedef struct rows {
    const uint8_t *in[2], *in_u, *in_v;
    uint8_t *out[2], *out_u, *out_v;
} rows;

CK_INLINE void apply_scalar(const ck_lut *lut, rows r, int from, int width, int bits) {
    for (int x = from; x < width; x += 2) {
        const int next = x + 1 < width ? x + 1 : x;
        const block b = make_block(get(r.in_u, x / 2, bits), get(r.in_v, x / 2, bits), bits);
        const int y[4] = {get(r.in[0], x, bits), get(r.in[0], next, bits), get(r.in[1], x, bits), get(r.in[1], next, bits)};
        const int mean = (y[0] + y[1] + y[2] + y[3] + 2) / 4;
        put(r.out[0], x, interpolate(lut->table[0], b, y[0], bits), bits);
        put(r.out[0], next, interpolate(lut->table[0], b, y[1], bits), bits);
        put(r.out[1], x, interpolate(lut->table[0], b, y[2], bits), bits);
        put(r.out[1], next, interpolate(lut->table[0], b, y[3], bits), bits);
        put(r.out_u, x / 2, interpolate(lut->table[1], b, mean, bits), bits);
        put(r.out_v, x / 2, interpolate(lut->table[2], b, mean, bits), bits);
    }
}

#if defined(__x86_64__)
#include <immintrin.h>

typedef struct block8 {
    __m256i corner, along_a, fa, fb;
} block8;

CK_AVX2 CK_INLINE block8 make_block8(__m256i u, __m256i v, int bits) {
    const int places = fraction_bits(bits);
    const __m256i mask = _mm256_set1_epi32((1 << places) - 1);
    const __m256i fu = _mm256_and_si256(u, mask), fv = _mm256_and_si256(v, mask);
    const __m256i corner = _mm256_add_epi32(_mm256_mullo_epi32(_mm256_srli_epi32(u, places), _mm256_set1_epi32(CK_LUT_U)),
                                            _mm256_mullo_epi32(_mm256_srli_epi32(v, places), _mm256_set1_epi32(CK_LUT_V)));
    const __m256i v_first = _mm256_cmpgt_epi32(fv, fu);
    return (block8){corner, _mm256_blendv_epi8(_mm256_set1_epi32(CK_LUT_U), _mm256_set1_epi32(CK_LUT_V), v_first),
                    _mm256_max_epi32(fu, fv), _mm256_min_epi32(fu, fv)};
}

/* Each of four blocks for two pixels: those of `half` 0 or 1. */
CK_AVX2 CK_INLINE block8 spread(block8 b, int half) {
    const __m256i order = half ? _mm256_setr_epi32(4, 4, 5, 5, 6, 6, 7, 7) : _mm256_setr_epi32(0, 0, 1, 1, 2, 2, 3, 3);
    return (block8){_mm256_permutevar8x32_epi32(b.corner, order), _mm256_permutevar8x32_epi32(b.along_a, order),
                    _mm256_permutevar8x32_epi32(b.fa, order), _mm256_permutevar8x32_epi32(b.fb, order)};
}

CK_AVX2 CK_INLINE __m256i pair(__m256i low, __m256i high) { return _mm256_or_si256(low, _mm256_slli_epi32(high, 16)); }

/* Where to load from and with what weights: the same for the tables of U and V. */
typedef struct place8 {
    __m256i first, a, both, w_first, w_a, w_both;
} place8;

CK_AVX2 CK_INLINE place8 make_place8(block8 b, __m256i y, int bits) {
    const int places = fraction_bits(bits);
    const __m256i zero = _mm256_setzero_si256(), one = _mm256_set1_epi32(1 << places);
    const __m256i fy = _mm256_and_si256(y, _mm256_set1_epi32((1 << places) - 1));
    place8 p;
    p.first = _mm256_add_epi32(b.corner, _mm256_srli_epi32(y, places));
    p.a = _mm256_add_epi32(p.first, b.along_a);
    p.both = _mm256_add_epi32(p.first, _mm256_set1_epi32(CK_LUT_U + CK_LUT_V));
    p.w_first = pair(_mm256_sub_epi32(one, _mm256_max_epi32(fy, b.fa)),
                     _mm256_max_epi32(_mm256_sub_epi32(fy, b.fa), zero));
    p.w_a = pair(_mm256_max_epi32(_mm256_sub_epi32(b.fa, _mm256_max_epi32(fy, b.fb)), zero),
                 _mm256_max_epi32(_mm256_sub_epi32(_mm256_min_epi32(fy, b.fa), b.fb), zero));
    p.w_both = pair(_mm256_max_epi32(_mm256_sub_epi32(b.fb, fy), zero), _mm256_min_epi32(b.fb, fy));
    return p;
}

CK_AVX2 CK_INLINE int load_pair(const int16_t *table, int at) {
    int both;
    memcpy(&both, table + at, sizeof both);
    return both;
}

/* Eight loads of neighbouring pairs. Measured at half the time of the processor's gather
 * instruction. */
CK_AVX2 CK_INLINE __m256i gather8(const int16_t *table, __m256i at) {
    _Alignas(32) int i[8];
    _mm256_store_si256((__m256i *)(void *)i, at);
    __m128i low = _mm_cvtsi32_si128(load_pair(table, i[0])), high = _mm_cvtsi32_si128(load_pair(table, i[4]));
    low = _mm_insert_epi32(low, load_pair(table, i[1]), 1), high = _mm_insert_epi32(high, load_pair(table, i[5]), 1);
    low = _mm_insert_epi32(low, load_pair(table, i[2]), 2), high = _mm_insert_epi32(high, load_pair(table, i[6]), 2);
    low = _mm_insert_epi32(low, load_pair(table, i[3]), 3), high = _mm_insert_epi32(high, load_pair(table, i[7]), 3);
    return _mm256_set_m128i(high, low);
}

/* Eight results in 32 bits, not clipped. */
CK_AVX2 CK_INLINE __m256i interpolate8(const int16_t *table, place8 p) {
    __m256i sum = _mm256_madd_epi16(gather8(table, p.first), p.w_first);
    sum = _mm256_add_epi32(sum, _mm256_madd_epi16(gather8(table, p.a), p.w_a));
    sum = _mm256_add_epi32(sum, _mm256_madd_epi16(gather8(table, p.both), p.w_both));
    return _mm256_srai_epi32(_mm256_add_epi32(sum, _mm256_set1_epi32(1 << (SUM_BITS - 1))), SUM_BITS);
}

/* Eight samples in 32 bits. */
CK_AVX2 CK_INLINE __m256i load8(const uint8_t *row, int x, int bits) {
    if (bits == 8) return _mm256_cvtepu8_epi32(_mm_loadl_epi64((const __m128i *)(const void *)(row + x)));
    const __m128i words = _mm_loadu_si128((const __m128i *)(const void *)(row + 2 * (ptrdiff_t)x));
    return _mm256_cvtepu16_epi32(_mm_min_epu16(words, _mm_set1_epi16(1023)));
}

/* Sixteen samples in 16 bits. */
CK_AVX2 CK_INLINE __m256i load16(const uint8_t *row, int x, int bits) {
    if (bits == 8) return _mm256_cvtepu8_epi16(_mm_loadu_si128((const __m128i *)(const void *)(row + x)));
    const __m256i words = _mm256_loadu_si256((const __m256i *)(const void *)(row + 2 * (ptrdiff_t)x));
    return _mm256_min_epu16(words, _mm256_set1_epi16(1023));
}

/* Clips and stores: the eight values of `a` at `to`, those of `b` at `next`. */
CK_AVX2 CK_INLINE void store8(uint8_t *to, uint8_t *next, __m256i a, __m256i b, int bits) {
    /* Packing works within 128-bit halves: 0…3, 8…11 | 4…7, 12…15. */
    if (bits == 8) {
        const __m256i words = _mm256_permute4x64_epi64(_mm256_packs_epi32(a, b), 0xd8);
        const __m128i bytes = _mm_packus_epi16(_mm256_castsi256_si128(words), _mm256_extracti128_si256(words, 1));
        _mm_storel_epi64((__m128i *)(void *)to, bytes);
        _mm_storel_epi64((__m128i *)(void *)next, _mm_srli_si128(bytes, 8));
        return;
    }
    const __m256i words = _mm256_permute4x64_epi64(_mm256_packus_epi32(a, b), 0xd8);
    const __m256i samples = _mm256_min_epu16(words, _mm256_set1_epi16(1023));
    _mm_storeu_si128((__m128i *)(void *)to, _mm256_castsi256_si128(samples));
    _mm_storeu_si128((__m128i *)(void *)next, _mm256_extracti128_si256(samples, 1));
}

CK_AVX2 CK_INLINE int apply_avx2(const ck_lut *lut, rows r, int width, int bits) {
    const __m256i ones = _mm256_set1_epi16(1), two = _mm256_set1_epi32(2);
    const int size = bits == 8 ? 1 : 2;
    int x = 0;
    for (; x + 16 <= width; x += 16) {
        const block8 b = make_block8(load8(r.in_u, x / 2, bits), load8(r.in_v, x / 2, bits), bits);
        const block8 left = spread(b, 0), right = spread(b, 1);
        /* Both rows before either is written: in place they may be the same one. */
        const __m256i luma[2] = {load16(r.in[0], x, bits), load16(r.in[1], x, bits)};
        __m256i sum = _mm256_setzero_si256();
        for (int row = 0; row < 2; row++) {
            /* Neighbours added: one sum for each block. */
            sum = _mm256_add_epi32(sum, _mm256_madd_epi16(luma[row], ones));
            const __m256i first = _mm256_cvtepu16_epi32(_mm256_castsi256_si128(luma[row]));
            const __m256i second = _mm256_cvtepu16_epi32(_mm256_extracti128_si256(luma[row], 1));
            uint8_t *to = r.out[row] + (ptrdiff_t)x * size;
            store8(to, to + 8 * size, interpolate8(lut->table[0], make_place8(left, first, bits)),
                   interpolate8(lut->table[0], make_place8(right, second, bits)), bits);
        }
        const place8 p = make_place8(b, _mm256_srli_epi32(_mm256_add_epi32(sum, two), 2), bits);
        store8(r.out_u + (ptrdiff_t)x / 2 * size, r.out_v + (ptrdiff_t)x / 2 * size, interpolate8(lut->table[1], p),
               interpolate8(lut->table[2], p), bits);
    }
    return x;
}

/* The depths that there are, each with its own code. */
CK_AVX2 static int apply_avx2_8(const ck_lut *lut, rows r, int width) { return apply_avx2(lut, r, width, 8); }
CK_AVX2 static int apply_avx2_10(const ck_lut *lut, rows r, int width) { return apply_avx2(lut, r, width, 10); }
#else
static int apply_none(const ck_lut *lut, rows r, int width) {
    (void)lut, (void)r, (void)width;
    return 0;
}
#define apply_avx2_8 apply_none
#define apply_avx2_10 apply_none
#endif

CK_INLINE void apply(ck_picture out, ck_picture in, const ck_lut *lut, int (*fast)(const ck_lut *, rows, int), int bits) {
    for (int y = 0; y < in.height; y += 2) {
        const int next = y + 1 < in.height ? y + 1 : y;
        const rows r = {{ck_row(in, 0, y), ck_row(in, 0, next)}, ck_row(in, 1, y / 2), ck_row(in, 2, y / 2),
                        {ck_row(out, 0, y), ck_row(out, 0, next)}, ck_row(out, 1, y / 2), ck_row(out, 2, y / 2)};
        apply_scalar(lut, r, fast ? fast(lut, r, in.width) : 0, in.width, bits);
    }
}

void ck_lut_apply(ck_picture out, ck_picture in, const ck_lut *lut) {
    apply(out, in, lut, ck_has_avx2() ? apply_avx2_8 : NULL, 8);
}
void ck_lut_apply_10(ck_picture out, ck_picture in, const ck_lut *lut) {
    apply(out, in, lut, ck_has_avx2() ? apply_avx2_10 : NULL, 10);
}

/* ---- The reference: one sample after the other, along the edges of its tetrahedron --------------------------------------- */

/* From the cell's lowest corner to its highest along the axes in falling order of the fractions, as
 * in ck_table_sample. */
static int walk(const int16_t *table, const int code[3], int bits) {
    const int places = fraction_bits(bits), one = 1 << places, step[3] = {1, CK_LUT_U, CK_LUT_V};
    int at = 0, fraction[3], used[3] = {0, 0, 0};
    for (int axis = 0; axis < 3; axis++) {
        at += code[axis] / one * step[axis];
        fraction[axis] = code[axis] % one;
    }
    int sum = table[at] * one;
    for (int i = 0; i < 3; i++) {
        int next = -1;
        for (int axis = 0; axis < 3; axis++)
            if (!used[axis] && (next < 0 || fraction[axis] > fraction[next])) next = axis;
        used[next] = 1;
        sum += fraction[next] * (table[at + step[next]] - table[at]);
        at += step[next];
    }
    return (sum + (1 << (SUM_BITS - 1))) >> SUM_BITS;
}

static void reference(ck_picture out, ck_picture in, const ck_lut *lut, int bits) {
    for (int plane = 0; plane < 3; plane++)
        for (int y = 0; y < ck_rows(in, plane); y++)
            for (int x = 0; x < ck_columns(in, plane); x++) {
                int code[3] = {0, 0, 0};
                if (plane == 0) {
                    code[0] = get(ck_row(in, 0, y), x, bits);
                } else {
                    /* The mean of the block; at an odd edge the last sample counts twice. */
                    for (int i = 0; i < 4; i++) {
                        const int column = 2 * x + i % 2 < in.width ? 2 * x + i % 2 : 2 * x;
                        const int row = 2 * y + i / 2 < in.height ? 2 * y + i / 2 : 2 * y;
                        code[0] += get(ck_row(in, 0, row), column, bits);
                    }
                    code[0] = (code[0] + 2) / 4;
                }
                for (int c = 1; c < 3; c++) {
                    const int half = plane == 0 ? 2 : 1;
                    code[c] = get(ck_row(in, c, y / half), x / half, bits);
                }
                put(ck_row(out, plane, y), x, walk(lut->table[plane], code, bits), bits);
            }
}

void ck_lut_apply_ref(ck_picture out, ck_picture in, const ck_lut *lut) { reference(out, in, lut, 8); }
void ck_lut_apply_10_ref(ck_picture out, ck_picture in, const ck_lut *lut) { reference(out, in, lut, 10); }
