/* What every fixture needs: a frame copier, and an entry with one effect whose odd parts a fixture
 * defines before it includes this. */
#include <cutroom/plugin.h>

#ifndef FIXTURE_ID
#define FIXTURE_ID "test.fixture"
#endif
#ifndef FIXTURE_KIND
#define FIXTURE_KIND CUTROOM_KIND_FILTER
#endif
#ifndef FIXTURE_FORMATS
#define FIXTURE_FORMATS CUTROOM_FORMAT_RGBA8
#endif

#ifndef FIXTURE_DETERMINISM
#define FIXTURE_DETERMINISM CUTROOM_DETERMINISM_EXACT
#endif

static const cutroom_host *fixture_host;

static inline cutroom_status fixture_copy(const cutroom_call *call) {
    const cutroom_frame *in = cutroom_current(call, 0), *out = call->output;
    for (int y = call->row_begin; y < call->row_end; y++)
        memcpy(out->plane[0] + y * out->stride[0], in->plane[0] + y * in->stride[0], (size_t)out->width * 4);
    return CUTROOM_OK;
}

static inline cutroom_status fixture_create(const cutroom_effect *effect, const cutroom_host *host, const cutroom_setup *setup,
                                            void **instance) {
    (void)effect, (void)setup;
    fixture_host = host;
    *instance = NULL;
    return CUTROOM_OK;
}

static inline void fixture_destroy(void *instance) { (void)instance; }

static inline cutroom_status fixture_init(const cutroom_host *host, const char *path) {
    (void)path;
    fixture_host = host;
    return CUTROOM_OK;
}

static const cutroom_format fixture_formats[] = {FIXTURE_FORMATS};

#define FIXTURE_EFFECT(the_id, the_process)                                                                        \
    .struct_size = sizeof(cutroom_effect), .kind = FIXTURE_KIND, .state = CUTROOM_STATE_PURE, \
    .determinism = FIXTURE_DETERMINISM,                                                                       \
    .format_count = sizeof fixture_formats / sizeof *fixture_formats, .formats = fixture_formats, .id = the_id,     \
    .version = "1.0.0", .name = "Fixture", .vendor = "Tests", .license = "MIT", .help = "For a test.",              \
    .create = fixture_create, .destroy = fixture_destroy, .process = the_process

#define FIXTURE_PARAMS(the_params) \
    .params = the_params, .param_count = sizeof the_params / sizeof *the_params, .param_stride = sizeof *the_params

#define FIXTURE_ENTRY                                                                                               \
    .magic = CUTROOM_MAGIC, .struct_size = sizeof(cutroom_plugin), .abi_major = CUTROOM_ABI_MAJOR,                   \
    .abi_minor = CUTROOM_ABI_MINOR, .name = "Fixture", .version = "1.0.0", .init = fixture_init,                     \
    .effect_count = fixture_effect_count, .effect = fixture_effect

#define FIXTURE_ONE(the_effect)                                      \
    static uint32_t fixture_effect_count(void) { return 1; }         \
    static const cutroom_effect *fixture_effect(uint32_t index) {    \
        return index == 0 ? &the_effect : NULL;                      \
    }
