/*
 * org.cutroom.vignette: darkens (or tints) a picture towards its corners.
 *
 * With d the distance from the centre in half diagonals, every pixel is mixed with the colour by
 * strength · smoothstep(radius, radius + softness, d). It works on the canvas' own YUV 4:2:0, so that a render converts
 * nothing, and where the canvas is HDR on floats.
 */
#include <cutroom/plugin.h>
#include <math.h>

enum { STRENGTH, RADIUS, SOFTNESS, COLOR, PARAM_COUNT };

#define NUMBER(the_id, the_label, low, high, start, the_help)                                                        \
    {.type = CUTROOM_PARAM_DOUBLE, .flags = CUTROOM_PARAM_ANIMATABLE, .id = the_id, .label = the_label, .unit = "",  \
     .help = the_help, .minimum = low, .maximum = high, .initial = {start}}

static const cutroom_param params[PARAM_COUNT] = {
    [STRENGTH] = NUMBER("strength", "Strength", 0, 1, 0.5,
                        "How much of the colour is mixed in at the corners: 0 leaves the picture as it is."),
    [RADIUS] = NUMBER("radius", "Radius", 0, 1, 0.4,
                      "Where it begins, in half diagonals from the centre: 0 is the centre, 1 the corners."),
    [SOFTNESS] = NUMBER("softness", "Softness", 0.01, 2, 0.6, "The width of the soft edge, in half diagonals."),
    [COLOR] = {.type = CUTROOM_PARAM_COLOR, .flags = CUTROOM_PARAM_ANIMATABLE, .id = "color", .label = "Colour", .unit = "",
               .help = "The colour of the corners; its alpha lowers the strength.",
               .minimum = 0, .maximum = 1, .initial = {0, 0, 0, 1}},
};

/* Weights of the picture in 1/16384, by squared distance: so fine that neighbours hardly differ by a code value. */
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
 * The weights of `count` samples of row `y` from column `x` on; `shift` is 1 for a subsampled plane, whose sample lies in
 * the middle of a square of pixels. Offsets from the centre are in half pixels. The squared distance, in steps with 32
 * bits of fraction, is a parabola along the row, so that two additions make the next one.
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

/* Kr and Kb of an H.273 matrix; BT.709 for those not listed. */
static void luma_weights(uint32_t matrix, double *kr, double *kb) {
    switch (matrix) {
    case 5: case 6: *kr = 0.299, *kb = 0.114; break;
    case 9: *kr = 0.2627, *kb = 0.0593; break;
    default: *kr = 0.2126, *kb = 0.0722; break;
    }
}

static void process_yuv(const cutroom_call *call, const int16_t *weights) {
    const double *rgb = call->values[COLOR].n;
    const int full = call->output->full_range == 1;
    double kr, kb;
    luma_weights(call->output->matrix, &kr, &kb);
    const double y = kr * rgb[0] + (1 - kr - kb) * rgb[1] + kb * rgb[2];
    const double u = (rgb[2] - y) / (2 * (1 - kb)), v = (rgb[0] - y) / (2 * (1 - kr));
    const double span = full ? 255 : 224;
    mix_plane(call, weights, 0, 0, (int16_t)((full ? 255 * y : 16 + 219 * y) + 0.5));
    mix_plane(call, weights, 1, 1, (int16_t)fmin(128 + span * u + 0.5, 255));
    mix_plane(call, weights, 2, 1, (int16_t)fmin(128 + span * v + 0.5, 255));
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

/* ITU-R BT.2100: light in cd/m² as PQ; light in parts of HLG's nominal display of 1000 cd/m², undone by its gain, as HLG. */
static double pq(double light) {
    const double y = pow(light / 10000, 2610.0 / 16384);
    return pow((3424.0 / 4096 + 2413.0 / 128 * y) / (1 + 2392.0 / 128 * y), 2523.0 / 32);
}
static double hlg(double scene) {
    return scene <= 1.0 / 12 ? sqrt(3 * scene) : 0.17883277 * log(12 * scene - 0.28466892) + 0.55991073;
}

/* The colour parameter as the frame encodes it. In HDR of BT.2020 its white is the reference white of 203 cd/m² (ITU-R BT.2408);
 * the matrix is that of ITU-R BT.2087. */
static void encode_color(const double srgb[3], uint32_t transfer, float out[3]) {
    static const double matrix[3][3] = {{0.6274, 0.3293, 0.0433}, {0.0691, 0.9195, 0.0114}, {0.0164, 0.0880, 0.8956}};
    double light[3], luminance = 0;
    for (int c = 0; c < 3; c++) {
        light[c] = 0;
        for (int i = 0; i < 3; i++) light[c] += 203 * matrix[c][i] * pow(srgb[i], 2.4);
    }
    luminance = (0.2627 * light[0] + 0.6780 * light[1] + 0.0593 * light[2]) / 1000;
    for (int c = 0; c < 3; c++) {
        if (transfer == 16) out[c] = (float)pq(light[c]);
        else if (transfer == 18) out[c] = luminance > 0 ? (float)hlg(light[c] / 1000 * pow(luminance, 1 / 1.2 - 1)) : 0;
        else out[c] = (float)srgb[c];
    }
}

static void process_floats(const cutroom_call *call, const int16_t *weights) {
    const cutroom_frame *in = cutroom_current(call, 0), *out = call->output;
    float color[3];
    encode_color(call->values[COLOR].n, out->transfer, color);
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
    .capabilities = CUTROOM_CAN_IN_PLACE | CUTROOM_CAN_ROW_SLICES | CUTROOM_CAN_SHARE_INSTANCE,
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

static cutroom_status init(const cutroom_host *host, const char *path) {
    (void)host, (void)path;
    return CUTROOM_OK;
}

static uint32_t effect_count(void) { return 1; }
static const cutroom_effect *effect(uint32_t index) { return index == 0 ? &vignette : NULL; }

const cutroom_plugin cutroom_plugin_entry = {
    .magic = CUTROOM_MAGIC,
    .struct_size = sizeof cutroom_plugin_entry,
    .abi_major = CUTROOM_ABI_MAJOR,
    .abi_minor = CUTROOM_ABI_MINOR,
    .name = "Vignette",
    .version = "1.0.0",
    .init = init,
    .effect_count = effect_count,
    .effect = effect,
};
