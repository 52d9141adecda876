/* Paints each sample of its luma, or grey, with the level that the expression VALUE says, of
 * `call`, `in` (the first input's current picture), `x` and `y`, unless STATUS, another expression
 * of `call`, is not CUTROOM_OK. Its one parameter is a file. */
#include <stdio.h>
#ifndef FIXTURE_ID
#define FIXTURE_ID "test.paints"
#endif
#ifndef FIXTURE_FORMATS
#define FIXTURE_FORMATS CUTROOM_FORMAT_YUV420P8, CUTROOM_FORMAT_RGBA8
#endif
#include "fixture.h"

#ifndef VALUE
#define VALUE 100
#endif
#ifndef STATUS
#define STATUS CUTROOM_OK
#endif
#ifndef CAPABILITIES
#define CAPABILITIES 0
#endif
#ifndef BEFORE
#define BEFORE 0
#endif

static const cutroom_param params[] = {{.type = CUTROOM_PARAM_PATH, .id = "file", .label = "File", .unit = "", .help = "Any."}};

/* For VALUE: a file's first byte; 0 where it has none. */
static inline int first_byte(const char *path) {
    FILE *file = fopen(path, "rb");
    const int byte = file ? fgetc(file) : 0;
    if (file) fclose(file);
    return byte < 0 ? 0 : byte;
}

static cutroom_status process(void *instance, const cutroom_call *call) {
    const cutroom_frame *in = call->input_count ? cutroom_current(call, 0) : NULL, *out = call->output;
    const int is_grey = out->format == CUTROOM_FORMAT_RGBA8;
    const cutroom_status status = STATUS;
    (void)instance, (void)in;
    if (status != CUTROOM_OK) return status;
    for (int y = 0; y < out->height; y++)
        for (int x = 0; x < out->width; x++) {
            const uint8_t value = (uint8_t)(VALUE);
            uint8_t *to = out->plane[0] + y * out->stride[0] + (is_grey ? 4 * x : x);
            *to = value;
            if (is_grey) to[1] = to[2] = value, to[3] = 255;
        }
    for (int p = 1; p < 3 && !is_grey; p++)
        for (int y = 0; y < (out->height + 1) / 2; y++) memset(out->plane[p] + y * out->stride[p], 128, (size_t)(out->width + 1) / 2);
    return CUTROOM_OK;
}

static const cutroom_effect effect = {FIXTURE_EFFECT(FIXTURE_ID, process), FIXTURE_PARAMS(params), .capabilities = CAPABILITIES,
                                      .reach_before = BEFORE};
FIXTURE_ONE(effect)
const cutroom_plugin cutroom_plugin_entry = {FIXTURE_ENTRY};
