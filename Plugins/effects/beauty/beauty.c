/*
 * org.cutroom.beauty: smooths and brightens skin, and nothing else.
 *
 * Luma goes through a guided filter, which flattens small differences and keeps edges (halves.c);
 * by how much the result counts, a map of skin tones says (tones.c). Eyes, brows, lips and hair are
 * edges, or no skin.
 */
#include "beauty.h"
#include <math.h>

enum { SMOOTH, WHITEN, RADIUS };

static const cutroom_param params[] = {
    [SMOOTH] = KIT_DOUBLE("smooth", "Smoothing", "", 0, 1, 0.6, "How much the skin's small differences are reduced."),
    [WHITEN] = KIT_DOUBLE("whiten", "Whitening", "", 0, 1, 0.3, "How much brighter and paler skin becomes."),
    [RADIUS] = KIT_PIXELS("radius", "Radius", 2, 120, 12,
        "The size of the details that are smoothed: about that of spots on the nearest face."),
};

static cutroom_status prepare(void *data, const cutroom_host *host, const cutroom_setup *setup) {
    (void)host;
    const int is_rgb = setup->format == CUTROOM_FORMAT_RGBA8;
    const kit_coding coding = kit_coding_of(is_rgb ? 1 : setup->matrix, is_rgb || setup->full_range == 1);
    beauty_find_tones(data, &coding);
    return CUTROOM_OK;
}

/* Weights in 1/256, of what skin gets at most. */
typedef struct strengths {
    int smooth, whiten, black, span;
} strengths;

/* Between two rows of halves, three quarters of the nearer one. */
KIT_INLINE void blend_rows_body(const uint16_t *near, const uint16_t *far, uint16_t *out, int count) {
    for (int i = 0; i < count; i++) out[i] = (uint16_t)((3u * near[i] + far[i] + 2) >> 2);
}
KIT_KERNEL(blend_rows, (const uint16_t *near, const uint16_t *far, uint16_t *out, int count), (near, far, out, count))

/* And between two columns: `row` is one longer to both sides. Writes an even number. */
KIT_INLINE void widen_row_body(const uint16_t *row, uint16_t *out, int count) {
    for (int i = 0; i < count; i++) {
        out[2 * i] = (uint16_t)((3u * row[i] + row[i - 1] + 2) >> 2);
        out[2 * i + 1] = (uint16_t)((3u * row[i] + row[i + 1] + 2) >> 2);
    }
}
KIT_KERNEL(widen_row, (const uint16_t *row, uint16_t *out, int count), (row, out, count))

KIT_INLINE void change_row_body(const uint8_t *luma, const uint16_t *a, const uint16_t *b, const uint16_t *skin,
    int16_t *delta, int width, strengths s) {
    for (int x = 0; x < width; x++) {
        /* 8.8: a · luma + b − luma; then a parabola that lifts the middle most. */
        const int32_t smoothed = ((a[x] * luma[x] + 127) / 255 + b[x]) - (luma[x] << 8);
        const int32_t level = luma[x] - s.black, lift = level <= 0 || level >= s.span ? 0 : level * (s.span - level) / s.span;
        delta[x] = (int16_t)(((smoothed * s.smooth / 256 + lift * s.whiten) * (skin[x] >> 8) / 255 + 128) >> 8);
    }
}
KIT_KERNEL(change_row,
           (const uint8_t *luma, const uint16_t *a, const uint16_t *b, const uint16_t *skin, int16_t *delta, int width,
               strengths s),
           (luma, a, b, skin, delta, width, s))

/* Row `y` of the picture of three planes of halves, in `rows` (each with a sample more on both
 * sides). */
static void enlarge(const beauty_halves *h, int y, uint16_t *scratch, uint16_t *rows[3]) {
    const int near = y >> 1, far = kit_clamp(y % 2 ? near + 1 : near - 1, 0, h->height - 1), width = h->width;
    for (int i = 0; i < 3; i++) {
        uint16_t *line = scratch + 1;
        if (i < 2) {
            const uint16_t *plane = i == 0 ? h->a : h->b;
            blend_rows(plane + (ptrdiff_t)near * width, plane + (ptrdiff_t)far * width, line, width);
        } else {
            const uint8_t *one = h->skin + (ptrdiff_t)near * width, *other = h->skin + (ptrdiff_t)far * width;
            for (int x = 0; x < width; x++) line[x] = (uint16_t)((3 * one[x] + other[x]) * 64);
        }
        line[-1] = line[0], line[width] = line[width - 1];
        widen_row(line, rows[i], width);
    }
}

/* Paler: chroma goes towards grey. */
static void whiten_chroma(const kit_job *job, const beauty_halves *h, int whiten) {
    for (int i = 1; i < job->plane_count; i++) {
        const kit_plane *p = &job->plane[i];
        for (int y = p->begin; y < p->end; y++) {
            const uint8_t *in = p->in + y * p->in_stride, *skin = h->skin + (ptrdiff_t)y * h->width;
            uint8_t *out = p->out + y * p->out_stride;
            for (int x = 0; x < p->width; x++) out[x] = (uint8_t)(128 + (in[x] - 128) * (65280 - skin[x] * whiten) / 65280);
        }
    }
}

static void whiten_pixels(uint8_t *pixels, const uint8_t *luma, const uint16_t *skin, int width, int whiten) {
    for (int x = 0; x < width; x++, pixels += 4) {
        const int rest = 65280 - (skin[x] >> 8) * whiten;
        for (int c = 0; c < 3; c++) pixels[c] = (uint8_t)(luma[x] + (pixels[c] - luma[x]) * rest / 65280);
    }
}

static void render_rows(const kit_job *job, const beauty_halves *h, const kit_luma *luma, strengths s, int pale,
    uint16_t *memory) {
    const kit_plane *p = &job->plane[0];
    const int room = 2 * h->width;
    uint16_t *rows[3] = {memory, memory + room, memory + 2 * room}, *scratch = memory + 3 * room;
    int16_t *delta = (int16_t *)(scratch + h->width + 2);
    for (int y = p->begin; y < p->end; y++) {
        enlarge(h, y, scratch, rows);
        const uint8_t *row = luma->rows + y * luma->stride;
        change_row(row, rows[0], rows[1], rows[2], delta, p->width, s);
        if (job->plane_count == 3) {
            kit_shift_luma(job, y, delta);
            continue;
        }
        uint8_t *out = p->out + y * p->out_stride;
        memcpy(out, p->in + y * p->in_stride, (size_t)p->width * 4);
        whiten_pixels(out, row, rows[2], p->width, pale);
        kit_add_luma(out, out, p->width, delta, job->premultiplied);
    }
}

static cutroom_status render(const kit_job *job) {
    const cutroom_value *v = job->values;
    const double whiten = v[WHITEN].n[0];
    /* At full strength skin of middle luma becomes 0.2 of white brighter and loses a fifth of its
     * colour. */
    const strengths s = {(int)floor(256 * v[SMOOTH].n[0] + 0.5), (int)floor(205 * whiten + 0.5), (int)job->coding.black,
        (int)job->coding.luma};
    const int pale = (int)floor(55 * whiten + 0.5);
    if (s.smooth == 0 && s.whiten == 0) return CUTROOM_PASS;
    const kit_plane *p = &job->plane[0];
    beauty_halves halves;
    cutroom_status status = beauty_measure(job, job->data, v[RADIUS].n[0], &halves);
    if (status != CUTROOM_OK) return status;
    const kit_luma luma = kit_luma_of(job, p->begin, p->end);
    uint16_t *memory = kit_alloc(job->host, sizeof *memory * (size_t)(9 * halves.width + 2));
    if (luma.rows && memory) {
        render_rows(job, &halves, &luma, s, pale, memory);
        whiten_chroma(job, &halves, pale);
    } else {
        status = CUTROOM_ERROR_MEMORY;
    }
    kit_release(job->host, memory), kit_release(job->host, luma.owned), kit_release(job->host, halves.owned);
    return status;
}

const kit_effect effect_beauty = {
    .abi = KIT_EFFECT(CUTROOM_CAN_SHARE_INSTANCE, "org.cutroom.beauty", "Beauty",
                      "Smooths and brightens skin. Eyes, lips, hair and everything else stay sharp.", params),
    .render = render,
    .mixes = 1,
    .data_size = sizeof(beauty_tones),
    .prepare = prepare,
};
