/*
 * org.cutroom.old_film: a worn print: grain, scratches, dust and hairs, a lamp that flickers,
 * sepia.
 *
 * The film has its own, slower frames; what they have suffered follows from their number
 * (damage.c). All of it but the sepia is a change of luma (rows.c).
 */
#include "old_film.h"
#include <math.h>

enum { SEPIA, GRAIN, SCRATCHES, DUST, FLICKER, RATE, SEED };

static const cutroom_param params[] = {
    [SEPIA] = KIT_DOUBLE("sepia", "Sepia", "", 0, 1, 0.85, "How brown the picture is: 0 keeps its colours."),
    [GRAIN] = KIT_DOUBLE("grain", "Grain", "", 0, 1, 0.4, "How grainy the picture is."),
    [SCRATCHES] = KIT_DOUBLE("scratches", "Scratches", "", 0, 1, 0.5, "How many lines run down the picture."),
    [DUST] = KIT_DOUBLE("dust", "Dust", "", 0, 1, 0.4, "How much dirt and how many hairs there are."),
    [FLICKER] = KIT_DOUBLE("flicker", "Flicker", "", 0, 1, 0.35, "How unsteady the lamp is."),
    [RATE] = KIT_DOUBLE("rate", "Rate", "Hz", 1, 60, 18,
        "How many frames the film has in a second: how often grain and dust change."),
    [SEED] = KIT_SEED,
};

static cutroom_status prepare(void *data, const cutroom_host *host, const cutroom_setup *setup) {
    (void)host, (void)setup;
    film_make_grain(data);
    return CUTROOM_OK;
}

/* Chroma codes of sepia: a warm brown, the same at every luma. */
static const double sepia_rgb[3] = {0.58, 0.47, 0.33};

KIT_INLINE void mix_row_body(const uint8_t *in, uint8_t *out, int count, int color, int weight) {
    for (int i = 0; i < count; i++) out[i] = (uint8_t)((in[i] * (256 - weight) + color * weight + 128) >> 8);
}
KIT_KERNEL(mix_row, (const uint8_t *in, uint8_t *out, int count, int color, int weight), (in, out, count, color, weight))

/* RGBA: the tone has the pixel's luma, so that only chroma changes. */
static void tone_pixels(const uint8_t *luma, uint8_t *pixels, int width, const int offset[3], int weight, int premultiplied) {
    for (int x = 0; x < width; x++, pixels += 4) {
        const int limit = premultiplied ? pixels[3] : 255;
        for (int c = 0; c < 3; c++)
            pixels[c] = (uint8_t)kit_clamp((pixels[c] * (256 - weight) + (luma[x] + offset[c]) * weight + 128) >> 8, 0, limit);
    }
}

static void tone_planes(const kit_job *job, int weight) {
    int sepia[3];
    kit_codes(&job->coding, sepia_rgb, sepia);
    for (int i = 1; i < job->plane_count; i++) {
        const kit_plane *p = &job->plane[i];
        for (int y = p->begin; y < p->end; y++)
            mix_row(p->in + y * p->in_stride, p->out + y * p->out_stride, p->width, sepia[i], weight);
    }
}

static cutroom_status render(const kit_job *job) {
    const cutroom_value *v = job->values;
    const kit_plane *p = &job->plane[0];
    const uint64_t seed = (uint64_t)v[SEED].n[0], when = kit_count(job->time * v[RATE].n[0]);
    film_damage damage;
    film_suffer(&damage, job, v[SCRATCHES].n[0], v[DUST].n[0], seed, when, v[RATE].n[0]);
    const uint64_t moment = kit_hash(seed, when);
    /* Up to ±10 codes of grain; a lamp that is rather too dark than too bright. */
    damage.grain = (int)floor(v[GRAIN].n[0] * 150 + 0.5);
    damage.gain = (int)floor(256 * (1 + v[FLICKER].n[0] * (0.5 * kit_unit(kit_hash(moment, 3)) - 0.35)) + 0.5);
    const int weight = (int)floor(256 * v[SEPIA].n[0] + 0.5);
    const kit_luma luma = kit_luma_of(job, p->begin, p->end);
    int16_t *delta = kit_alloc(job->host, sizeof *delta * (size_t)p->width);
    const int complete = luma.rows && delta;
    const double level = 255 * (job->coding.kr * sepia_rgb[0] + (1 - job->coding.kr - job->coding.kb) * sepia_rgb[1]
        + job->coding.kb * sepia_rgb[2]);
    int offset[3];
    for (int c = 0; c < 3; c++) offset[c] = (int)floor(255 * sepia_rgb[c] - level + 0.5);
    for (int y = p->begin; complete && y < p->end; y++) {
        const uint8_t *row = luma.rows + y * luma.stride;
        film_row(&damage, job->data, row, delta, p->width, y, (int)job->coding.black);
        if (job->plane_count == 3) {
            kit_shift_luma(job, y, delta);
            continue;
        }
        uint8_t *out = p->out + y * p->out_stride;
        memcpy(out, p->in + y * p->in_stride, (size_t)p->width * 4);
        tone_pixels(row, out, p->width, offset, weight, job->premultiplied);
        kit_add_luma(out, out, p->width, delta, job->premultiplied);
    }
    tone_planes(job, weight);
    kit_release(job->host, delta), kit_release(job->host, luma.owned);
    return complete ? CUTROOM_OK : CUTROOM_ERROR_MEMORY;
}

const kit_effect effect_old_film = {
    .abi = KIT_EFFECT(CUTROOM_CAN_SHARE_INSTANCE, "org.cutroom.old_film", "Old film",
                      "A worn print: grain, scratches, dust, flicker and sepia.", params),
    .render = render,
    .data_size = sizeof(film_grain),
    .prepare = prepare,
};
