/* Works on floats only. Leaves the left half as it is; the right half is a grey of transfer / 32,
 * or of 1 where the setup or the frame's other fields are not those of full-range RGB with that
 * transfer's primaries. */
#define FIXTURE_FORMATS CUTROOM_FORMAT_RGBAF32
#include "fixture.h"

static uint32_t setup_transfer;

static cutroom_status create(const cutroom_effect *effect, const cutroom_host *host, const cutroom_setup *setup,
                             void **instance) {
    (void)effect, (void)host;
    setup_transfer = setup->transfer;
    *instance = NULL;
    return CUTROOM_OK;
}

static cutroom_status process(void *instance, const cutroom_call *call) {
    (void)instance;
    const cutroom_frame *in = cutroom_current(call, 0), *out = call->output;
    const int right = out->format == CUTROOM_FORMAT_RGBAF32 && out->matrix == 0 && out->full_range == 1 && out->plane_align >= 64
        && setup_transfer == out->transfer && in->transfer == out->transfer && out->primaries == (out->transfer == 1 ? 1u : 9u);
    const float grey = right ? (float)out->transfer / 32 : 1;
    for (int y = call->row_begin; y < call->row_end; y++) {
        const float *from = (const float *)(const void *)(in->plane[0] + y * in->stride[0]);
        float *to = (float *)(void *)(out->plane[0] + y * out->stride[0]);
        for (int x = 0; x < 4 * out->width; x++) to[x] = x / 4 < out->width / 2 ? from[x] : x % 4 == 3 ? 1 : grey;
    }
    return CUTROOM_OK;
}

static const cutroom_effect effect = {FIXTURE_EFFECT("test.floats", process), .create = create};
FIXTURE_ONE(effect)
const cutroom_plugin cutroom_plugin_entry = {FIXTURE_ENTRY};
