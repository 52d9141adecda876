/*
 * Applying a baked look.
 *
 * With fractions fy, fu, fv in 0…3 of a cell, fa ≥ fb the larger and smaller of fu and fv, and `a` the axis of fa, the four
 * corners of the tetrahedron lie in at most three columns of the cell along Y: the first one, that one step along `a`, and
 * that one step along both. Their weights at the lower and the upper Y follow from sorting and are, in quarters:
 *
 *     first:  4 − max(fy, fa)            and  max(fy − fa, 0)
 *     a:      max(fa − max(fy, fb), 0)   and  max(min(fy, fa) − fb, 0)
 *     both:   max(fb − fy, 0)            and  min(fb, fy)
 *
 * so three loads of neighbouring pairs do, without branches. The four pixels of a block share everything but fy.
 */
#include "lut.h"

typedef struct block {
    int corner, along_a, fa, fb;
} block;

CK_INLINE block make_block(int u, int v) {
    const int fu = u & 3, fv = v & 3, corner = (u >> 2) * CK_LUT_U + (v >> 2) * CK_LUT_V;
    return fu >= fv ? (block){corner, CK_LUT_U, fu, fv} : (block){corner, CK_LUT_V, fv, fu};
}

CK_INLINE int max(int a, int b) { return a > b ? a : b; }
CK_INLINE int min(int a, int b) { return a < b ? a : b; }

CK_INLINE uint8_t interpolate(const int16_t *table, block b, int y) {
    const int fy = y & 3;
    const int16_t *first = table + b.corner + (y >> 2), *a = first + b.along_a, *both = first + CK_LUT_U + CK_LUT_V;
    const int sum = first[0] * (4 - max(fy, b.fa)) + first[1] * max(fy - b.fa, 0) + a[0] * max(b.fa - max(fy, b.fb), 0)
        + a[1] * max(min(fy, b.fa) - b.fb, 0) + both[0] * max(b.fb - fy, 0) + both[1] * min(b.fb, fy);
    return ck_u8((sum + 2 * CK_LUT_FRACTION) >> 8);
}

/* Two rows of luma (the same one twice at the bottom of an odd height) and their row of chroma. */
typedef struct rows {
    const uint8_t *in[2], *in_u, *in_v;
    uint8_t *out[2], *out_u, *out_v;
} rows;

static void apply_scalar(const ck_lut *lut, rows r, int from, int width) {
    for (int x = from; x < width; x += 2) {
        const int next = x + 1 < width ? x + 1 : x;
        const block b = make_block(r.in_u[x / 2], r.in_v[x / 2]);
        const int y[4] = {r.in[0][x], r.in[0][next], r.in[1][x], r.in[1][next]};
        const int mean = (y[0] + y[1] + y[2] + y[3] + 2) / 4;
        r.out[0][x] = interpolate(lut->table[0], b, y[0]);
        r.out[0][next] = interpolate(lut->table[0], b, y[1]);
        r.out[1][x] = interpolate(lut->table[0], b, y[2]);
        r.out[1][next] = interpolate(lut->table[0], b, y[3]);
        r.out_u[x / 2] = interpolate(lut->table[1], b, mean);
        r.out_v[x / 2] = interpolate(lut->table[2], b, mean);
    }
}

#if defined(__x86_64__)
#include <immintrin.h>

typedef struct block8 {
    __m256i corner, along_a, fa, fb;
} block8;

CK_AVX2 CK_INLINE block8 make_block8(__m256i u, __m256i v) {
    const __m256i three = _mm256_set1_epi32(3);
    const __m256i fu = _mm256_and_si256(u, three), fv = _mm256_and_si256(v, three);
    const __m256i corner = _mm256_add_epi32(_mm256_mullo_epi32(_mm256_srli_epi32(u, 2), _mm256_set1_epi32(CK_LUT_U)),
                                            _mm256_mullo_epi32(_mm256_srli_epi32(v, 2), _mm256_set1_epi32(CK_LUT_V)));
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

CK_AVX2 CK_INLINE place8 make_place8(block8 b, __m256i y) {
    const __m256i zero = _mm256_setzero_si256(), fy = _mm256_and_si256(y, _mm256_set1_epi32(3));
    place8 p;
    p.first = _mm256_add_epi32(b.corner, _mm256_srli_epi32(y, 2));
    p.a = _mm256_add_epi32(p.first, b.along_a);
    p.both = _mm256_add_epi32(p.first, _mm256_set1_epi32(CK_LUT_U + CK_LUT_V));
    p.w_first = pair(_mm256_sub_epi32(_mm256_set1_epi32(4), _mm256_max_epi32(fy, b.fa)),
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

/* Eight loads of neighbouring pairs. Measured at half the time of the processor's gather instruction. */
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
    return _mm256_srai_epi32(_mm256_add_epi32(sum, _mm256_set1_epi32(2 * CK_LUT_FRACTION)), 8);
}

CK_AVX2 CK_INLINE __m256i load8(const uint8_t *from) {
    return _mm256_cvtepu8_epi32(_mm_loadl_epi64((const __m128i *)(const void *)from));
}

/* Clips sixteen values to bytes. */
CK_AVX2 CK_INLINE __m128i pack16(__m256i a, __m256i b) {
    /* Packing works within 128-bit halves: 0…3, 8…11 | 4…7, 12…15. */
    const __m256i words = _mm256_permute4x64_epi64(_mm256_packs_epi32(a, b), 0xd8);
    return _mm_packus_epi16(_mm256_castsi256_si128(words), _mm256_extracti128_si256(words, 1));
}

CK_AVX2 static int apply_avx2(const ck_lut *lut, rows r, int width) {
    const __m256i ones = _mm256_set1_epi16(1), two = _mm256_set1_epi32(2);
    int x = 0;
    for (; x + 16 <= width; x += 16) {
        const block8 b = make_block8(load8(r.in_u + x / 2), load8(r.in_v + x / 2));
        const block8 left = spread(b, 0), right = spread(b, 1);
        /* Both rows before either is written: in place they may be the same one. */
        const __m128i luma[2] = {_mm_loadu_si128((const __m128i *)(const void *)(r.in[0] + x)),
                                 _mm_loadu_si128((const __m128i *)(const void *)(r.in[1] + x))};
        __m256i sum = _mm256_setzero_si256();
        for (int row = 0; row < 2; row++) {
            const __m128i bytes = luma[row];
            /* Neighbours added: one sum for each block. */
            sum = _mm256_add_epi32(sum, _mm256_madd_epi16(_mm256_cvtepu8_epi16(bytes), ones));
            const __m256i a = interpolate8(lut->table[0], make_place8(left, _mm256_cvtepu8_epi32(bytes)));
            const __m256i c = interpolate8(lut->table[0], make_place8(right, _mm256_cvtepu8_epi32(_mm_srli_si128(bytes, 8))));
            _mm_storeu_si128((__m128i *)(void *)(r.out[row] + x), pack16(a, c));
        }
        const place8 p = make_place8(b, _mm256_srli_epi32(_mm256_add_epi32(sum, two), 2));
        const __m128i uv = pack16(interpolate8(lut->table[1], p), interpolate8(lut->table[2], p));
        _mm_storel_epi64((__m128i *)(void *)(r.out_u + x / 2), uv);
        _mm_storel_epi64((__m128i *)(void *)(r.out_v + x / 2), _mm_srli_si128(uv, 8));
    }
    return x;
}
#else
static int apply_avx2(const ck_lut *lut, rows r, int width) {
    (void)lut, (void)r, (void)width;
    return 0;
}
#endif

static void apply(ck_picture out, ck_picture in, const ck_lut *lut, int fast) {
    for (int y = 0; y < in.height; y += 2) {
        const int next = y + 1 < in.height ? y + 1 : y;
        const rows r = {{ck_row(in, 0, y), ck_row(in, 0, next)}, ck_row(in, 1, y / 2), ck_row(in, 2, y / 2),
                        {ck_row(out, 0, y), ck_row(out, 0, next)}, ck_row(out, 1, y / 2), ck_row(out, 2, y / 2)};
        apply_scalar(lut, r, fast ? apply_avx2(lut, r, in.width) : 0, in.width);
    }
}

void ck_lut_apply(ck_picture out, ck_picture in, const ck_lut *lut) { apply(out, in, lut, ck_has_avx2()); }
void ck_lut_apply_ref(ck_picture out, ck_picture in, const ck_lut *lut) { apply(out, in, lut, 0); }
