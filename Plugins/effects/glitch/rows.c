/* Rows of a glitch: put together, then split into colours. */
#include "glitch.h"

enum { SCALE = 14 };

/* Samples [left, right) of a row, from `shift` samples further left; the row goes round. */
static void roll(const uint8_t *in, uint8_t *out, int width, int channels, int left, int right, int shift) {
    int from = (left - shift) % width;
    if (from < 0) from += width;
    for (int x = left; x < right;) {
        const int run = width - from < right - x ? width - from : right - x;
        memcpy(out + x * channels, in + from * channels, (size_t)(run * channels));
        x += run, from = 0;
    }
}

static void recolor_pixels(uint8_t *p, int count, int color, int premultiplied) {
    for (; count > 0; count--, p += 4) {
        uint8_t luma;
        kit_luma_row(p, 1, &luma);
        const int limit = premultiplied ? p[3] : 255;
        for (int c = 0; c < 3; c++)
            p[c] = (uint8_t)kit_clamp(color == GLITCH_NEGATIVE ? 2 * luma - p[c] : luma + luma / 4, 0, limit);
    }
}

static void recolor(const kit_job *job, int plane, uint8_t *p, int count, int color) {
    if (job->plane_count == 1) recolor_pixels(p, count, color, job->premultiplied);
    else if (color == GLITCH_NEGATIVE && plane > 0) for (int i = 0; i < count; i++) p[i] = kit_u8(256 - p[i]);
    else if (color == GLITCH_GREY && plane > 0) memset(p, 128, (size_t)count);
    else if (color == GLITCH_GREY) for (int i = 0; i < count; i++) p[i] = kit_u8(p[i] + (p[i] - (int)job->coding.black) / 4);
}

/* Row `y` of a plane as the pieces displace it. */
static void displaced(const kit_job *job, int plane, const glitch_breakage *b, int y, uint8_t *out) {
    const kit_plane *p = &job->plane[plane];
    memcpy(out, p->in + y * p->in_stride, (size_t)(p->width * p->channels));
    for (int i = 0; i < b->count; i++) {
        const glitch_piece *piece = &b->piece[i];
        const int left = piece->left >> p->shift, right = (piece->right + p->shift) >> p->shift;
        if (y < piece->top >> p->shift || y >= piece->bottom >> p->shift) continue;
        const int from = kit_clamp(y + (piece->lift >> p->shift), 0, p->height - 1);
        roll(p->in + from * p->in_stride, out, p->width, p->channels, left, right, piece->shift / (1 << p->shift));
        if (piece->color != GLITCH_SAME) recolor(job, plane, out + left * p->channels, right - left, piece->color);
    }
}

static int brightness(const glitch_look *look, int y) { return (y / look->line) % 2 ? look->dark : 256; }

/* ---- RGBA -------------------------------------------------------------------------------------------------------------- */

static void split_pixels(const kit_job *job, const glitch_look *look, const uint8_t *row, uint8_t *out, int y) {
    const int width = job->width, light = brightness(look, y);
    for (int x = 0; x < width; x++, out += 4) {
        const uint8_t *here = row + 4 * x;
        const uint8_t *red = row + 4 * kit_clamp(x - look->split, 0, width - 1),
            *blue = row + 4 * kit_clamp(x + look->split, 0, width - 1);
        const int limit = job->premultiplied ? here[3] : 255;
        out[0] = (uint8_t)kit_clamp((red[0] * light + 128) >> 8, 0, limit);
        out[1] = (uint8_t)kit_clamp((here[1] * light + 128) >> 8, 0, limit);
        out[2] = (uint8_t)kit_clamp((blue[2] * light + 128) >> 8, 0, limit);
        out[3] = here[3];
    }
}

/* ---- Y'CbCr ------------------------------------------------------------------------------------------------------------ */

/* In units of luma codes above black, with SCALE bits of fraction: R = Y + red · (V − 128), Y = kr
 * R + … + kb B. */
typedef struct weights {
    int red, blue, kr, kb, per_red, per_blue, black;
} weights;

static weights weights_of(const kit_coding *c) {
    const double one = 1 << SCALE, red = 2 * (1 - c->kr) * c->luma / c->chroma, blue = 2 * (1 - c->kb) * c->luma / c->chroma;
    return (weights){(int)(red * one + 0.5), (int)(blue * one + 0.5), (int)(c->kr * one + 0.5), (int)(c->kb * one + 0.5),
                     (int)(one / red + 0.5), (int)(one / blue + 0.5), (int)c->black};
}

/* A row's red and blue, with room on both sides. */
KIT_INLINE void components_body(const uint8_t *luma, const uint8_t *u, const uint8_t *v, int16_t *red, int16_t *blue,
    int width, weights w) {
    for (int x = 0; x < width; x++) {
        red[x] = (int16_t)(luma[x] + ((w.red * (v[x >> 1] - 128)) >> SCALE));
        blue[x] = (int16_t)(luma[x] + ((w.blue * (u[x >> 1] - 128)) >> SCALE));
    }
}
KIT_KERNEL(components, (const uint8_t *luma, const uint8_t *u, const uint8_t *v, int16_t *red, int16_t *blue, int width,
    weights w),
           (luma, u, v, red, blue, width, w))

/* Luma with red from `split` further left and blue from further right. */
KIT_INLINE void split_luma_body(const uint8_t *luma, const int16_t *red, const int16_t *blue, int split, int16_t *out,
    int width, weights w) {
    for (int x = 0; x < width; x++)
        out[x] = (int16_t)(luma[x] + ((w.kr * (red[x - split] - red[x]) + w.kb * (blue[x + split] - blue[x])
            + (1 << (SCALE - 1))) >> SCALE));
}
KIT_KERNEL(split_luma, (const uint8_t *luma, const int16_t *red, const int16_t *blue, int split, int16_t *out, int width,
    weights w),
           (luma, red, blue, split, out, width, w))

KIT_INLINE void shade_body(const int16_t *in, uint8_t *out, int width, int light, int black) {
    for (int x = 0; x < width; x++) out[x] = kit_u8(black + (((in[x] - black) * light + 128) >> 8));
}
KIT_KERNEL(shade, (const int16_t *in, uint8_t *out, int width, int light, int black), (in, out, width, light, black))

/* Chroma of pairs of columns of two rows: the means of a component and of luma. */
KIT_INLINE void chroma_body(const int16_t *a, const int16_t *b, const int16_t *luma_a, const int16_t *luma_b, uint8_t *out,
    int count, int per) {
    for (int i = 0; i < count; i++) {
        const int difference = a[2 * i] + a[2 * i + 1] + b[2 * i] + b[2 * i + 1] - luma_a[2 * i] - luma_a[2 * i + 1]
            - luma_b[2 * i] - luma_b[2 * i + 1];
        out[i] = kit_u8(128 + ((difference * per + (2 << SCALE)) >> (SCALE + 2)));
    }
}
KIT_KERNEL(chroma, (const int16_t *a, const int16_t *b, const int16_t *luma_a, const int16_t *luma_b, uint8_t *out, int count,
    int per),
           (a, b, luma_a, luma_b, out, count, per))

static void repeat_ends(int16_t *row, int width, int room) {
    for (int i = 1; i <= room; i++) row[-i] = row[0], row[width - 1 + i] = row[width - 1];
}

/* Two rows of luma, one of each chroma. */
typedef struct pair {
    uint8_t *luma[2], *u, *v;
    int16_t *red[2], *blue[2], *split[2];
} pair;

static void render_pair(const kit_job *job, const glitch_look *look, const glitch_breakage *b, pair *rows, weights w, int y) {
    const kit_plane *p = job->plane;
    const int width = job->width, room = (look->split < 0 ? -look->split : look->split) + 1;
    displaced(job, 1, b, y >> 1, rows->u);
    displaced(job, 2, b, y >> 1, rows->v);
    for (int i = 0; i < 2; i++) {
        /* Below an odd height the last row counts twice. */
        displaced(job, 0, b, y + i < job->height ? y + i : y, rows->luma[i]);
        components(rows->luma[i], rows->u, rows->v, rows->red[i], rows->blue[i], width, w);
        repeat_ends(rows->red[i], width, room), repeat_ends(rows->blue[i], width, room);
        split_luma(rows->luma[i], rows->red[i], rows->blue[i], look->split, rows->split[i], width, w);
        rows->split[i][width] = rows->split[i][width - 1];
        if (y + i < p[0].end) shade(rows->split[i], p[0].out + (y + i) * p[0].out_stride, width, brightness(look, y + i),
            w.black);
    }
    uint8_t *u = p[1].out + (y >> 1) * p[1].out_stride, *v = p[2].out + (y >> 1) * p[2].out_stride;
    if (look->split == 0) {
        memcpy(u, rows->u, (size_t)p[1].width), memcpy(v, rows->v, (size_t)p[2].width);
        return;
    }
    chroma(rows->blue[0] + look->split, rows->blue[1] + look->split, rows->split[0], rows->split[1], u, p[1].width, w.per_blue);
    chroma(rows->red[0] - look->split, rows->red[1] - look->split, rows->split[0], rows->split[1], v, p[2].width, w.per_red);
}

cutroom_status glitch_render(const kit_job *job, const glitch_look *look, const glitch_breakage *breakage) {
    const kit_plane *p = &job->plane[0];
    const size_t room = (size_t)(look->split < 0 ? -look->split : look->split) + 2, width = (size_t)job->width;
    const size_t words = width + 2 * room, bytes = 6 * words * sizeof(int16_t) + 4 * width;
    uint8_t *memory = kit_alloc(job->host, bytes);
    if (!memory) return CUTROOM_ERROR_MEMORY;
    if (job->plane_count == 1) {
        for (int y = p->begin; y < p->end; y++) {
            displaced(job, 0, breakage, y, memory);
            split_pixels(job, look, memory, p->out + y * p->out_stride, y);
        }
    } else {
        int16_t *word = (int16_t *)(void *)memory;
        uint8_t *byte = memory + 6 * words * sizeof *word;
        pair rows = {.luma = {byte, byte + width}, .u = byte + 2 * width, .v = byte + 3 * width};
        for (int i = 0; i < 2; i++) {
            rows.red[i] = word + (size_t)(3 * i) * words + room;
            rows.blue[i] = word + (size_t)(3 * i + 1) * words + room;
            rows.split[i] = word + (size_t)(3 * i + 2) * words + room;
        }
        const weights w = weights_of(&job->coding);
        for (int y = p->begin; y < p->end; y += 2) render_pair(job, look, breakage, &rows, w, y);
    }
    kit_release(job->host, memory);
    return CUTROOM_OK;
}
