/* The arithmetic of libavfilter's `negate` (vf_negate.c, 8 bits): 255 less each sample, on the
 * canvas' own 4:2:0. RGBA is there for other hosts, as the interface asks for it. */
#include <cutroom/plugin.h>

static cutroom_status create(const cutroom_effect *effect, const cutroom_host *host, const cutroom_setup *setup, void **instance) {
    (void)effect, (void)host;
    *instance = NULL;
    return setup->format == CUTROOM_FORMAT_YUV420P8 || setup->format == CUTROOM_FORMAT_RGBA8 ? CUTROOM_OK : CUTROOM_ERROR_FORMAT;
}
static void destroy(void *instance) { (void)instance; }

static void negate(const uint8_t *from, uint8_t *to, int count) {
    for (int x = 0; x < count; x++) to[x] = (uint8_t)(255 - from[x]);
}

/* All but alpha. */
static void negate_rgba(const uint8_t *from, uint8_t *to, int count) {
    for (int x = 0; x < count; x++) to[x] = x % 4 == 3 ? from[x] : (uint8_t)(255 - from[x]);
}

static cutroom_status process(void *instance, const cutroom_call *call) {
    (void)instance;
    const cutroom_frame *in = cutroom_current(call, 0), *out = call->output;
    const int is_rgba = out->format == CUTROOM_FORMAT_RGBA8;
    for (unsigned p = 0; p < out->plane_count; p++) {
        const int shift = p > 0;
        const int width = is_rgba ? 4 * out->width : (out->width + shift) >> shift;
        for (int y = call->row_begin >> shift; y < (call->row_end + shift) >> shift; y++) {
            const uint8_t *from = in->plane[p] + y * in->stride[p];
            uint8_t *to = out->plane[p] + y * out->stride[p];
            (is_rgba ? negate_rgba : negate)(from, to, width);
        }
    }
    return CUTROOM_OK;
}

static const cutroom_format formats[] = {CUTROOM_FORMAT_YUV420P8, CUTROOM_FORMAT_RGBA8};

static const cutroom_effect negative = {
    .struct_size = sizeof negative, .kind = CUTROOM_KIND_FILTER, .capabilities = CUTROOM_CAN_IN_PLACE | CUTROOM_IGNORES_TIMELINE,
    .concurrency = CUTROOM_CONCURRENCY_REENTRANT, .state = CUTROOM_STATE_PURE, .determinism = CUTROOM_DETERMINISM_EXACT,
    .formats = formats, .format_count = 2, .id = "bench.negate", .version = "1.0.0", .name = "Negate", .vendor = "Cutroom",
    .license = "MIT", .help = "255 less each sample.", .create = create, .destroy = destroy, .process = process};

static cutroom_status init(const cutroom_host *host, const char *path) { return (void)host, (void)path, CUTROOM_OK; }
static uint32_t effect_count(void) { return 1; }
static const cutroom_effect *effect(uint32_t index) { return index == 0 ? &negative : NULL; }

const cutroom_plugin cutroom_plugin_entry = {
    .magic = CUTROOM_MAGIC, .struct_size = sizeof cutroom_plugin_entry, .abi_major = CUTROOM_ABI_MAJOR,
    .abi_minor = CUTROOM_ABI_MINOR, .name = "Negate", .version = "1.0.0", .init = init, .effect_count = effect_count, .effect = effect};
