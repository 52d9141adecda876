/* org.cutroom.gradient: a way from one colour to another, which may move. */
#include "../sources.h"

enum { COLOR, COLOR_2, STYLE, ANGLE, CENTER, SIZE, PHASE, SPEED };
enum { STYLE_LINEAR, STYLE_RADIAL };

static const char *const styles[] = {"linear", "radial"};
static const cutroom_param params[] = {
    [COLOR] = SOURCE_COLOR("color", "Colour", 0.16, 0.12, 0.42, 1, "The colour at the start of the gradient."),
    [COLOR_2] = SOURCE_COLOR("color_2", "Second colour", 0.94, 0.36, 0.47, 1, "The colour at the end of the gradient."),
    [STYLE] = SOURCE_ENUM("style", "Style", styles, "Along a line, or outwards from a point."),
    [ANGLE] = SOURCE_ANIMATED("angle", "Angle", "°", -3600, 3600, 45, "The direction of the line, clockwise from the right."),
    [CENTER] = {.type = CUTROOM_PARAM_POINT, .flags = CUTROOM_PARAM_ANIMATABLE, .id = "center", .label = "Centre", .unit = "",
                .help = "The middle of a linear gradient, or the start of a radial one, in widths and heights.",
                .minimum = -1, .maximum = 2, .initial = {0.5, 0.5}},
    [SIZE] = SOURCE_ANIMATED("size", "Size", "", 0.01, 100, 1, "The length of the gradient: 1 is from one side of the picture to the other. After its end it runs back."),
    [PHASE] = SOURCE_ANIMATED("phase", "Phase", "", -1000, 1000, 0, "Moves the colours along the gradient: 1 is there and back, which looks like 0."),
    [SPEED] = SOURCE_ANIMATED("speed", "Speed", "Hz", -30, 30, 0, "How often in a second the colours move there and back."),
};

/* 4×4 thresholds of ordered dithering (Bayer 1973), so that bytes show no bands. */
static const float bayer[4][4] = {{0, 8, 2, 10}, {12, 4, 14, 6}, {3, 11, 1, 9}, {15, 7, 13, 5}};

static cutroom_status draw(void *memory, const cutroom_host *host, const cutroom_call *call) {
    (void)memory;
    const cutroom_value *values = call->values;
    const cutroom_frame *frame = call->output;
    const int width = frame->width, height = frame->height, is_radial = values[STYLE].n[0] == STYLE_RADIAL;
    const source_color a = source_encode(&values[COLOR], frame), b = source_encode(&values[COLOR_2], frame);
    const double angle = values[ANGLE].n[0] * M_PI / 180, dx = pm_cos(angle), dy = pm_sin(angle);
    /* From corner to corner in the line's direction; for a radial one to the corner that is
     * farthest from the middle. */
    const double reach = is_radial ? pm_hypot(width, height) / 2 : fabs(dx) * width + fabs(dy) * height;
    const double length = values[SIZE].n[0] * reach, shift = 2 * (values[PHASE].n[0] + values[SPEED].n[0] * source_time(call));
    const double x0 = values[CENTER].n[0] * width, y0 = values[CENTER].n[1] * height;
    source_color *row = source_alloc(host, (size_t)width, sizeof *row);
    if (!row) return CUTROOM_ERROR_MEMORY;
    const float grain = frame->format == CUTROOM_FORMAT_RGBA8 ? 1 / 255.0f : 0;
    for (int y = call->row_begin; y < call->row_end; y++) {
        for (int x = 0; x < width; x++) {
            const double px = x + 0.5 - x0, py = y + 0.5 - y0;
            const double way = (is_radial ? pm_hypot(px, py) / length : 0.5 + (px * dx + py * dy) / length) - shift;
            /* There and back: a triangle between 0 and 1. */
            const double turn = fabs(way - 2 * floor(way / 2 + 0.5));
            row[x] = source_mix(a, b, (float)turn);
            const float dither = ((bayer[y % 4][x % 4] + 0.5f) / 16 - 0.5f) * grain;
            for (int c = 0; c < 3; c++) {
                const float value = row[x].rgb[c] + dither;
                row[x].rgb[c] = value < 0 ? 0 : value > 1 ? 1 : value;
            }
        }
        source_put(frame, y, row, width);
    }
    source_release(host, row);
    return CUTROOM_OK;
}

const source_effect source_gradient = {
    .abi = SOURCE_EFFECT(CUTROOM_CAN_ROW_SLICES | CUTROOM_CAN_SHARE_INSTANCE, CUTROOM_CONCURRENCY_REENTRANT, "org.cutroom.gradient",
                         "Gradient", "A gradient from one colour to another, which may move.", params),
    .draw = draw,
};
