/* org.cutroom.luma_matte: the brightness of an image says when each pixel changes: black first,
 * white last. */
#include "../transitions.h"
#include <image_reader.h>
#include <math.h>

enum { IMAGE, SOFTNESS, INVERT };

static const cutroom_param params[] = {
    [IMAGE] = {.type = CUTROOM_PARAM_PATH, .flags = CUTROOM_PARAM_SETUP_ONLY, .id = "image", .label = "Image", .unit = "",
               .help = "A PNG or JPEG file, which is scaled to the canvas. Where it is black the picture changes first, where it is "
                       "white last. Without an image the picture changes from left to right."},
    [SOFTNESS] = KIT_DOUBLE("softness", "Softness", "", 0, 1, 0.1, "How long a pixel takes, as a share of the transition."),
    [INVERT] = {.type = CUTROOM_PARAM_BOOL, .flags = CUTROOM_PARAM_SETUP_ONLY, .id = "invert", .label = "Invert", .unit = "",
                .help = "White changes first and black last.", .minimum = 0, .maximum = 1},
};

/* What a sample takes of each row or column of an image that is made larger or smaller: a triangle
 * as wide as two of the larger pixels. */
typedef struct triangle {
    double middle, reach;
    int first, last;
} triangle;

static triangle triangle_of(int at, int size, int from) {
    const double scale = (double)from / size, reach = scale > 1 ? scale : 1, middle = (at + 0.5) * scale - 0.5;
    return (triangle){middle, reach, (int)floor(middle - reach) + 1, (int)floor(middle + reach)};
}

static double weight_of(triangle t, int i) {
    const double away = i > t.middle ? i - t.middle : t.middle - i;
    return away < t.reach ? 1 - away / t.reach : 0;
}

/* Luma of a pixel over black, 0…1 (BT.709). */
static float brightness(const uint8_t *pixel) {
    return (0.2126f * pixel[0] + 0.7152f * pixel[1] + 0.0722f * pixel[2]) * pixel[3] / (255 * 255);
}

/* The image at the canvas' size: columns first. */
static cutroom_status scale(const cutroom_host *host, const image_pixels *image, const cutroom_setup *setup, uint16_t *turns) {
    const int width = setup->width, height = setup->height;
    /* The most that an image may have. */
    if ((uint64_t)width * (uint64_t)image->height > 1 << 28) {
        host->error(host->context, setup->handle, "the image is too high for this canvas");
        return CUTROOM_ERROR_PARAM;
    }
    float *rows = kit_alloc(host, sizeof *rows * (size_t)width * (size_t)image->height);
    if (!rows) return CUTROOM_ERROR_MEMORY;
    for (int x = 0; x < width; x++) {
        const triangle t = triangle_of(x, width, image->width);
        for (int y = 0; y < image->height; y++) {
            double sum = 0, all = 0;
            for (int i = t.first; i <= t.last; i++) {
                const double w = weight_of(t, i);
                const size_t place = (size_t)y * (size_t)image->width + (size_t)kit_clamp(i, 0, image->width - 1);
                sum += w * (double)brightness(image->rgba + 4 * place), all += w;
            }
            rows[(size_t)y * (size_t)width + (size_t)x] = (float)(sum / all);
        }
    }
    for (int y = 0; y < height; y++) {
        const triangle t = triangle_of(y, height, image->height);
        for (int x = 0; x < width; x++) {
            double sum = 0, all = 0;
            for (int i = t.first; i <= t.last; i++) {
                const double w = weight_of(t, i);
                sum += w * (double)rows[(size_t)kit_clamp(i, 0, image->height - 1) * (size_t)width + (size_t)x], all += w;
            }
            turns[(size_t)y * (size_t)width + (size_t)x] = (uint16_t)(int32_t)(65535 * kit_bound(sum / all, 0, 1) + 0.5);
        }
    }
    kit_release(host, rows);
    return CUTROOM_OK;
}

static cutroom_status prepare(void *memory, const cutroom_host *host, const cutroom_setup *setup) {
    matte_map *map = memory;
    const size_t count = (size_t)setup->width * (size_t)setup->height;
    const char *path = setup->values[IMAGE].text;
    map->turns = kit_alloc(host, sizeof *map->turns * count);
    cutroom_status status = map->turns ? CUTROOM_OK : CUTROOM_ERROR_MEMORY;
    if (status == CUTROOM_OK && path && *path) {
        image_pixels image;
        char reason[256] = "";
        status = image_read(host, path, &image, reason);
        if (*reason) host->error(host->context, setup->handle, reason);
        if (status == CUTROOM_OK) status = scale(host, &image, setup, map->turns), kit_release(host, image.rgba);
    } else if (status == CUTROOM_OK) {
        for (size_t i = 0; i < count; i++)
            map->turns[i] = (uint16_t)((2 * (i % (size_t)setup->width) + 1) * 65535 / (2 * (size_t)setup->width));
    }
    if (status != CUTROOM_OK) return kit_release(host, map->turns), status;
    for (size_t i = 0; setup->values[INVERT].n[0] != 0 && i < count; i++) map->turns[i] = (uint16_t)(65535 - map->turns[i]);
    return CUTROOM_OK;
}

static void dispose(void *memory, const cutroom_host *host) { kit_release(host, ((matte_map *)memory)->turns); }

typedef struct change {
    const uint16_t *turns;
    double turn, softness;
} change;

static void fill(const kit_job *job, const void *setting, int y, matte_row row) {
    const change *c = setting;
    matte_weights(job, c->turns, y, c->turn, c->softness, row.weight);
}

static cutroom_status render(const kit_job *job) {
    /* At least a code value of the image. */
    const double softness = 65535 * kit_bound(job->values[SOFTNESS].n[0], 1.0 / 256, 1);
    const change c = {((const matte_map *)job->data)->turns, job->progress * (65535 + softness), softness};
    return matte_mix(job, fill, &c, NULL);
}

const kit_effect transition_luma_matte = {
    .abi = KIT_TRANSITION("org.cutroom.luma_matte", "Luma matte",
                          "Changes each pixel at a time that the brightness of an image sets: dark first, bright last.", params),
    .render = render,
    .mixes = 1,
    .data_size = sizeof(matte_map),
    .prepare = prepare,
    .dispose = dispose,
};
