// Lets an exception leave process.
#include <cutroom/plugin.h>
#include <stdexcept>

static const cutroom_format formats[] = {CUTROOM_FORMAT_RGBA8};

static cutroom_status create(const cutroom_effect *, const cutroom_host *, const cutroom_setup *setup, void **instance) {
    if (setup->format != formats[0]) return CUTROOM_ERROR_FORMAT;
    *instance = nullptr;
    return CUTROOM_OK;
}
static void destroy(void *) {}
static cutroom_status process(void *, const cutroom_call *call) {
    if (call->output->width % 2) throw std::runtime_error("odd width");
    return CUTROOM_PASS;
}
static cutroom_effect make() {
    cutroom_effect effect{};
    effect.struct_size = sizeof effect;
    effect.kind = CUTROOM_KIND_FILTER;
    effect.state = CUTROOM_STATE_PURE;
    effect.format_count = 1;
    effect.formats = formats;
    effect.id = "test.throws";
    effect.version = "1.0.0";
    effect.name = effect.vendor = effect.help = "Throws";
    effect.license = "MIT";
    effect.create = create;
    effect.destroy = destroy;
    effect.process = process;
    return effect;
}
static const cutroom_effect effect = make();
static cutroom_status init(const cutroom_host *, const char *) { return CUTROOM_OK; }
static uint32_t effect_count() { return 1; }
static const cutroom_effect *effect_at(uint32_t index) { return index == 0 ? &effect : nullptr; }
const cutroom_plugin cutroom_plugin_entry = {
    CUTROOM_MAGIC, sizeof cutroom_plugin_entry, CUTROOM_ABI_MAJOR, CUTROOM_ABI_MINOR, 0, 0, "Throws", "1.0.0", init, effect_count,
    effect_at, nullptr, nullptr};
