/*
 * What the kernels cost: for each the processor time in milliseconds for a picture of 1920×1080, on
 * one thread, as the median of many runs: of its AVX2 version, of the portable one, in turns, and
 * of the plain reference, with how many times as long the latter two take. A dash stands where
 * there is none; a kernel that copies or searches has one version for all processors. Nothing is
 * judged. What is not one picture: `scale` is from 3840×2160, `palette_choose` is once for a GIF,
 * `limiter` is a second of stereo.
 *
 * `make kernels` links it with the library of the release build. The same pictures are used again
 * and again, so they are in the processor's cache as far as they fit.
 */
#include "ckernels.h"
#include "ckernels_canvas.h"
#include "ckernels_hdr.h"
#include "ckernels_limiter.h"
#include "ckernels_palette.h"
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

/* Some references take half a second: after `LONG` milliseconds `FEW` runs do. */
enum { WIDTH = 1920, HEIGHT = 1080, AREA = WIDTH * HEIGHT, RUNS = 31, FEW = 3, LONG = 400, RATE = 48000 };

static ck_picture a, b, out, large, wide_a, wide_b, wide_out;
static uint8_t *rgba, *given, *rgb, *indices;
static float *floats, *more_floats, *layer, *sound[2];
static void *canvas_memory;
static ck_overlay *overlay;
static ck_overlay_10 *overlay_10;
static ck_lut *look;
static ck_gamut *gamut;
static ck_light *light;
static ck_scaler *scalers[2];
static ck_histogram *histogram;
static ck_palette *palette;
static ck_limiter *limiter;

static const ck_coding sdr = {0.2126, 0.0722, {0.64, 0.33, 0.30, 0.60, 0.15, 0.06, 0.3127, 0.3290}, 0, 0};
static const ck_coding sdr_2020 = {0.2627, 0.0593, {0.708, 0.292, 0.170, 0.797, 0.131, 0.046, 0.3127, 0.3290}, 0, 0};
static const ck_coding hlg = {0.2627, 0.0593, {0.708, 0.292, 0.170, 0.797, 0.131, 0.046, 0.3127, 0.3290}, 1, 0};
/* BT.601 to BT.709. */
static const ck_matrix_change change = {-1901, -3406, 16698, 1879, 1229, 16800};
static const uint8_t color[3] = {12, 200, 77};
static const int32_t part = 20000;

static void *take(size_t size) {
    void *memory = NULL;
    if (posix_memalign(&memory, 64, size) != 0) exit(1);
    return memory;
}

static uint32_t noise = 1;
static uint32_t next(void) { return noise = noise * 1664525 + 1013904223; }

/* Slopes with noise: what footage is for the processor. `size` is that of a sample, 2 for 10 bits.
 */
static ck_picture picture(int width, int height, int size) {
    const ptrdiff_t row = (ptrdiff_t)width * size;
    uint8_t *memory = take((size_t)(row * height * 3 / 2));
    for (ptrdiff_t i = 0; i < (ptrdiff_t)width * height * 3 / 2; i++) {
        const uint8_t value = (uint8_t)(40 + i % width * 160 / width + (next() >> 28));
        if (size == 1) memory[i] = value;
        else ((uint16_t *)(void *)memory)[i] = (uint16_t)(value << 2 | (next() >> 30));
    }
    return ck_make_picture(memory, row, memory + row * height, row / 2, memory + row * height * 5 / 4, row / 2, width, height);
}

static ck_scaler *scaler(int from_width, int from_height, int to_width, int to_height) {
    const double x = (double)from_width / to_width, y = (double)from_height / to_height;
    return ck_scaler_make((ck_scaling){from_width, from_height, to_width, to_height, x, y, x / 2 - 0.5, y / 2 - 0.5, 1, 0});
}

static void make(void) {
    a = picture(WIDTH, HEIGHT, 1), b = picture(WIDTH, HEIGHT, 1), out = picture(WIDTH, HEIGHT, 1);
    large = picture(2 * WIDTH, 2 * HEIGHT, 1);
    wide_a = picture(WIDTH, HEIGHT, 2), wide_b = picture(WIDTH, HEIGHT, 2), wide_out = picture(WIDTH, HEIGHT, 2);
    rgba = take(4 * AREA), rgb = take(3 * AREA), indices = take(AREA);
    for (int i = 0; i < 4 * AREA; i++) rgba[i] = (uint8_t)(40 + i / 4 % WIDTH * 160 / WIDTH + (next() >> 28));
    for (int i = 0; i < 3 * AREA; i++) rgb[i] = rgba[i / 3 * 4 + i % 3];
    floats = take(16 * AREA), more_floats = take(16 * AREA);
    for (int i = 0; i < 4 * AREA; i++) floats[i] = rgba[i] / 255.0f, more_floats[i] = rgba[4 * AREA - 1 - i] / 255.0f;
    layer = take(16 * AREA), given = take(4 * AREA), canvas_memory = take(ck_canvas_bytes(WIDTH, HEIGHT));
    for (int i = 0; i < 4 * AREA; i++) layer[i] = i % 4 == 3 ? more_floats[i] : more_floats[i] * more_floats[i | 3];
    /* Half of the pixels came back as they went. */
    for (int i = 0; i < 4 * AREA; i++) given[i] = (uint8_t)(rgba[i] + (i / 4 % 64 < 32));
    for (int c = 0; c < 2; c++) {
        sound[c] = take(sizeof(float) * RATE);
        for (int i = 0; i < RATE; i++) sound[c][i] = (float)next() / (float)(1u << 31) * 2 - 2;
    }
    float table[17 * 17 * 17 * 3];
    for (int i = 0; i < 17 * 17 * 17; i++) {
        table[3 * i] = (float)(i % 17) / 18 + 0.03f, table[3 * i + 1] = (float)(i / 17 % 17) / 17, table[3 * i + 2] = (float)(i / 289) / 20;
    }
    look = ck_lut_bake(table, 17, 1);
    gamut = ck_gamut_make(&sdr_2020, &sdr), light = ck_light_make(&sdr, &hlg);
    overlay = ck_overlay_prepare(rgba, 4 * WIDTH, WIDTH, HEIGHT);
    overlay_10 = ck_overlay_10_prepare(rgba, 4 * WIDTH, WIDTH, HEIGHT, light);
    scalers[0] = scaler(2 * WIDTH, 2 * HEIGHT, WIDTH, HEIGHT), scalers[1] = scaler(WIDTH, HEIGHT, WIDTH / 2, HEIGHT / 2);
    histogram = ck_histogram_create(), limiter = ck_limiter_create(2, RATE);
    if (!look || !gamut || !light || !overlay || !overlay_10 || !scalers[0] || !scalers[1] || !histogram || !limiter) exit(1);
    uint32_t colors[256];
    ck_histogram_add(histogram, rgb, 3 * WIDTH, WIDTH, HEIGHT);
    palette = ck_palette_create(colors, ck_palette_choose(histogram, 255, colors));
    if (!palette) exit(1);
}

/* All three planes of a picture of 3840×2160. */
static void scale(void (*one)(ck_scaler *, uint8_t *, ptrdiff_t, const uint8_t *, ptrdiff_t)) {
    for (int p = 0; p < 3; p++) one(scalers[p > 0], out.plane[p], out.stride[p], large.plane[p], large.stride[p]);
}

static void prepare(void) { ck_overlay_free(ck_overlay_prepare(rgba, 4 * WIDTH, WIDTH, HEIGHT)); }
static void prepare_10(void) { ck_overlay_10_free(ck_overlay_10_prepare(rgba, 4 * WIDTH, WIDTH, HEIGHT, light)); }
/* The way of a layer over a whole picture: chroma to full resolution, the layer, and chroma back.
 */
static void paint(int bits, int step) {
    ck_canvas canvas;
    ck_canvas_begin(&canvas, bits == 8 ? out : wide_out, bits, bits == 8 ? sdr.kr : hlg.kr, bits == 8 ? sdr.kb : hlg.kb, canvas_memory);
    switch (step) {
    case 0: ck_canvas_overlay(&canvas, overlay, 0, 0, 65536); break;
    case 1: ck_canvas_overlay_ref(&canvas, overlay, 0, 0, 65536); break;
    case 2: ck_canvas_overlay_10(&canvas, overlay_10, 0, 0, 65536); break;
    case 3: ck_canvas_overlay_10_ref(&canvas, overlay_10, 0, 0, 65536); break;
    case 4: ck_canvas_blend(&canvas, layer, 16 * WIDTH, CK_RGBAF_PRE, 0, 0, WIDTH, HEIGHT, 1, CK_BLEND_NORMAL); break;
    case 5: ck_canvas_blend_ref(&canvas, layer, 16 * WIDTH, CK_RGBAF_PRE, 0, 0, WIDTH, HEIGHT, 1, CK_BLEND_NORMAL); break;
    case 6: ck_canvas_blend(&canvas, layer, 16 * WIDTH, CK_RGBAF_PRE, 0, 0, WIDTH, HEIGHT, 1, CK_BLEND_SCREEN); break;
    default: ck_canvas_blend_ref(&canvas, layer, 16 * WIDTH, CK_RGBAF_PRE, 0, 0, WIDTH, HEIGHT, 1, CK_BLEND_SCREEN); break;
    }
    ck_canvas_end(&canvas);
}
static void choose(void) {
    uint32_t colors[256];
    ck_palette_choose(histogram, 255, colors);
}
/* Too loud all the time. */
static void limit(void) {
    static float copy[2][RATE];
    float *const planes[2] = {copy[0], copy[1]};
    for (int c = 0; c < 2; c++)
        for (int i = 0; i < RATE; i++) copy[c][i] = sound[c][i];
    ck_limiter_process(limiter, planes, RATE);
}
static void none(void) {}

/* The name; whether there is an AVX2 version beside the portable one; the kernel, and its
 * reference. */
#define KERNELS(K)                                                                                                                  \
    K(dissolve, 1, ck_dissolve(out, a, b, part), ck_dissolve_ref(out, a, b, part))                                                  \
    K(fade_black, 1, ck_fade_black(out, a, b, part), ck_fade_black_ref(out, a, b, part))                                            \
    K(wipe, 0, ck_wipe(out, a, b, part, CK_LEFT), ck_wipe_ref(out, a, b, part, CK_LEFT))                                            \
    K(slide, 0, ck_slide(out, a, b, part, CK_LEFT), ck_slide_ref(out, a, b, part, CK_LEFT))                                         \
    K(fill, 0, ck_fill(out, 0, 0, WIDTH, HEIGHT, 16, 128, 128), none())                                                             \
    K(overlay_prepare, 0, prepare(), none())                                                                                        \
    K(canvas_overlay, 1, paint(8, 0), paint(8, 1))                                                                                  \
    K(canvas_blend, 1, paint(8, 4), paint(8, 5))                                                                                    \
    K(canvas_blend_screen, 1, paint(8, 6), paint(8, 7))                                                                             \
    K(lut_apply, 1, ck_lut_apply(out, a, look), ck_lut_apply_ref(out, a, look))                                                     \
    K(scale, 1, scale(ck_scale), scale(ck_scale_ref))                                                                               \
    K(rgba_over_color, 1, ck_rgba_over_color(rgba, 4 * WIDTH, WIDTH, HEIGHT, color),                                                \
      ck_rgba_over_color_ref(rgba, 4 * WIDTH, WIDTH, HEIGHT, color))                                                                \
    K(rgba_from_yuv, 1, ck_rgba_from_yuv(rgba, 4 * WIDTH, a), ck_rgba_from_yuv_ref(rgba, 4 * WIDTH, a))                             \
    K(yuv_from_rgba, 1, ck_yuv_from_rgba(out, rgba, 4 * WIDTH, CK_CHROMA_INVERSE),                                                  \
      ck_yuv_from_rgba_ref(out, rgba, 4 * WIDTH, CK_CHROMA_INVERSE))                                                                \
    K(keep_yuv, 1, ck_keep_yuv(out, a, rgba, 4 * WIDTH, given, 4 * WIDTH),                                                          \
      ck_keep_yuv_ref(out, a, rgba, 4 * WIDTH, given, 4 * WIDTH))                                                                   \
    K(change_matrix, 1, ck_change_matrix(out, change), ck_change_matrix_ref(out, change))                                           \
    K(gamut_apply, 1, ck_gamut_apply(out, a, gamut), ck_gamut_apply_ref(out, a, gamut))                                             \
    K(gamut_apply_10_8, 1, ck_gamut_apply_10_8(out, wide_a, gamut), ck_gamut_apply_10_8_ref(out, wide_a, gamut))                    \
    K(dissolve_10, 1, ck_dissolve_10(wide_out, wide_a, wide_b, part), ck_dissolve_10_ref(wide_out, wide_a, wide_b, part))           \
    K(fade_black_10, 1, ck_fade_black_10(wide_out, wide_a, wide_b, part), ck_fade_black_10_ref(wide_out, wide_a, wide_b, part))     \
    K(wipe_10, 0, ck_wipe_10(wide_out, wide_a, wide_b, part, CK_LEFT), ck_wipe_10_ref(wide_out, wide_a, wide_b, part, CK_LEFT))     \
    K(slide_10, 0, ck_slide_10(wide_out, wide_a, wide_b, part, CK_LEFT), ck_slide_10_ref(wide_out, wide_a, wide_b, part, CK_LEFT))  \
    K(overlay_10_prepare, 0, prepare_10(), none())                                                                                  \
    K(canvas_overlay_10, 1, paint(10, 2), paint(10, 3))                                                                             \
    K(canvas_blend_10, 1, paint(10, 4), paint(10, 5))                                                                               \
    K(lut_apply_10, 1, ck_lut_apply_10(wide_out, wide_a, look), ck_lut_apply_10_ref(wide_out, wide_a, look))                        \
    K(light_apply, 1, ck_light_apply(wide_out, wide_a, light), ck_light_apply_ref(wide_out, wide_a, light))                         \
    K(rgbaf_from_yuv, 1, ck_rgbaf_from_yuv(floats, 16 * WIDTH, wide_a, 10, hlg.kr, hlg.kb),                                         \
      ck_rgbaf_from_yuv_ref(floats, 16 * WIDTH, wide_a, 10, hlg.kr, hlg.kb))                                                        \
    K(yuv_from_rgbaf, 1, ck_yuv_from_rgbaf(wide_out, floats, 16 * WIDTH, 10, hlg.kr, hlg.kb, CK_CHROMA_MEAN),                                    \
      ck_yuv_from_rgbaf_ref(wide_out, floats, 16 * WIDTH, 10, hlg.kr, hlg.kb, CK_CHROMA_MEAN))                                                      \
    K(histogram_add, 0, ck_histogram_add(histogram, rgb, 3 * WIDTH, WIDTH, HEIGHT), none())                                         \
    K(palette_choose, 0, choose(), none())                                                                                          \
    K(palette_dither, 0, ck_palette_dither(palette, rgb, 3 * WIDTH, WIDTH, HEIGHT, NULL, indices, WIDTH), none())                         \
    K(limiter, 0, limit(), none())

#define FUNCTIONS(name, versions, call, reference)                                                                                  \
    static void fast_##name(void) { call; }                                                                                         \
    static void plain_##name(void) { reference; }
KERNELS(FUNCTIONS)

typedef struct kernel {
    const char *name;
    int versions, has_reference;
    void (*fast)(void), (*plain)(void);
} kernel;
#define ROW(name, versions, call, reference) {#name, versions, #reference[0] != 'n', fast_##name, plain_##name},
static const kernel kernels[] = {KERNELS(ROW)};

static double milliseconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static double spent(void (*work)(void)) {
    const double start = milliseconds();
    work();
    return milliseconds() - start;
}

static int in_order(const void *x, const void *y) {
    const double first = *(const double *)x, second = *(const double *)y;
    return first < second ? -1 : first > second;
}
static double median(double *times, int count) {
    qsort(times, (size_t)count, sizeof *times, in_order);
    return times[count / 2];
}

/* Milliseconds, or a dash, and how many times as long that is as `base`. */
static void cell(double time, double base) {
    if (time < 0) printf(" – |");
    else printf(" %.2f |", time);
    if (base >= 0) {
        if (time < 0) printf(" – |");
        else printf(" %.1f |", time / base);
    }
}

int main(void) {
    make();
    printf("| kernel | AVX2 | portable | × | reference | × |\n|---|---:|---:|---:|---:|---:|\n");
    for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++) {
        const kernel *k = &kernels[i];
        double fast[RUNS], portable[RUNS], plain[RUNS], begin = milliseconds();
        /* Memory and caches are warm afterwards. */
        k->fast();
        int count = 0, plain_count = 0;
        for (; count < RUNS && (count < FEW || milliseconds() - begin < 2 * LONG); count++) {
            ck_use_portable(0);
            fast[count] = spent(k->fast);
            ck_use_portable(1);
            if (k->versions) portable[count] = spent(k->fast);
        }
        ck_use_portable(0);
        begin = milliseconds();
        for (; k->has_reference && plain_count < RUNS && (plain_count < FEW || milliseconds() - begin < LONG); plain_count++)
            plain[plain_count] = spent(k->plain);
        const double base = median(fast, count), other = k->versions ? median(portable, count) : -1;
        printf("| `%s` |", k->name);
        /* What has one version is portable; without AVX2 so is everything. */
        const int has_avx2 = k->versions && ck_uses_avx2();
        cell(has_avx2 ? base : -1, -1);
        cell(has_avx2 ? other : base, has_avx2 ? base : -1);
        if (!has_avx2) printf(" – |");
        cell(k->has_reference ? median(plain, plain_count) : -1, base);
        printf("\n");
        fflush(stdout);
    }
    return 0;
}
