/*
 * org.cutroom.waveform: how loud a sound is around each frame's time.
 *
 * Bars stand for slots of the sound's own time, so that they keep their height while they move
 * past.
 */
#include "../sources.h"

enum { MEDIA, OFFSET, STYLE, COLOR, BACKGROUND, WINDOW, POSITION, GAIN, BARS, GAP, ROUNDNESS, THICKNESS };
enum { STYLE_BARS, STYLE_LINE };

static const char *const styles[] = {"bars", "line"};
static const cutroom_param params[] = {
    [MEDIA] = SOURCE_MEDIA,
    [OFFSET] = SOURCE_OFFSET,
    [STYLE] = SOURCE_ENUM("style", "Style", styles, "Bars of the sound's peaks, or the line of the sound itself."),
    [COLOR] = SOURCE_COLOR("color", "Colour", 1, 1, 1, 1, "The colour of bars and line."),
    [BACKGROUND] = SOURCE_COLOR("background", "Background", 0, 0, 0, 0, "The background; transparent by default."),
    [WINDOW] = SOURCE_ANIMATED("window", "Window", "s", 0.005, SOURCE_LONGEST, 3, "How much of the sound is visible at once."),
    [POSITION] = SOURCE_ANIMATED("position", "Position", "", 0, 1, 0.5,
                                 "The place of the current sound in the picture: 0 is the left edge, 1 the right edge."),
    [GAIN] = SOURCE_ANIMATED("gain", "Gain", "", 0, 100, 1, "A factor on the height. With 1 the loudest possible sound fills the height."),
    [BARS] = SOURCE_COUNT("bars", "Bars", 1, 2000, 48, "The number of bars across the picture."),
    [GAP] = SOURCE_ANIMATED("gap", "Gap", "", 0, 0.95, 0.4, "The share of a bar's place that stays empty."),
    [ROUNDNESS] = SOURCE_ANIMATED("roundness", "Roundness", "", 0, 1, 1, "How round the ends of the bars are. Round bars are visible in silence too."),
    [THICKNESS] = {.type = CUTROOM_PARAM_DOUBLE, .flags = CUTROOM_PARAM_ANIMATABLE | CUTROOM_PARAM_IN_PIXELS, .id = "thickness",
                   .label = "Thickness", .unit = "px", .help = "The thickness of the line.", .minimum = 0.5, .maximum = 200, .initial = {3}},
};

typedef struct state {
    source_sound *sound;
} state;

static cutroom_status prepare(void *memory, const cutroom_host *host, const cutroom_setup *setup) {
    return source_sound_open(host, setup->handle, setup->values[MEDIA].text, &((state *)memory)->sound);
}

static void dispose(void *memory, const cutroom_host *host) {
    (void)host;
    source_sound_close(((state *)memory)->sound);
}

/* ---- What is seen -------------------------------------------------------------------------------------------------------- */

typedef struct view {
    const cutroom_call *call;
    int width, height;
    double start, window; /* seconds: the sound's time at the left edge, and across the picture */
    int rate;
    int64_t first;        /* sample */
    int count;
    float *samples;
    source_color color, background;
} view;

static float sample(const view *v, int64_t number) {
    return number < v->first ? 0 : number < v->first + v->count ? v->samples[number - v->first] : 0;
}

/* Reads seconds [start, end). */
static cutroom_status listen(view *v, source_sound *sound, const cutroom_host *host, double start, double end) {
    v->first = (int64_t)floor(start * v->rate) - 1;
    v->count = (int)((int64_t)ceil(end * v->rate) + 2 - v->first);
    v->samples = host->alloc(host->context, (size_t)v->count * sizeof(float), 64);
    return v->samples ? source_sound_read(sound, v->call->handle, v->first, v->count, v->samples) : CUTROOM_ERROR_MEMORY;
}

static void paint(const view *v, int y, const float *cover, source_color *row) {
    for (int x = 0; x < v->width; x++) row[x] = source_over(v->background, v->color, fminf(cover[x], 1));
    source_put(v->call->output, y, row, v->width);
}

/* ---- Bars ---------------------------------------------------------------------------------------------------------------- */

static double peak(const view *v, int64_t begin, int64_t end) {
    double most = 0;
    for (int64_t i = begin; i < end; i++) most = fmax(most, fabs((double)sample(v, i)));
    return most;
}

static cutroom_status draw_bars(view *v, source_sound *sound, const cutroom_host *host, float *cover, source_color *row) {
    const cutroom_value *values = v->call->values;
    const int bars = (int)values[BARS].n[0];
    const double slot = v->window / bars, middle = v->height / 2.0;
    const double place = (double)v->width / bars, thick = place * (1 - values[GAP].n[0]);
    const int64_t first = (int64_t)floor(v->start / slot);
    const cutroom_status status = listen(v, sound, host, first * slot, (first + bars + 1) * slot);
    double *heights = status == CUTROOM_OK ? host->alloc(host->context, ((size_t)bars + 1) * sizeof *heights, 64) : NULL;
    if (!heights) return status == CUTROOM_OK ? CUTROOM_ERROR_MEMORY : status;
    const double least = fmin(fmax(values[ROUNDNESS].n[0] * thick / 2, 0), middle);
    for (int i = 0; i <= bars; i++) {
        /* A slot that is shorter than a sample has the one that it lies in. */
        const int64_t begin = (int64_t)floor((double)(first + i) * slot * v->rate), end = (int64_t)floor((double)(first + i + 1) * slot * v->rate);
        heights[i] = source_clamp(values[GAIN].n[0] * peak(v, begin, end > begin ? end : begin + 1) * middle, least, middle);
    }
    for (int y = 0; y < v->height; y++) {
        for (int x = 0; x < v->width; x++) cover[x] = 0;
        for (int i = 0; i <= bars; i++) {
            const double x = ((double)(first + i) * slot - v->start) / v->window * v->width + (place - thick) / 2;
            source_add_bar((source_bar){x, x + thick, middle - heights[i], middle + heights[i], values[ROUNDNESS].n[0] * thick / 2}, y,
                           cover, v->width);
        }
        paint(v, y, cover, row);
    }
    host->release(host->context, heights);
    return CUTROOM_OK;
}

/* ---- The line ------------------------------------------------------------------------------------------------------------ */

/* The sound between two samples lies on the straight line between them. */
static double value_at(const view *v, double position) {
    const int64_t whole = (int64_t)floor(position);
    const double part = position - (double)whole;
    return (double)sample(v, whole) * (1 - part) + (double)sample(v, whole + 1) * part;
}

static cutroom_status draw_line(view *v, source_sound *sound, const cutroom_host *host, float *cover, source_color *row) {
    const cutroom_value *values = v->call->values;
    const cutroom_status status = listen(v, sound, host, v->start, v->start + v->window);
    double *edges = status == CUTROOM_OK ? host->alloc(host->context, 2 * (size_t)v->width * sizeof *edges, 64) : NULL;
    if (!edges) return status == CUTROOM_OK ? CUTROOM_ERROR_MEMORY : status;
    const double middle = v->height / 2.0, half = values[THICKNESS].n[0] / 2, step = v->window * v->rate / v->width;
    for (int x = 0; x < v->width; x++) {
        /* All that the sound goes through from this column's left edge to the next one's. */
        const double begin = v->start * v->rate + x * step, end = begin + step;
        double low = fmin(value_at(v, begin), value_at(v, end)), high = fmax(value_at(v, begin), value_at(v, end));
        for (int64_t i = (int64_t)floor(begin) + 1; (double)i < end; i++) {
            low = fmin(low, (double)sample(v, i));
            high = fmax(high, (double)sample(v, i));
        }
        const double gain = values[GAIN].n[0] * middle;
        edges[2 * x] = middle - source_clamp(high * gain, -middle, middle) - half;
        edges[2 * x + 1] = middle - source_clamp(low * gain, -middle, middle) + half;
    }
    for (int y = 0; y < v->height; y++) {
        for (int x = 0; x < v->width; x++)
            cover[x] = (float)source_clamp(fmin(edges[2 * x + 1], y + 1) - fmax(edges[2 * x], y), 0, 1);
        paint(v, y, cover, row);
    }
    host->release(host->context, edges);
    return CUTROOM_OK;
}

static cutroom_status draw(void *memory, const cutroom_host *host, const cutroom_call *call) {
    source_sound *sound = ((state *)memory)->sound;
    const cutroom_value *values = call->values;
    view v = {.call = call, .width = call->output->width, .height = call->output->height, .window = values[WINDOW].n[0],
              .rate = source_sound_rate(sound), .color = source_encode(&values[COLOR], call->output),
              .background = source_encode(&values[BACKGROUND], call->output)};
    v.start = source_time(call) + values[OFFSET].n[0] - values[POSITION].n[0] * v.window;
    float *cover = host->alloc(host->context, (size_t)v.width * sizeof *cover, 64);
    source_color *row = host->alloc(host->context, (size_t)v.width * sizeof *row, 64);
    cutroom_status status = CUTROOM_ERROR_MEMORY;
    if (cover && row)
        status = values[STYLE].n[0] == STYLE_LINE ? draw_line(&v, sound, host, cover, row) : draw_bars(&v, sound, host, cover, row);
    host->release(host->context, v.samples);
    host->release(host->context, row);
    host->release(host->context, cover);
    return status;
}

const source_effect source_waveform = {
    .abi = SOURCE_EFFECT(0, CUTROOM_CONCURRENCY_INSTANCE, "org.cutroom.waveform", "Waveform",
                         "Draws how loud a file's sound is, as bars that move past or as a line.", params),
    .size = sizeof(state), .prepare = prepare, .dispose = dispose, .draw = draw,
};
