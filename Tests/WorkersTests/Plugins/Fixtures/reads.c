/* Adds the first byte of `data/add.bin` beside the library, or 0. -DDECLARES names that file in the
 * entry; FILES are others. */
#include <stdio.h>
#include <string.h>
#include "fixture.h"

static int add;

static cutroom_status process(void *instance, const cutroom_call *call) {
    (void)instance;
    const cutroom_frame *in = cutroom_current(call, 0), *out = call->output;
    for (int y = call->row_begin; y < call->row_end; y++)
        for (int x = 0; x < 4 * out->width; x++) {
            const uint8_t from = in->plane[0][y * in->stride[0] + x];
            out->plane[0][y * out->stride[0] + x] = x % 4 == 3 ? from : (uint8_t)add;
        }
    return CUTROOM_OK;
}

static cutroom_status init(const cutroom_host *host, const char *path) {
    char file[4200];
    const char *slash = strrchr(path, '/');
    fixture_host = host;
    snprintf(file, sizeof file, "%.*s/data/add.bin", (int)(slash - path), path);
    FILE *data = fopen(file, "rb");
    add = data ? fgetc(data) : 0;
    if (data) fclose(data);
    return CUTROOM_OK;
}

#ifdef FILES
static const char *const data_files[] = {FILES, NULL};
#elif defined(DECLARES)
static const char *const data_files[] = {"data/add.bin", NULL};
#else
#define data_files NULL
#endif

static const cutroom_effect effect = {FIXTURE_EFFECT("test.reads", process), .capabilities = CUTROOM_IGNORES_TIMELINE};
FIXTURE_ONE(effect)
const cutroom_plugin cutroom_plugin_entry = {
    .magic = CUTROOM_MAGIC, .struct_size = sizeof(cutroom_plugin), .abi_major = 1, .abi_minor = CUTROOM_ABI_MINOR,
    .name = "Reads", .version = "1.0.0", .init = init, .effect_count = fixture_effect_count, .effect = fixture_effect, .files = data_files};
