/*
 * org.cutroom.vignette: darkens (or tints) a picture towards its corners.
 *
 * With d the distance from the centre in half diagonals, every pixel is mixed with the colour by
 * strength · smoothstep(radius, radius + softness, d). It works on the canvas' own YUV 4:2:0, so
 * that a render converts nothing, and where the canvas is HDR on floats.
 */
#include <kit.h>
#include <math.h>

enum { STRENGTH, RADIUS, SOFTNESS, COLOR, PARAM_COUNT };

#define NUMBER(the_id, the_label, low, high, start, the_help)                                                        \
    {.type = CUTROOM_PARAM_DOUBLE, .flags = CUTROOM_PARAM_ANIMATABLE, .id = the_id, .label = the_label, .unit = "",  \
     .help = the_help, .minimum = low, .maximum = high, .initial = {start}}

static const cutroom_param params[PARAM_COUNT] = {
    [STRENGTH] = NUMBER("strength", "Strength", 0, 1, 0.5,
                        "How much of the colour is mixed in at the corners: 0 changes nothing."),
    [RADIUS] = NUMBER("radius", "Radius", 0, 1, 0.4,
                      "Where the vignette begins, in half diagonals from the centre: 0 is the centre, 1 the corners."),
    [SOFTNESS] = NUMBER("softness", "Softness", 0.01, 2, 0.6, "The width of the soft edge, in half diagonals."),
    [COLOR] = {.type = CUTROOM_PARAM_COLOR, .flags = CUTROOM_PARAM_ANIMATABLE, .id = "color", .label = "Colour", .unit = "",
               .help = "The colour of the corners; its alpha lowers the strength.",
               .minimum = 0, .maximum = 1, .initial = {0, 0, 0, 1}},
};

/* Weights of the picture in 1/16384, by squared distance: so fine that neighbours hardly differ by
 * a code value. */
enum { STEPS = 4096, ONE = 16384 };

static void fill_weights(int16_t weights[STEPS + 1], const cutroom_value *values) {
    const double strength = values[STRENGTH].n[0] * values[COLOR].n[3];
    const double radius = values[RADIUS].n[0], softness = values[SOFTNESS].n[0];
    for (int i = 0; i <= STEPS; i++) {
        double t = (sqrt((double)i / STEPS) - radius) / softness;
        t = t < 0 ? 0 : t > 1 ? 1 : t;
        weights[i] = (int16_t)(ONE - strength * (t * t * (3 - 2 * t)) * ONE + 0.5);
    }
}

/* Rows are done in pieces, so that the weights of one fit the stack. */
enum { PIECE = 1024 };

/*
 * The weights of `count` samples of row `y` from column `x` on; `shift` is 1 for a subsampled
 * plane, whose sample lies in the middle of a square of pixels. Offsets from the centre are in half
 * pixels. The squared distance, in steps with 32 bits of fraction, is a parabola along the row, so
 * that two additions make the next one.
 */
static void fill_row(int16_t *row, const int16_t *weights, const cutroom_frame *frame, int shift, int x, int y, int count) {
    const int64_t width = frame->width, height = frame->height, size = 1 << shift;
    const int64_t unit = ((int64_t)STEPS << 32) / (width * width + height * height);
    const int64_t dx = 2 * size * x + size - width, dy = 2 * size * y + size - height;
    int64_t square = (dx * dx + dy * dy) * unit, slope = (4 * size * dx + 4 * size * size) * unit;
    const int64_t bend = 8 * size * size * unit, limit = (int64_t)STEPS << 32;
    for (int i = 0; i < count; i++, square += slope, slope += bend) row[i] = weights[(square < limit ? square : limit) >> 32];
}

static inline uint8_t mix(uint8_t sample, int16_t color, int16_t weight) {
    return (uint8_t)((sample * weight + color * (int16_t)(ONE - weight) + ONE / 2) >> 14);
}

static void mix_plane(const cutroom_call *call, const int16_t *weights, int plane, int shift, int16_t color) {
    const cutroom_frame *in = cutroom_current(call, 0), *out = call->output;
    const int columns = (out->width + shift) >> shift, last = (call->row_end + shift) >> shift;
    int16_t row[PIECE];
    for (int y = call->row_begin >> shift; y < last; y++) {
        const uint8_t *from = in->plane[plane] + y * in->stride[plane];
        uint8_t *to = out->plane[plane] + y * out->stride[plane];
        for (int x = 0; x < columns; x += PIECE) {
            const int count = columns - x < PIECE ? columns - x : PIECE;
            fill_row(row, weights, out, shift, x, y, count);
            for (int i = 0; i < count; i++) to[x + i] = mix(from[x + i], color, row[i]);
        }
    }
}

static void process_yuv(const cutroom_call *call, const int16_t *weights) {
    const kit_coding coding = kit_coding_of(call->output->matrix, call->output->full_range == 1);
    int codes[3];
    kit_codes(&coding, call->values[COLOR].n, codes);
    for (int i = 0; i < 3; i++) mix_plane(call, weights, i, i > 0, (int16_t)codes[i]);
}

static void process_rgba(const cutroom_call *call, const int16_t *weights) {
    const cutroom_frame *in = cutroom_current(call, 0), *out = call->output;
    const int premultiplied = out->alpha == CUTROOM_ALPHA_PREMULTIPLIED;
    int color[3];
    for (int c = 0; c < 3; c++) color[c] = (int)(call->values[COLOR].n[c] * 255 + 0.5);
    int16_t row[PIECE];
    for (int y = call->row_begin; y < call->row_end; y++) {
        const uint8_t *from = in->plane[0] + y * in->stride[0];
        uint8_t *to = out->plane[0] + y * out->stride[0];
        for (int x = 0; x < out->width; x++, from += 4, to += 4) {
            if (x % PIECE == 0) fill_row(row, weights, out, 0, x, y, out->width - x < PIECE ? out->width - x : PIECE);
            const int alpha = premultiplied ? from[3] : 255;
            for (int c = 0; c < 3; c++) to[c] = mix(from[c], (int16_t)((color[c] * alpha + 127) / 255), row[x % PIECE]);
            to[3] = from[3];
        }
    }
}

static void process_floats(const cutroom_call *call, const int16_t *weights) {
    const cutroom_frame *in = cutroom_current(call, 0), *out = call->output;
    float color[3];
    kit_light(call->values[COLOR].n, out->transfer, color);
    int16_t row[PIECE];
    for (int y = call->row_begin; y < call->row_end; y++) {
        const float *from = (const float *)(const void *)(in->plane[0] + y * in->stride[0]);
        float *to = (float *)(void *)(out->plane[0] + y * out->stride[0]);
        for (int x = 0; x < out->width; x++, from += 4, to += 4) {
            if (x % PIECE == 0) fill_row(row, weights, out, 0, x, y, out->width - x < PIECE ? out->width - x : PIECE);
            const float kept = row[x % PIECE] / (float)ONE;
            const float alpha = out->alpha == CUTROOM_ALPHA_PREMULTIPLIED ? from[3] : 1;
            for (int c = 0; c < 3; c++) to[c] = from[c] * kept + color[c] * alpha * (1 - kept);
            to[3] = from[3];
        }
    }
}

static cutroom_status process(void *instance, const cutroom_call *call) {
    (void)instance;
    if (call->values[STRENGTH].n[0] * call->values[COLOR].n[3] == 0) return CUTROOM_PASS;
    int16_t weights[STEPS + 1];
    fill_weights(weights, call->values);
    switch (call->output->format) {
    case CUTROOM_FORMAT_YUV420P8: process_yuv(call, weights); return CUTROOM_OK;
    case CUTROOM_FORMAT_RGBA8: process_rgba(call, weights); return CUTROOM_OK;
    case CUTROOM_FORMAT_RGBAF32: process_floats(call, weights); return CUTROOM_OK;
    default: return CUTROOM_ERROR_FORMAT;
    }
}

/* No state: an instance is nothing at all. */
static cutroom_status create(const cutroom_effect *effect, const cutroom_host *host, const cutroom_setup *setup,
                             void **instance) {
    (void)effect, (void)host, (void)setup;
    *instance = NULL;
    return CUTROOM_OK;
}

static void destroy(void *instance) { (void)instance; }

static const cutroom_format formats[] = {CUTROOM_FORMAT_YUV420P8, CUTROOM_FORMAT_RGBA8, CUTROOM_FORMAT_RGBAF32};

static const cutroom_effect vignette = {
    .struct_size = sizeof vignette,
    .kind = CUTROOM_KIND_FILTER,
    .capabilities = CUTROOM_CAN_IN_PLACE | CUTROOM_CAN_ROW_SLICES | CUTROOM_CAN_SHARE_INSTANCE | CUTROOM_IGNORES_TIMELINE,
    .concurrency = CUTROOM_CONCURRENCY_REENTRANT,
    .state = CUTROOM_STATE_PURE,
    .determinism = CUTROOM_DETERMINISM_MACHINE,
    .format_count = sizeof formats / sizeof *formats,
    .formats = formats,
    .id = "org.cutroom.vignette",
    .version = "1.0.0",
    .name = "Vignette",
    .vendor = "Cutroom",
    .license = "MIT",
    .help = "Darkens or tints the picture towards its corners.",
    .params = params,
    .param_count = PARAM_COUNT,
    .param_stride = sizeof *params,
    .create = create,
    .destroy = destroy,
    .process = process,
};

static const cutroom_effect *const effects[] = {&vignette};

KIT_LIBRARY("Vignette", effects);
