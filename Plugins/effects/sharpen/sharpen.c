/* org.cutroom.sharpen: an unsharp mask on luma. What the picture has more than its blurred self is added once more. */
#include "../effects.h"
#include <math.h>

enum { AMOUNT, RADIUS, THRESHOLD };

static const cutroom_param params[] = {
    [AMOUNT] = KIT_DOUBLE("amount", "Amount", "", 0, 5, 0.8, "How much of the detail is added: 0 leaves the picture as it is."),
    [RADIUS] = KIT_PIXELS("radius", "Radius", 0.3, 100, 1.5,
                          "The size of what counts as detail: large radii with small amounts raise the local contrast."),
    [THRESHOLD] = KIT_DOUBLE("threshold", "Threshold", "", 0, 0.2, 0.01,
                             "Differences below this share of white are left alone, so that noise is not sharpened."),
};

typedef struct mask {
    int32_t amount, threshold; /* in 1/256 */
} mask;

KIT_INLINE void mask_row_body(const uint8_t *luma, const uint16_t *blurred, int16_t *delta, int width, mask m) {
    for (int x = 0; x < width; x++) {
        const int32_t detail = (luma[x] << 8) - blurred[x], size = detail < 0 ? -detail : detail;
        const int32_t rest = size > m.threshold ? size - m.threshold : 0;
        const int32_t added = (rest * m.amount + 32768) >> 16;
        delta[x] = (int16_t)(detail < 0 ? -added : added);
    }
}
KIT_KERNEL(mask_row, (const uint8_t *luma, const uint16_t *blurred, int16_t *delta, int width, mask m),
           (luma, blurred, delta, width, m))

static cutroom_status render(const kit_job *job) {
    const mask m = {(int32_t)floor(job->values[AMOUNT].n[0] * 256 + 0.5),
        (int32_t)floor(job->values[THRESHOLD].n[0] * 65280 + 0.5)};
    if (m.amount == 0) return CUTROOM_PASS;
    const kit_plane *p = &job->plane[0];
    const double radius = job->values[RADIUS].n[0];
    /* Three boxes reach less than six standard deviations. */
    const int reach = (int)(6 * radius) + 6, width = p->width;
    const kit_luma luma = kit_luma_of(job, p->begin - reach, p->end + reach);
    uint16_t *blurred = kit_alloc(job->host, sizeof *blurred * (size_t)width * (size_t)(p->end - p->begin));
    int16_t *delta = kit_alloc(job->host, sizeof *delta * (size_t)width);
    cutroom_status status = CUTROOM_ERROR_MEMORY;
    if (luma.rows && blurred && delta) {
        uint16_t *first = blurred - (ptrdiff_t)p->begin * width;
        status = kit_gauss(job->host, (kit_source){.bytes = luma.rows, .stride = luma.stride, .width = width,
            .height = p->height, .channels = 1},
                           (kit_target){.words = first, .stride = width}, radius, p->begin, p->end);
        for (int y = p->begin; status == CUTROOM_OK && y < p->end; y++) {
            mask_row(luma.rows + y * luma.stride, first + (ptrdiff_t)y * width, delta, width, m);
            kit_shift_luma(job, y, delta);
        }
        for (int i = 1; i < job->plane_count; i++) kit_copy(&job->plane[i]);
    }
    kit_release(job->host, delta), kit_release(job->host, blurred), kit_release(job->host, luma.owned);
    return status;
}

const kit_effect effect_sharpen = {
    .abi = KIT_EFFECT(CUTROOM_CAN_SHARE_INSTANCE, "org.cutroom.sharpen", "Sharpen",
                      "Brings out detail with an unsharp mask on the luma.", params),
    .render = render,
    .mixes = 1,
};
