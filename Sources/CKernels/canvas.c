/*
 * Chroma of a canvas at full resolution, and back.
 *
 * Back: a sample is the mean of its three columns, weighted 1 : 2 : 1, and of its two rows. To full
 * resolution: the linear upsampling that this mean undoes exactly, so that samples come back as
 * they were wherever nothing was painted. Along a row of samples C, pixel 2i + 1 is (C[i] + C[i+1])
 * / 2, and pixel 2i is (6 C[i] − C[i−1] − C[i+1]) / 4. These are the synthesis filters of the 5/3
 * wavelet with its roles exchanged (D. Le Gall and A. Tabatabai, ICASSP 1988). Rows are repeated.
 */
#include "canvas.h"

enum { CHUNK = 256 };

static size_t rounded(size_t bytes) { return (bytes + 63) / 64 * 64; }
static ptrdiff_t pitch_of(int32_t width) { return ((ptrdiff_t)width + 31) / 32 * 32; }

size_t ck_canvas_bytes(int32_t width, int32_t height) {
    const size_t plane = rounded((size_t)pitch_of(width) * (size_t)height * sizeof(int16_t));
    return 2 * plane + rounded(((size_t)height + 1) / 2 * 2 * sizeof(int32_t));
}

void ck_canvas_begin(ck_canvas *canvas, ck_picture picture, int32_t bits, double kr, double kb, void *memory) {
    const ptrdiff_t pitch = pitch_of(picture.width);
    const size_t plane = rounded((size_t)pitch * (size_t)picture.height * sizeof(int16_t));
    uint8_t *const bytes = memory;
    *canvas = (ck_canvas){.picture = picture, .bits = bits, .kr = kr, .kb = kb, .pitch = pitch,
                          .chroma = {(int16_t *)(void *)bytes, (int16_t *)(void *)(bytes + plane)},
                          .opened = (int32_t *)(void *)(bytes + 2 * plane)};
    memset(canvas->opened, 0, ((size_t)picture.height + 1) / 2 * 2 * sizeof *canvas->opened);
}

/* ---- To full resolution ------------------------------------------------------------------------------------------------------ */

CK_INLINE int sample(const uint8_t *row, int x, int bits) {
    return bits == 8 ? row[x] : ((const uint16_t *)(const void *)row)[x] & 1023;
}

/* Pixels [first, end) of a row of `width`, `first` even, at most CHUNK of them and one more. */
CK_INLINE void upsample(int16_t *restrict out, const uint8_t *restrict row, int first, int end, int width, int bits) {
    const int fraction = ck_chroma_fraction(bits), zero = 128 << (bits - 8), count = (width + 1) / 2;
    const int start = first / 2, n = (end - first + 1) / 2;
    int16_t line[CHUNK / 2 + 4];
    /* One sample before and one behind. The row is mirrored at its first and last pixel. */
    const int before = start > 0 ? start - 1 : count > 1 ? 1 : 0;
    const int last = start + n, behind = last < count ? last : width % 2 == 0 ? count - 1 : count > 1 ? count - 2 : 0;
    line[0] = (int16_t)(sample(row, before, bits) - zero);
    for (int i = 0; i < n; i++) line[i + 1] = (int16_t)(sample(row, start + i, bits) - zero);
    line[n + 1] = (int16_t)(sample(row, behind, bits) - zero);
    for (int i = 0; i < n; i++) {
        out[2 * i] = (int16_t)((6 * line[i + 1] - line[i] - line[i + 2]) * (1 << (fraction - 2)));
        out[2 * i + 1] = (int16_t)((line[i + 1] + line[i + 2]) * (1 << (fraction - 1)));
    }
}

static void upsample_8(int16_t *out, const uint8_t *row, int first, int end, int width) { upsample(out, row, first, end, width, 8); }
static void upsample_10(int16_t *out, const uint8_t *row, int first, int end, int width) {
    upsample(out, row, first, end, width, 10);
}
CK_AVX2 static void upsample_8_avx2(int16_t *out, const uint8_t *row, int first, int end, int width) {
    upsample(out, row, first, end, width, 8);
}
CK_AVX2 static void upsample_10_avx2(int16_t *out, const uint8_t *row, int first, int end, int width) {
    upsample(out, row, first, end, width, 10);
}

/* Makes pixels [first, end) of both rows of samples `row`, as far as they lie in the picture. */
static void make_pixels(ck_canvas *c, int32_t row, int32_t first, int32_t end) {
    const int32_t width = c->picture.width;
    if (first < 0) first = 0;
    if (end > width) end = width;
    const int fast = ck_has_avx2();
    void (*const make)(int16_t *, const uint8_t *, int, int, int) =
        c->bits == 8 ? fast ? upsample_8_avx2 : upsample_8 : fast ? upsample_10_avx2 : upsample_10;
    for (int plane = 0; plane < 2; plane++) {
        int16_t *const upper = ck_chroma_row(c, plane, 2 * row);
        int16_t made[CHUNK + 2];
        for (int32_t at = first & ~1; at < end; at += CHUNK) {
            const int32_t stop = at + CHUNK < end ? at + CHUNK : end, from = at < first ? first : at;
            make(made, ck_row(c->picture, plane + 1, row), at, stop, width);
            memcpy(upper + from, made + (from - at), (size_t)(stop - from) * sizeof *upper);
        }
        if (2 * row + 1 < c->picture.height && first < end)
            memcpy(upper + c->pitch + first, upper + first, (size_t)(end - first) * sizeof *upper);
    }
}

void ck_canvas_open(ck_canvas *c, int32_t y, int32_t first, int32_t end) {
    int32_t *const opened = c->opened + (y & ~1);
    /* A pixel in an even column has a share in one sample, one in an odd column in two. */
    const int32_t count = ck_columns(c->picture, 1), low = first / 2, high = end / 2 + 1 < count ? end / 2 + 1 : count;
    if (opened[0] >= opened[1]) {
        make_pixels(c, y / 2, 2 * low - 1, 2 * high);
        opened[0] = low, opened[1] = high;
        return;
    }
    if (low < opened[0]) {
        make_pixels(c, y / 2, 2 * low - 1, 2 * opened[0] - 1);
        opened[0] = low;
    }
    if (high > opened[1]) {
        make_pixels(c, y / 2, 2 * opened[1], 2 * high);
        opened[1] = high;
    }
}

/* ---- And back ---------------------------------------------------------------------------------------------------------------- */

CK_INLINE void put(uint8_t *row, int x, int value, int bits) {
    if (bits == 8) row[x] = ck_u8(value);
    else ((uint16_t *)(void *)row)[x] = (uint16_t)ck_clamp(value, 0, 1023);
}

/* Samples [first, end), at most CHUNK / 2 of them, from two rows of pixels. */
CK_INLINE void downsample(uint8_t *restrict out, const int16_t *upper, const int16_t *lower, int first, int end, int width, int bits) {
    const int shift = ck_chroma_fraction(bits) + 3, zero = 128 << (bits - 8), n = end - first;
    int sums[CHUNK + 2];
    /* The pixel before the first sample's, and all that follow. */
    const int start = 2 * first - 1, stop = 2 * end - 1 < width ? 2 * end - 1 : width - 1;
    for (int x = start < 0 ? 0 : start; x <= stop; x++) sums[x - start] = upper[x] + lower[x];
    /* The row is mirrored at its first and last pixel. */
    if (start < 0) sums[0] = sums[width > 1 ? 2 : 1];
    if (stop < 2 * end - 1) sums[2 * n] = sums[width > 1 ? 2 * n - 2 : 2 * n - 1];
    for (int i = 0; i < n; i++) {
        const int sum = sums[2 * i] + 2 * sums[2 * i + 1] + sums[2 * i + 2];
        put(out, first + i, zero + ((sum + (1 << (shift - 1))) >> shift), bits);
    }
}

static void downsample_8(uint8_t *out, const int16_t *upper, const int16_t *lower, int first, int end, int width) {
    downsample(out, upper, lower, first, end, width, 8);
}
static void downsample_10(uint8_t *out, const int16_t *upper, const int16_t *lower, int first, int end, int width) {
    downsample(out, upper, lower, first, end, width, 10);
}
CK_AVX2 static void downsample_8_avx2(uint8_t *out, const int16_t *upper, const int16_t *lower, int first, int end, int width) {
    downsample(out, upper, lower, first, end, width, 8);
}
CK_AVX2 static void downsample_10_avx2(uint8_t *out, const int16_t *upper, const int16_t *lower, int first, int end, int width) {
    downsample(out, upper, lower, first, end, width, 10);
}

void ck_canvas_end(ck_canvas *c) {
    const int fast = ck_has_avx2();
    void (*const write)(uint8_t *, const int16_t *, const int16_t *, int, int, int) =
        c->bits == 8 ? fast ? downsample_8_avx2 : downsample_8 : fast ? downsample_10_avx2 : downsample_10;
    for (int32_t row = 0; row < ck_rows(c->picture, 1); row++) {
        int32_t *const opened = c->opened + 2 * row;
        for (int plane = 0; plane < 2; plane++) {
            const int16_t *const upper = ck_chroma_row(c, plane, 2 * row);
            const int16_t *const lower = 2 * row + 1 < c->picture.height ? upper + c->pitch : upper;
            for (int32_t first = opened[0]; first < opened[1]; first += CHUNK / 2) {
                const int32_t end = first + CHUNK / 2 < opened[1] ? first + CHUNK / 2 : opened[1];
                write(ck_row(c->picture, plane + 1, row), upper, lower, first, end, c->picture.width);
            }
        }
        opened[0] = opened[1] = 0;
    }
}
