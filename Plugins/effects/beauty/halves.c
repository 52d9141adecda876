/*
 * The guided filter with the picture as its own guide (He, Sun and Tang: Guided Image Filtering,
 * 2010), on half the width and height (He and Sun: Fast Guided Filter, 2015): in each window luma
 * is replaced by a · luma + b, with a = variance / (variance + e). Where it varies less than √e, a
 * is small and the mean is left; at an edge a is nearly 1.
 */
#include "beauty.h"

/* √e is 16 codes: pores and spots are below it, eyes and brows far above. */
static const float flatness = 256;

/* Half rows of luma: means of 2×2 pixels, the last ones repeated at odd edges. */
static void halve(const kit_luma *luma, int width, int height, beauty_halves *h) {
    for (int y = h->low; y < h->high; y++) {
        const uint8_t *a = luma->rows + (ptrdiff_t)(2 * y) * luma->stride, *b = 2 * y + 1 < height ? a + luma->stride : a;
        uint8_t *out = h->luma + (ptrdiff_t)y * h->width;
        for (int x = 0; x < width / 2; x++) out[x] = (uint8_t)((a[2 * x] + a[2 * x + 1] + b[2 * x] + b[2 * x + 1] + 2) >> 2);
        if (width % 2) out[width / 2] = (uint8_t)((a[width - 1] + b[width - 1] + 1) >> 1);
    }
}

/* What is too dark has no hue that one can trust, and is hair. */
static uint8_t lit(uint8_t skin, int level, int span) {
    const int share = kit_clamp((level * 100 / span - 10) * 255 / 12, 0, 255);
    return (uint8_t)(skin * share / 255);
}

static void find_skin(const kit_job *job, const beauty_tones *tones, beauty_halves *h, uint8_t *skin) {
    const int black = (int)job->coding.black, span = (int)job->coding.luma;
    for (int y = h->low; y < h->high; y++) {
        uint8_t *out = skin + (ptrdiff_t)y * h->width;
        const uint8_t *luma = h->luma + (ptrdiff_t)y * h->width;
        if (job->plane_count == 3) {
            const uint8_t *u = job->plane[1].in + y * job->plane[1].in_stride,
                *v = job->plane[2].in + y * job->plane[2].in_stride;
            for (int x = 0; x < h->width; x++) out[x] = lit(tones->skin[v[x]][u[x]], luma[x] - black, span);
            continue;
        }
        const kit_plane *p = &job->plane[0];
        const uint8_t *a = p->in + (ptrdiff_t)(2 * y) * p->in_stride, *b = 2 * y + 1 < p->height ? a + p->in_stride : a;
        for (int x = 0; x < h->width; x++) {
            const int next = 2 * x + 1 < p->width ? 4 : 0;
            int mean[3];
            for (int c = 0; c < 3; c++) mean[c] = a[8 * x + c] + a[8 * x + next + c] + b[8 * x + c] + b[8 * x + next + c];
            /* U and V of BT.709, full range, of four times the colour: 255 / (4 · 255 · 1.8556), in
             * 1/65536. */
            const int luma4 = (13933 * mean[0] + 46871 * mean[1] + 4732 * mean[2] + 32768) >> 16;
            const uint8_t u = kit_u8(128 + (((mean[2] - luma4) * 8829 + 32768) >> 16)),
                v = kit_u8(128 + (((mean[0] - luma4) * 10404 + 32768) >> 16));
            out[x] = lit(tones->skin[v][u], luma[x] - black, span);
        }
    }
}

KIT_INLINE void square_body(const uint8_t *in, uint16_t *out, int count) {
    for (int i = 0; i < count; i++) out[i] = (uint16_t)(in[i] * in[i]);
}
KIT_KERNEL(square, (const uint8_t *in, uint16_t *out, int count), (in, out, count))

/* From means and mean squares, in place, to a and b. */
KIT_INLINE void solve_body(uint16_t *mean, uint16_t *squares, int count) {
    for (int i = 0; i < count; i++) {
        const float m = (float)mean[i] * 0x1p-8f, v = (float)squares[i] - m * m, variance = v > 0 ? v : 0;
        const float a = variance / (variance + flatness);
        mean[i] = (uint16_t)(int32_t)(a * 65280 + 0.5f);
        squares[i] = (uint16_t)(int32_t)((1 - a) * m * 256 + 0.5f);
    }
}
KIT_KERNEL(solve, (uint16_t *mean, uint16_t *squares, int count), (mean, squares, count))

cutroom_status beauty_measure(const kit_job *job, const beauty_tones *tones, double radius, beauty_halves *h) {
    const kit_plane *p = &job->plane[0];
    const int width = (p->width + 1) / 2, height = (p->height + 1) / 2,
        reach = (int)(radius / 2 + 0.5) < 1 ? 1 : (int)(radius / 2 + 0.5);
    /* Soft borders of the skin, by a quarter of the radius in half pixels; its boxes reach less
     * than six of that. */
    const double soft = radius / 8;
    const int skin_reach = (int)(6 * soft) + 6, more = 2 * reach + 3 > skin_reach ? 2 * reach + 3 : skin_reach;
    const int begin = p->begin / 2, end = (p->end + 1) / 2;
    h->width = width, h->height = height;
    h->low = kit_clamp(begin - 1 - more, 0, height), h->high = kit_clamp(end + 1 + more, 0, height);
    const ptrdiff_t rows = h->high - h->low, area = rows * width, start = (ptrdiff_t)h->low * width;
    uint16_t *words = kit_alloc(job->host, (size_t)area * (4 * sizeof *words + 3));
    const kit_luma luma = kit_luma_of(job, 2 * h->low, 2 * h->high);
    if (!words || !luma.rows) {
        kit_release(job->host, words), kit_release(job->host, luma.owned);
        return CUTROOM_ERROR_MEMORY;
    }
    uint8_t *bytes = (uint8_t *)(words + 4 * area);
    uint16_t *mean = words + 2 * area - start, *squares = words + 3 * area - start;
    uint8_t *skin = bytes + 2 * area - start;
    h->owned = words, h->a = words - start, h->b = words + area - start;
    h->luma = bytes - start, h->skin = bytes + area - start;
    halve(&luma, p->width, p->height, h);
    kit_release(job->host, luma.owned);
    find_skin(job, tones, h, skin);
    square(h->luma + start, h->a + start, (int)area);
    /* Rows that each step needs; the picture's own edges are repeated, rows that are not there are
     * never looked at. */
    const int one = kit_clamp(begin - 1, 0, height), last = kit_clamp(end + 1, 0, height);
    const int low = kit_clamp(one - reach - 1, 0, height), high = kit_clamp(last + reach + 1, 0, height);
    const kit_source of_luma = {.bytes = h->luma, .stride = width, .width = width, .height = height, .channels = 1};
    kit_source of_words = {.words = h->a, .stride = width, .width = width, .height = height, .channels = 1};
    cutroom_status status = kit_box(job->host, of_luma, (kit_target){.words = mean, .stride = width}, 1, reach, 0, low, high);
    if (status == CUTROOM_OK)
        status = kit_box(job->host, of_words, (kit_target){.words = squares, .stride = width}, 1, reach, 0, low, high);
    if (status == CUTROOM_OK) {
        const ptrdiff_t first = (ptrdiff_t)low * width;
        solve(mean + first, squares + first, (high - low) * width);
        of_words.words = mean;
        status = kit_box(job->host, of_words, (kit_target){.words = h->a, .stride = width}, 1, reach, 0, one, last);
    }
    if (status == CUTROOM_OK) {
        of_words.words = squares;
        status = kit_box(job->host, of_words, (kit_target){.words = h->b, .stride = width}, 1, reach, 0, one, last);
    }
    const kit_source of_skin = {.bytes = skin, .stride = width, .width = width, .height = height, .channels = 1};
    if (status == CUTROOM_OK)
        status = kit_gauss(job->host, of_skin, (kit_target){.bytes = h->skin, .stride = width}, soft, one, last);
    if (status != CUTROOM_OK) kit_release(job->host, words);
    return status;
}
