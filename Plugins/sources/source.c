/* The life of a source, and its pixels. */
#include "sources.h"

const cutroom_format source_formats[2] = {CUTROOM_FORMAT_RGBA8, CUTROOM_FORMAT_RGBAF32};

typedef struct instance {
    const source_effect *effect;
    const cutroom_host *host;
    void *state;
} instance;

void *source_alloc(const cutroom_host *host, size_t count, size_t size) {
    void *memory = host->alloc(host->context, count * size, 64);
    return memory ? memset(memory, 0, count * size) : NULL;
}

void source_release(const cutroom_host *host, void *memory) { host->release(host->context, memory); }

static void end(instance *one) {
    if (one->state && one->effect->dispose) one->effect->dispose(one->state, one->host);
    source_release(one->host, one->state);
    source_release(one->host, one);
}

cutroom_status source_create(const cutroom_effect *abi, const cutroom_host *host, const cutroom_setup *setup, void **result) {
    const source_effect *effect = (const source_effect *)(const void *)abi;
    if (setup->format != CUTROOM_FORMAT_RGBA8 && setup->format != CUTROOM_FORMAT_RGBAF32) return CUTROOM_ERROR_FORMAT;
    instance *made = source_alloc(host, 1, sizeof *made);
    if (!made) return CUTROOM_ERROR_MEMORY;
    *made = (instance){effect, host, source_alloc(host, 1, effect->size + 1)};
    cutroom_status status = made->state ? CUTROOM_OK : CUTROOM_ERROR_MEMORY;
    if (status == CUTROOM_OK && effect->prepare) status = effect->prepare(made->state, host, setup);
    if (status != CUTROOM_OK) return end(made), status;
    return *result = made, CUTROOM_OK;
}

void source_destroy(void *memory) { end(memory); }

cutroom_status source_process(void *memory, const cutroom_call *call) {
    instance *one = memory;
    return one->effect->draw(one->state, one->host, call);
}

/* ---- Colours ------------------------------------------------------------------------------------------------------------- */

/* ITU-R BT.2100: light in cd/m² as PQ; the scene's light in 0…1 as HLG. */
static double pq(double light) {
    const double y = pm_pow(light / 10000, 2610.0 / 16384);
    return pm_pow((3424.0 / 4096 + 2413.0 / 128 * y) / (1 + 2392.0 / 128 * y), 2523.0 / 32);
}
static double hlg(double scene) {
    return scene <= 1.0 / 12 ? sqrt(3 * scene) : 0.17883277 * pm_log(12 * scene - 0.28466892) + 0.55991073;
}

/* The matrix from BT.709 is that of ITU-R BT.2087, the reference white of 203 cd/m² that of ITU-R
 * BT.2408, and HLG's display the nominal one of 1000 cd/m² and a gamma of 1.2. */
source_color source_encode(const cutroom_value *value, const cutroom_frame *frame) {
    static const double matrix[3][3] = {{0.6274, 0.3293, 0.0433}, {0.0691, 0.9195, 0.0114}, {0.0164, 0.0880, 0.8956}};
    source_color color = {.alpha = (float)value->n[3]};
    double light[3];
    for (int c = 0; c < 3; c++) {
        light[c] = 0;
        for (int i = 0; i < 3; i++) light[c] += 203 * matrix[c][i] * pm_pow(value->n[i], 2.4);
    }
    const double luminance = (0.2627 * light[0] + 0.6780 * light[1] + 0.0593 * light[2]) / 1000;
    for (int c = 0; c < 3; c++) {
        if (frame->transfer == 16) color.rgb[c] = (float)pq(light[c]);
        else if (frame->transfer == 18) color.rgb[c] = luminance > 0 ? (float)hlg(light[c] / 1000 * pm_pow(luminance, 1 / 1.2 - 1)) : 0;
        else color.rgb[c] = (float)value->n[c];
    }
    return color;
}

source_color source_over(source_color a, source_color b, float cover) {
    const float over = b.alpha * cover, under = a.alpha * (1 - over);
    source_color result = {.alpha = over + under};
    for (int c = 0; c < 3; c++) result.rgb[c] = result.alpha > 0 ? (b.rgb[c] * over + a.rgb[c] * under) / result.alpha : 0;
    return result;
}

source_color source_mix(source_color a, source_color b, float t) {
    source_color result = {.alpha = a.alpha + (b.alpha - a.alpha) * t};
    for (int c = 0; c < 3; c++) result.rgb[c] = a.rgb[c] + (b.rgb[c] - a.rgb[c]) * t;
    return result;
}

void source_put(const cutroom_frame *frame, int y, const source_color *pixels, int count) {
    uint8_t *row = frame->plane[0] + y * frame->stride[0];
    for (int x = 0; x < count; x++) {
        /* Without alpha, black is behind. */
        const float scale = frame->alpha == CUTROOM_ALPHA_STRAIGHT ? 1 : pixels[x].alpha;
        const float alpha = frame->alpha == CUTROOM_ALPHA_NONE ? 1 : pixels[x].alpha;
        const float values[4] = {pixels[x].rgb[0] * scale, pixels[x].rgb[1] * scale, pixels[x].rgb[2] * scale, alpha};
        if (frame->format == CUTROOM_FORMAT_RGBAF32) {
            memcpy(row + 16 * (ptrdiff_t)x, values, sizeof values);
        } else {
            for (int c = 0; c < 4; c++) row[4 * (ptrdiff_t)x + c] = (uint8_t)(values[c] * 255 + 0.5f);
        }
    }
}

/* ---- Shapes -------------------------------------------------------------------------------------------------------------- */

/* Adds to each pixel of a row the share of it that lies between two places, times `height`. */
static void add_span(double left, double right, double height, float *cover, int width) {
    left = source_clamp(left, 0, width), right = source_clamp(right, 0, width);
    for (int x = (int)left; x < right; x++) cover[x] += (float)((fmin(right, x + 1) - fmax(left, x)) * height);
}

/* By area: exact for straight edges, in steps of an eighth of a row for round ends. */
void source_add_bar(source_bar bar, int y, float *cover, int width) {
    const double half_x = (bar.right - bar.left) / 2, half_y = (bar.bottom - bar.top) / 2;
    const double top = fmax(bar.top, y), bottom = fmin(bar.bottom, y + 1);
    if (half_x <= 0 || top >= bottom) return;
    const double radius = source_clamp(bar.radius, 0, half_x < half_y ? half_x : half_y);
    const int steps = top < bar.top + radius || bottom > bar.bottom - radius ? 8 : 1;
    const double height = (bottom - top) / steps;
    for (int i = 0; i < steps; i++) {
        const double at = top + (i + 0.5) * height;
        const double over = source_clamp(fmax(bar.top + radius - at, at - bar.bottom + radius), 0, radius);
        const double inset = radius - sqrt(radius * radius - over * over);
        add_span(bar.left + inset, bar.right - inset, height, cover, width);
    }
}
