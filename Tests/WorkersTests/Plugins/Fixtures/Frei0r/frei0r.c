/* A frei0r plugin as somebody else would write it; what it does, and does wrong, is chosen by
 * definitions. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define API __attribute__((visibility("default")))

enum { FILTER, SOURCE, MIXER2, MIXER3 };
enum { BGRA, RGBA };
enum { BOOL, DOUBLE, COLOR, POSITION, STRING };

#ifndef TYPE
#define TYPE FILTER
#endif
#ifndef MODEL
#define MODEL RGBA
#endif
#ifndef MAJOR
#define MAJOR 7
#endif
#ifndef MINOR
#define MINOR 3
#endif
#ifndef INTERFACE
#define INTERFACE 1
#endif

typedef struct info {
    const char *name, *author;
    int type, color_model, interface_version, major, minor, param_count;
    const char *explanation;
} info;
typedef struct param {
    const char *name;
    int type;
    const char *explanation;
} param;

static const param params[] = {
#if defined FADER
    {"Fader", DOUBLE, "How much of the second picture."},
#elif defined SAME_NAMES
    {"a 3", DOUBLE, ""}, {"a", DOUBLE, ""}, {"a", DOUBLE, ""},
#elif defined ALL_TYPES
    {"On?", BOOL, "A switch."},      {"Größe  (px)", DOUBLE, NULL}, {"Tint", COLOR, ""},
    {"Centre", POSITION, "A place."}, {"Text", STRING, "Words."},    {"tint", DOUBLE, "The name of another."},
    {"", DOUBLE, "Without a name."},
#else
    {"Amount", DOUBLE, "How much."},
#endif
};

typedef struct instance {
    unsigned width, height;
    double on, number, again, nameless, sum;
    float color[3];
    double position[2];
    char text[64];
    int frames, constructed_random;
} instance;

API int f0r_init(void) {
#ifdef INIT_FAILS
    return -1;
#endif
    return 1;
}
API void f0r_deinit(void) {}

API void f0r_get_plugin_info(info *to) {
#ifdef CRASHES
    abort();
#endif
    *to = (info){"Fixture", "Somebody", TYPE, MODEL, INTERFACE, MAJOR, MINOR, (int)(sizeof params / sizeof *params), "Does little."};
}
API void f0r_get_param_info(param *to, int index) { *to = params[index]; }

API void *f0r_construct(unsigned width, unsigned height) {
#ifdef NO_INSTANCE
    return NULL;
#endif
    if (width % 8 || height % 8) abort();
    instance *it = calloc(1, sizeof *it);
    it->width = width;
    it->height = height;
    it->on = 1;
    it->number = 0.25;
    /* What cannot be a default. */
    it->again = 3;
    it->nameless = 0.0 / 0.0;
    it->color[0] = 0.5f;
    it->position[0] = 0.75;
    strcpy(it->text, "hello");
    it->constructed_random = rand();
    return it;
}
API void f0r_destruct(void *it) { free(it); }

API void f0r_set_param_value(void *handle, void *value, int index) {
    instance *it = handle;
#ifdef ALL_TYPES
    switch (index) {
    case 0: it->on = *(double *)value; break;
    case 1: it->number = *(double *)value; break;
    case 2: memcpy(it->color, value, sizeof it->color); break;
    case 3: memcpy(it->position, value, sizeof it->position); break;
    case 4: strncpy(it->text, *(char **)value, sizeof it->text - 1); break;
    case 5: it->again = *(double *)value; break;
    case 6: it->nameless = *(double *)value; break;
    }
#else
    (void)index;
    it->number = *(double *)value;
    it->sum += it->number;
#endif
}
API void f0r_get_param_value(void *handle, void *value, int index) {
    instance *it = handle;
#ifdef ALL_TYPES
    switch (index) {
    case 0: *(double *)value = it->on; break;
    case 1: *(double *)value = it->number; break;
    case 2: memcpy(value, it->color, sizeof it->color); break;
    case 3: memcpy(value, it->position, sizeof it->position); break;
    case 4: *(char **)value = it->text; break;
    case 5: *(double *)value = it->again; break;
    case 6: *(double *)value = it->nameless; break;
    }
#else
    (void)index;
    *(double *)value = it->number;
#endif
}

#ifndef NO_UPDATE
API void f0r_update(void *handle, double time, const uint32_t *in, uint32_t *out) {
    instance *it = handle;
    const size_t bytes = (size_t)it->width * it->height * 4;
    if ((uintptr_t)in % 16 || (uintptr_t)out % 16) abort();
    /* What is not written shows the input. */
    if (memcmp(in, out, bytes)) abort();
    (void)time;
#if defined ALL_TYPES
    const uint8_t values[] = {
        (uint8_t)(it->on * 255), (uint8_t)(it->number * 255 + 0.5), (uint8_t)(it->again * 255 + 0.5), 0,
        (uint8_t)(it->color[0] * 255 + 0.5f), (uint8_t)(it->color[1] * 255 + 0.5f), (uint8_t)(it->color[2] * 255 + 0.5f), 0,
        (uint8_t)(it->position[0] * 255 + 0.5), (uint8_t)(it->position[1] * 255 + 0.5), (uint8_t)it->text[0], 0,
        (uint8_t)(time * 100 + 0.5), (uint8_t)(it->nameless * 255 + 0.5), 0, 0,
    };
    memcpy(out, values, sizeof values);
#elif defined COUNTS
    memset(out, 10 * ++it->frames, bytes);
#elif defined SUMS
    memset(out, (int)(it->sum * 100 + 0.5), bytes);
#elif defined DRAWS_RANDOM
    out[0] = (uint32_t)rand() & 0xffffff;
    out[1] = (uint32_t)it->constructed_random & 0xffffff;
#else
    /* The first byte becomes 200, the others stay, and alpha is forgotten. */
    uint8_t *to = (uint8_t *)out;
    memset(out, 0, bytes);
    for (size_t i = 0; i < bytes; i += 4) {
        to[i] = 200;
        to[i + 1] = ((const uint8_t *)in)[i + 1];
        to[i + 2] = ((const uint8_t *)in)[i + 2];
    }
    /* Which is not the caller's own. */
    memset((void *)(uintptr_t)in, 0, bytes);
#endif
#ifdef WRITES_BEYOND
    out[bytes / 4] = 1;
#endif
}
#endif

API void f0r_update2(void *handle, double time, const uint32_t *a, const uint32_t *b, const uint32_t *c, uint32_t *out) {
    instance *it = handle;
    (void)time, (void)c;
    const uint8_t *first = (const uint8_t *)a, *second = (const uint8_t *)b;
    uint8_t *to = (uint8_t *)out;
    for (size_t i = 0; i < (size_t)it->width * it->height * 4; i++)
#ifdef FADER
        to[i] = (uint8_t)(first[i] * (1 - it->number) + second[i] * it->number + 0.5);
#else
        to[i] = (uint8_t)(first[i] > second[i] ? first[i] : second[i]);
#endif
}
