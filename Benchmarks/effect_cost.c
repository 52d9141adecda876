/*
 * What an effect costs: effect_cost LIBRARY ID [@FRAMES] [NAME=VALUE[,NUMBER…]]…
 *
 * Calls `process` of a filter, transition, source or analyser directly for each frame of a second
 * (1920×1080, 30 per second), without decoding, encoding or conversions around it, and prints the
 * mean of the frames' processor time in milliseconds for each format that the effect has: each
 * frame's is the least of three.
 *
 * What an analyser costs depends on what it finds: it gets the frames of the file FRAMES, raw
 * 4:2:0, again and again.
 */
#include <cutroom/plugin.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { WIDTH = 1920, HEIGHT = 1080, FRAMES = 30, ROUNDS = 3, MOST_PARAMS = 64 };

static void *take(void *context, size_t size, size_t alignment) {
    (void)context;
    void *memory = NULL;
    return posix_memalign(&memory, alignment < sizeof(void *) ? sizeof(void *) : alignment, size) == 0 ? memory : NULL;
}
static void give(void *context, void *memory) { (void)context, free(memory); }
static void say(void *context, int32_t level, const char *text) { (void)context, (void)level, fprintf(stderr, "%s\n", text); }
static void complain(void *context, void *handle, const char *text) {
    (void)context, (void)handle, fprintf(stderr, "%s\n", text);
}
static int32_t never(void *context, void *handle) { return (void)context, (void)handle, 0; }
static cutroom_status emit(void *context, void *handle, const char *key, const double *numbers, uint32_t count) {
    return (void)context, (void)handle, (void)key, (void)numbers, (void)count, CUTROOM_OK;
}
static cutroom_status parallel(void *context, void (*task)(void *, uint32_t), void *data, uint32_t count) {
    (void)context;
    for (uint32_t i = 0; i < count; i++) task(data, i);
    return CUTROOM_OK;
}
static const void *extension(void *context, const char *id, uint32_t revision) {
    return (void)context, (void)id, (void)revision, NULL;
}

static const cutroom_host host = {
    .struct_size = sizeof host, .abi_major = CUTROOM_ABI_MAJOR, .abi_minor = CUTROOM_ABI_MINOR, .name = "effect_cost",
        .version = "1",
    .log = say, .error = complain, .cancelled = never, .emit = emit, .alloc = take, .release = give, .parallel = parallel,
    .extension = extension};

/* Slopes with noise: what footage is for the processor. */
static cutroom_frame frame(cutroom_format format) {
    const int rgba = format == CUTROOM_FORMAT_RGBA8;
    const size_t area = (size_t)WIDTH * HEIGHT, size = rgba ? 4 * area : area * 3 / 2;
    uint8_t *memory = take(NULL, size, 64);
    uint32_t noise = 1;
    for (size_t i = 0; i < size; i++) {
        noise = noise * 1664525 + 1013904223;
        memory[i] = rgba && i % 4 == 3 ? 255 : (uint8_t)(40 + i % WIDTH * 160 / WIDTH + (noise >> 28));
    }
    cutroom_frame f = {
        .struct_size = sizeof f, .format = format, .width = WIDTH, .height = HEIGHT, .plane_count = rgba ? 1 : 3,
            .plane_align = 64,
        .plane = {memory, rgba ? NULL : memory + area, rgba ? NULL : memory + area * 5 / 4},
            .stride = {rgba ? 4 * WIDTH : WIDTH, rgba ? 0 : WIDTH / 2, rgba ? 0 : WIDTH / 2},
        .primaries = 1, .transfer = 1, .matrix = rgba ? 0 : 1, .full_range = (uint32_t)rgba, .pixel_aspect = {1, 1},
            .duration = {1, 30}};
    return f;
}

/* The frames of an analyser's clip, one after another in memory; none of them if the file cannot be
 * read. */
static uint8_t *footage;
static size_t footage_count;
static const size_t footage_size = (size_t)WIDTH * HEIGHT * 3 / 2;
static void read_footage(const char *path) {
    FILE *file = fopen(path, "rb");
    if (!file) return;
    footage = take(NULL, FRAMES * footage_size, 64);
    footage_count = fread(footage, footage_size, FRAMES, file);
    fclose(file);
}
static cutroom_frame footage_frame(int index) {
    const size_t area = (size_t)WIDTH * HEIGHT;
    cutroom_frame f = {
        .struct_size = sizeof f, .format = CUTROOM_FORMAT_YUV420P8, .width = WIDTH, .height = HEIGHT, .plane_count = 3, .plane_align = 16,
        .stride = {WIDTH, WIDTH / 2, WIDTH / 2}, .primaries = 1, .transfer = 1, .matrix = 1, .pixel_aspect = {1, 1}, .duration = {1, 30}};
    f.plane[0] = footage + (size_t)index % footage_count * footage_size;
    f.plane[1] = f.plane[0] + area, f.plane[2] = f.plane[1] + area / 4;
    return f;
}

static double milliseconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static void set(const cutroom_effect *effect, cutroom_value *values, const char *word) {
    for (uint32_t i = 0; i < effect->param_count; i++) {
        const cutroom_param *param = (const cutroom_param *)(const void *)((const char *)effect->params
            + i * effect->param_stride);
        const size_t length = strlen(param->id);
        if (strncmp(word, param->id, length) != 0 || word[length] != '=') continue;
        if (param->type == CUTROOM_PARAM_PATH || param->type == CUTROOM_PARAM_STRING) values[i].text = word + length + 1;
        char *next = (char *)word + length;
        for (int c = 0; c < 4 && *next; c++) values[i].n[c] = strtod(next + 1, &next);
    }
}

static int measure(const cutroom_effect *effect, cutroom_format format, const cutroom_value *values) {
    const cutroom_frame in = frame(format);
    cutroom_frame out = frame(format);
    if (effect->kind == CUTROOM_KIND_SOURCE) out.alpha = CUTROOM_ALPHA_STRAIGHT;
    const cutroom_setup setup = {
        .struct_size = sizeof setup, .format = format, .width = WIDTH, .height = HEIGHT, .pixel_aspect = {1, 1},
            .frame_rate = {30, 1},
        .primaries = 1, .transfer = 1, .matrix = in.matrix, .full_range = in.full_range, .max_threads = 1,
            .value_count = effect->param_count,
        .values = values};
    void *instance;
    if (effect->create(effect, &host, &setup, &instance) != CUTROOM_OK) return 1;
    const int is_analyser = effect->kind == CUTROOM_KIND_ANALYSER;
    cutroom_frame clip[2];
    const cutroom_frame *window[2] = {&in, &in};
    const cutroom_input input = {.struct_size = sizeof input, .before = is_analyser ? effect->reach_before : 0, .frames = window};
    const cutroom_input *const inputs[] = {&input, &input};
    double sum = 0;
    for (int n = 0; n < FRAMES; n++) {
        for (int i = 0; is_analyser && i < 2; i++) clip[i] = footage_frame(n + i), window[i] = &clip[i];
        const cutroom_call call = {
            .struct_size = sizeof call,
            .input_count = effect->kind == CUTROOM_KIND_SOURCE ? 0 : effect->kind == CUTROOM_KIND_TRANSITION ? 2 : 1,
            .value_count = effect->param_count, .inputs = inputs, .output = is_analyser ? NULL : &out, .values = values, .row_end = HEIGHT, .time = {n, 30}, .timeline_time = {n, 30}, .duration = {1, 1},
                .progress = n / 30.0, .index = n,
            .seed = (uint64_t)n * 0x9e3779b97f4a7c15u};
        double least = 1e9;
        for (int round = 0; round < ROUNDS; round++) {
            const double start = milliseconds();
            if (effect->process(instance, &call) < 0) return 1;
            const double spent = milliseconds() - start;
            if (spent < least) least = spent;
        }
        sum += least;
    }
    effect->destroy(instance);
    printf("%s %.2f\n", format == CUTROOM_FORMAT_RGBA8 ? "rgba8" : "yuv420p8", sum / FRAMES);
    give(NULL, in.plane[0]), give(NULL, out.plane[0]);
    return 0;
}

/* A second of stereo in blocks of 256 samples, as a render asks for them. */
static int measure_sound(const cutroom_effect *effect, const cutroom_value *values) {
    enum { RATE = 48000, BLOCK = 256 };
    const size_t margin = effect->reach_before + effect->reach_after, stride = 4 * (RATE + margin + BLOCK);
    float *memory = take(NULL, 2 * stride, 64), *result = take(NULL, 2 * 4 * BLOCK, 64);
    uint32_t noise = 1;
    for (size_t i = 0; i < 2 * stride / 4; i++) {
        noise = noise * 1664525 + 1013904223;
        memory[i] = (float)((int)(noise >> 16) - 32768) / 131072 + (i / 100 % 2 ? 0.25f : -0.25f);
    }
    const cutroom_setup setup = {
        .struct_size = sizeof setup, .format = CUTROOM_FORMAT_PCMF32_PLANAR, .frame_rate = {30, 1}, .sample_rate = RATE,
        .max_samples = BLOCK, .channel_count = 2, .channel_mask = 3, .max_threads = 1, .value_count = effect->param_count,
        .values = values};
    double least = 1e9;
    for (int round = 0; round < ROUNDS; round++) {
        void *instance;
        if (effect->create(effect, &host, &setup, &instance) != CUTROOM_OK) return 1;
        const double start = milliseconds();
        for (int n = 0; n + BLOCK <= RATE; n += BLOCK) {
            cutroom_frame in = {.struct_size = sizeof in, .format = CUTROOM_FORMAT_PCMF32_PLANAR, .plane_count = 1, .plane_align = 4,
                                .sample_rate = RATE, .channel_count = 2, .channel_mask = 3, .duration = {BLOCK, RATE}, .index = n};
            cutroom_frame out = in;
            in.plane[0] = (uint8_t *)(memory + n), in.stride[0] = (ptrdiff_t)stride, in.sample_count = (uint32_t)(BLOCK + margin);
            out.plane[0] = (uint8_t *)result, out.stride[0] = 4 * BLOCK, out.sample_count = BLOCK;
            const cutroom_frame *window = &in;
            /* What keys an effect is the same sound. */
            const cutroom_input input = {.struct_size = sizeof input, .frames = &window}, *inputs[] = {&input, &input};
            const cutroom_call call = {
                .struct_size = sizeof call, .flags = n == 0 ? CUTROOM_CALL_DISCONTINUITY : 0,
                .input_count = effect->capabilities & CUTROOM_WANTS_KEY ? 2 : 1,
                .value_count = effect->param_count, .inputs = inputs, .output = &out, .values = values, .time = {n, RATE},
                .timeline_time = {n, RATE}, .duration = {1, 1}, .progress = (double)n / RATE, .index = n};
            if (effect->process(instance, &call) < 0) return 1;
        }
        const double spent = milliseconds() - start;
        if (spent < least) least = spent;
        effect->destroy(instance);
    }
    printf("pcmf32_planar %.2f\n", least);
    give(NULL, memory), give(NULL, result);
    return 0;
}

int main(int count, char **words) {
    void *library = count > 2 ? dlopen(words[1], RTLD_NOW | RTLD_LOCAL) : NULL;
    const cutroom_plugin *plugin = library ? dlsym(library, "cutroom_plugin_entry") : NULL;
    if (!plugin || plugin->init(&host, words[1]) != CUTROOM_OK) {
        fprintf(stderr, "usage: effect_cost LIBRARY ID [@FRAMES] [NAME=VALUE[,NUMBER…]]…  %s\n", library || count < 3 ? "" : dlerror());
        return 2;
    }
    for (uint32_t i = 0; i < plugin->effect_count(); i++) {
        const cutroom_effect *effect = plugin->effect(i);
        if (strcmp(effect->id, words[2]) != 0 || effect->param_count > MOST_PARAMS) continue;
        cutroom_value values[MOST_PARAMS] = {{{0}, NULL}};
        for (uint32_t p = 0; p < effect->param_count; p++) {
            const cutroom_param *param = (const cutroom_param *)(const void *)((const char *)effect->params
                + p * effect->param_stride);
            memcpy(values[p].n, param->initial, sizeof values[p].n);
            values[p].text = param->initial_text ? param->initial_text : "";
        }
        for (int w = 3; w < count; w++) *words[w] == '@' ? read_footage(words[w] + 1) : set(effect, values, words[w]);
        if (effect->kind == CUTROOM_KIND_AUDIO_FILTER) return measure_sound(effect, values);
        if (effect->kind == CUTROOM_KIND_ANALYSER) {
            if (footage_count > 0 && effect->reach_before <= 1 && effect->reach_after == 0)
                return measure(effect, CUTROOM_FORMAT_YUV420P8, values);
            fprintf(stderr, "an analyser needs @FRAMES, with one whole frame at least, and may look one frame back\n");
            return 2;
        }
        for (uint32_t f = 0; f < effect->format_count; f++)
            if (effect->formats[f] == CUTROOM_FORMAT_YUV420P8 || effect->formats[f] == CUTROOM_FORMAT_RGBA8)
                if (measure(effect, effect->formats[f], values) != 0) return 1;
        return 0;
    }
    fprintf(stderr, "%s has no effect %s\n", words[1], words[2]);
    return 2;
}
