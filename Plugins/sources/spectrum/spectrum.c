/*
 * org.cutroom.spectrum: which frequencies a sound has at each frame's time.
 *
 * A stretch of sound around the time, under a Hann window, goes through libavutil's transform; a
 * sine of full scale is 0 dB.
 */
#include "../sources.h"
#include <libavutil/mem.h>
#include <libavutil/tx.h>
#include <stdio.h>

enum { MEDIA, OFFSET, STYLE, COLOR, COLOR_2, BACKGROUND, WINDOW, LOW, HIGH, FLOOR, GAIN, BARS, GAP, ROUNDNESS, HISTORY };
enum { STYLE_BARS, STYLE_MIRROR, STYLE_SPECTROGRAM };

static const char *const styles[] = {"bars", "mirror", "spectrogram"};
static const cutroom_param params[] = {
    [MEDIA] = SOURCE_MEDIA,
    [OFFSET] = SOURCE_OFFSET,
    [STYLE] = SOURCE_ENUM("style", "Style", styles,
                          "Bars from the bottom, bars to both sides of the middle, or a map of time and frequency that moves to the left."),
    [COLOR] = SOURCE_COLOR("color", "Colour", 0.2, 0.6, 1, 1, "The colour of the lowest frequency's bars; in a spectrogram, of soft sound."),
    [COLOR_2] = SOURCE_COLOR("color_2", "Second colour", 1, 0.35, 0.75, 1, "The colour of the highest frequency's bars; in a spectrogram, of loud sound."),
    [BACKGROUND] = SOURCE_COLOR("background", "Background", 0, 0, 0, 0, "The background; transparent by default."),
    [WINDOW] = SOURCE_SETUP("window", "Window", "s", 0.005, 1, 0.08,
                            "The length of sound that is analysed at once. A longer one separates close frequencies, a shorter one close times."),
    [LOW] = SOURCE_SETUP("low", "Lowest", "Hz", 10, 5000, 40, "The frequency at the left edge; in a spectrogram at the bottom."),
    [HIGH] = SOURCE_SETUP("high", "Highest", "Hz", 100, 48000, 16000, "The frequency at the right edge; in a spectrogram at the top."),
    [FLOOR] = SOURCE_ANIMATED("floor", "Floor", "dB", -140, -10, -70, "Sound below this level is not drawn."),
    [GAIN] = SOURCE_ANIMATED("gain", "Gain", "dB", -60, 60, 0, "How much the sound is amplified before it is drawn."),
    [BARS] = SOURCE_COUNT("bars", "Bars", 1, 2000, 48, "The number of bars across the picture."),
    [GAP] = SOURCE_ANIMATED("gap", "Gap", "", 0, 0.95, 0.3, "The share of a bar's place that stays empty."),
    [ROUNDNESS] = SOURCE_ANIMATED("roundness", "Roundness", "", 0, 1, 0.5, "How round the ends of the bars are."),
    [HISTORY] = SOURCE_SETUP("history", "History", "s", 0.1, SOURCE_LONGEST, 4, "How much time a spectrogram has from left to right."),
};

/* A column of a spectrogram: levels in dB from the top. */
typedef struct column {
    int64_t number;
    int is_known;
} column;

typedef struct state {
    source_sound *sound;
    int width, height, size; /* of the transform, samples */
    double low, high, history;
    AVTXContext *context;
    av_tx_fn transform;
    float *samples, *hann, *levels; /* `levels` in dB, by bin */
    AVComplexFloat *bins;
    column *columns; /* by their numbers, modulo the width; null while no spectrogram was asked for */
    float *map;
} state;

static void dispose(void *memory, const cutroom_host *host) {
    state *s = memory;
    source_sound_close(s->sound);
    av_tx_uninit(&s->context);
    av_freep(&s->samples);
    av_freep(&s->bins);
    source_release(host, s->hann);
    source_release(host, s->levels);
    source_release(host, s->columns);
    source_release(host, s->map);
}

static cutroom_status prepare(void *memory, const cutroom_host *host, const cutroom_setup *setup) {
    state *s = memory;
    const cutroom_value *values = setup->values;
    if (values[LOW].n[0] >= values[HIGH].n[0]) {
        char text[160];
        snprintf(text, sizeof text, "‘low’ is %g Hz, but must lie below ‘high’, which is %g Hz", values[LOW].n[0], values[HIGH].n[0]);
        host->error(host->context, setup->handle, text);
        return CUTROOM_ERROR_PARAM;
    }
    const cutroom_status status = source_sound_open(host, setup->handle, values[MEDIA].text, &s->sound);
    if (status != CUTROOM_OK) return status;
    s->width = setup->width, s->height = setup->height;
    const int rate = source_sound_rate(s->sound);
    s->size = 64;
    while (s->size < values[WINDOW].n[0] * rate * 0.75 && s->size < 1 << 17) s->size *= 2;
    s->low = fmin(values[LOW].n[0], rate / 4.0);
    s->high = fmin(fmax(values[HIGH].n[0], s->low * 1.01), fmax(rate / 2.0, s->low * 1.01));
    s->history = values[HISTORY].n[0];
    const float scale = 1;
    s->samples = av_malloc((size_t)s->size * sizeof(float));
    s->bins = av_malloc(((size_t)s->size / 2 + 1) * sizeof *s->bins);
    s->hann = source_alloc(host, (size_t)s->size, sizeof(float));
    s->levels = source_alloc(host, (size_t)s->size / 2 + 1, sizeof(float));
    const int has_memory = s->samples && s->bins && s->hann && s->levels;
    if (!has_memory || av_tx_init(&s->context, &s->transform, AV_TX_FLOAT_RDFT, 0, s->size, &scale, 0) < 0)
        return CUTROOM_ERROR_MEMORY;
    for (int i = 0; i < s->size; i++) s->hann[i] = (float)(0.5 - 0.5 * pm_cos(2 * M_PI * i / s->size));
    return CUTROOM_OK;
}

/* Levels of all bins, of the sound around `time`. The window's sum is size / 2, and a sine has half
 * its amplitude in each of two frequencies. */
static cutroom_status analyse(state *s, void *handle, double time) {
    const int64_t first = (int64_t)floor(time * source_sound_rate(s->sound)) - s->size / 2;
    const cutroom_status status = source_sound_read(s->sound, handle, first, s->size, s->samples);
    if (status != CUTROOM_OK) return status;
    for (int i = 0; i < s->size; i++) s->samples[i] *= s->hann[i];
    s->transform(s->context, s->bins, s->samples, sizeof(float));
    for (int i = 0; i <= s->size / 2; i++) {
        const double re = s->bins[i].re, im = s->bins[i].im, unit = 4.0 / s->size;
        s->levels[i] = (float)(10 * pm_log10((re * re + im * im) * unit * unit + 1e-20));
    }
    return CUTROOM_OK;
}

/* The loudest between two frequencies; between two bins, what lies on the line between their
 * levels. */
static double loudest(const state *s, double from, double to) {
    const double bin = (double)source_sound_rate(s->sound) / s->size;
    const int most = s->size / 2;
    double level = -200;
    const double ends[2] = {from / bin, to / bin};
    for (int i = 0; i < 2; i++) {
        const int below = (int)fmin(floor(ends[i]), most - 1);
        const double part = source_clamp(ends[i] - below, 0, 1);
        level = fmax(level, (double)s->levels[below] * (1 - part) + (double)s->levels[below + 1] * part);
    }
    for (int i = (int)ceil(ends[0]); i <= ends[1] && i <= most; i++) level = fmax(level, (double)s->levels[i]);
    return level;
}

/* The frequency at `t` of the way on a logarithmic scale. */
static double frequency(const state *s, double t) { return s->low * pm_pow(s->high / s->low, t); }

/* 0 … 1 between the floor and full scale. */
static double height_of(double level, const cutroom_value *values) {
    return source_clamp(1 - (level + values[GAIN].n[0]) / values[FLOOR].n[0], 0, 1);
}

/* ---- Bars ---------------------------------------------------------------------------------------------------------------- */

static cutroom_status draw_bars(state *s, const cutroom_host *host, const cutroom_call *call, double time) {
    const cutroom_value *values = call->values;
    const cutroom_status status = analyse(s, call->handle, time);
    if (status != CUTROOM_OK) return status;
    const int bars = (int)values[BARS].n[0], is_mirrored = values[STYLE].n[0] == STYLE_MIRROR;
    const double place = (double)s->width / bars, thick = place * (1 - values[GAP].n[0]), radius = values[ROUNDNESS].n[0] * thick / 2;
    const source_color background = source_encode(&values[BACKGROUND], call->output);
    const source_color colors[2] = {source_encode(&values[COLOR], call->output), source_encode(&values[COLOR_2], call->output)};
    double *heights = source_alloc(host, (size_t)bars, sizeof *heights);
    float *cover = source_alloc(host, (size_t)s->width, sizeof *cover);
    source_color *row = source_alloc(host, (size_t)s->width, sizeof *row);
    for (int i = 0; heights && i < bars; i++)
        heights[i] = height_of(loudest(s, frequency(s, (double)i / bars), frequency(s, (i + 1.0) / bars)), values) * s->height;
    for (int y = 0; heights && cover && row && y < s->height; y++) {
        memset(cover, 0, (size_t)s->width * sizeof *cover);
        for (int i = 0; i < bars; i++) {
            const double x = i * place + (place - thick) / 2, middle = s->height / 2.0, half = heights[i] / 2;
            source_bar bar = {x, x + thick, s->height - heights[i], s->height, radius};
            if (is_mirrored) bar.top = middle - half, bar.bottom = middle + half;
            source_add_bar(bar, y, cover, s->width);
        }
        for (int x = 0; x < s->width; x++) {
            const int bar = (int)fmin(floor(x / place), bars - 1);
            row[x] = source_over(background, source_mix(colors[0], colors[1], bars > 1 ? (float)bar / (float)(bars - 1) : 0), fminf(cover[x], 1));
        }
        source_put(call->output, y, row, s->width);
    }
    const int has_memory = heights && cover && row;
    source_release(host, heights), source_release(host, cover), source_release(host, row);
    return has_memory ? CUTROOM_OK : CUTROOM_ERROR_MEMORY;
}

/* ---- The spectrogram ------------------------------------------------------------------------------------------------------ */

/* Columns lie on a grid of the sound's time, so that they stay the same while they move; those that
 * an earlier frame has made are the ones that this one would make. */
static cutroom_status draw_map(state *s, const cutroom_host *host, const cutroom_call *call, double time) {
    const cutroom_value *values = call->values;
    const int width = s->width, height = s->height;
    if (!s->columns) {
        s->map = source_alloc(host, (size_t)width * (size_t)height, sizeof *s->map);
        s->columns = s->map ? source_alloc(host, (size_t)width, sizeof *s->columns) : NULL;
        if (!s->columns) return source_release(host, s->map), s->map = NULL, CUTROOM_ERROR_MEMORY;
    }
    const double step = s->history / width;
    const int64_t last = (int64_t)floor(time / step);
    for (int64_t number = last - width + 1; number <= last; number++) {
        const int64_t slot = ((number % width) + width) % width;
        column *one = &s->columns[slot];
        if (one->is_known && one->number == number) continue;
        one->is_known = 0;
        if (host->cancelled(host->context, call->handle)) return CUTROOM_ERROR_CANCELLED;
        const cutroom_status status = analyse(s, call->handle, ((double)number + 0.5) * step);
        if (status != CUTROOM_OK) return status;
        for (int y = 0; y < height; y++)
            s->map[(size_t)slot * (size_t)height + (size_t)y] =
                (float)loudest(s, frequency(s, (height - y - 1.0) / height), frequency(s, (double)(height - y) / height));
        *one = (column){number, 1};
    }
    const source_color background = source_encode(&values[BACKGROUND], call->output);
    const source_color colors[2] = {source_encode(&values[COLOR], call->output), source_encode(&values[COLOR_2], call->output)};
    source_color *row = source_alloc(host, (size_t)width, sizeof *row);
    for (int y = 0; row && y < height; y++) {
        for (int x = 0; x < width; x++) {
            const int64_t number = last - width + 1 + x, slot = ((number % width) + width) % width;
            const float t = (float)height_of((double)s->map[(size_t)slot * (size_t)height + (size_t)y], values);
            row[x] = source_over(background, source_mix(colors[0], colors[1], t), t);
        }
        source_put(call->output, y, row, width);
    }
    source_release(host, row);
    return row ? CUTROOM_OK : CUTROOM_ERROR_MEMORY;
}

static cutroom_status draw(void *memory, const cutroom_host *host, const cutroom_call *call) {
    state *s = memory;
    const double time = source_time(call) + call->values[OFFSET].n[0];
    return call->values[STYLE].n[0] == STYLE_SPECTROGRAM ? draw_map(s, host, call, time) : draw_bars(s, host, call, time);
}

const source_effect source_spectrum = {
    .abi = SOURCE_EFFECT(0, CUTROOM_CONCURRENCY_INSTANCE, "org.cutroom.spectrum", "Spectrum",
                         "Draws which frequencies a file's sound has, as bars or as a map of the last seconds.", params),
    .size = sizeof(state), .prepare = prepare, .dispose = dispose, .draw = draw,
};
