/* org.cutroom.sharpen: an unsharp mask on luma. What the picture has more than its blurred self is
 * added once more. */
#include "../effects.h"
#include <math.h>

enum { AMOUNT, RADIUS, THRESHOLD };

static const cutroom_param params[] = {
    [AMOUNT] = KIT_DOUBLE("amount", "Amount", "", 0, 5, 0.8, "How much detail is added: 0 changes nothing."),
    [RADIUS] = KIT_PIXELS("radius", "Radius", 0.3, 100, 1.5,
                          "The size of details. Large radii with small amounts increase the local contrast."),
    [THRESHOLD] = KIT_DOUBLE("threshold", "Threshold", "", 0, 0.2, 0.01,
                             "Differences below this share of white are not sharpened, so noise stays as it is."),
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

/* Rows [low, high) of the alpha of RGBA, as kit_luma_of gives those of luma. */
static kit_luma alpha_of(const kit_job *job, int low, int high) {
    const kit_plane *p = &job->plane[0];
    low = kit_clamp(low, 0, p->height), high = kit_clamp(high, 0, p->height);
    uint8_t *rows = kit_alloc(job->host, (size_t)p->width * (size_t)(high - low));
    if (!rows) return (kit_luma){NULL, 0, NULL};
    for (int y = low; y < high; y++)
        for (int x = 0; x < p->width; x++) rows[(ptrdiff_t)(y - low) * p->width + x] = p->in[y * p->in_stride + 4 * x + 3];
    return (kit_luma){rows - (ptrdiff_t)low * p->width, p->width, rows};
}

static cutroom_status blur(const kit_job *job, const kit_luma *from, double radius, uint16_t *to) {
    const kit_plane *p = &job->plane[0];
    return kit_gauss(job->host,
                     (kit_source){.bytes = from->rows, .stride = from->stride, .width = p->width, .height = p->height, .channels = 1},
                     (kit_target){.words = to - (ptrdiff_t)p->begin * p->width, .stride = p->width}, radius, p->begin, p->end);
}

/*
 * Blurred luma with the alpha of the pixel, where both are multiplied by alpha: the blurred luma is
 * divided by the blurred alpha. So what is transparent has no share in it, and an edge of alpha is
 * no detail that would be sharpened into a rim.
 */
static void cover(uint16_t *blurred, const uint16_t *alphas, const uint8_t *alpha, int width) {
    for (int x = 0; x < width; x++) {
        const uint64_t covered = alphas[x] ? (uint64_t)blurred[x] * alpha[x] * 256 / alphas[x] : 0;
        blurred[x] = (uint16_t)(covered < 65535 ? covered : 65535);
    }
}

static cutroom_status render(const kit_job *job) {
    const mask m = {(int32_t)floor(job->values[AMOUNT].n[0] * 256 + 0.5),
        (int32_t)floor(job->values[THRESHOLD].n[0] * 65280 + 0.5)};
    if (m.amount == 0) return CUTROOM_PASS;
    const kit_plane *p = &job->plane[0];
    const double radius = job->values[RADIUS].n[0];
    /* Three boxes reach less than six standard deviations. */
    const int reach = (int)(6 * radius) + 6, width = p->width, has_alpha = job->premultiplied;
    const size_t area = (size_t)width * (size_t)(p->end - p->begin);
    const kit_luma luma = kit_luma_of(job, p->begin - reach, p->end + reach);
    const kit_luma alpha = has_alpha ? alpha_of(job, p->begin - reach, p->end + reach) : (kit_luma){NULL, 0, NULL};
    uint16_t *blurred = kit_alloc(job->host, sizeof *blurred * area);
    uint16_t *alphas = has_alpha ? kit_alloc(job->host, sizeof *alphas * area) : NULL;
    int16_t *delta = kit_alloc(job->host, sizeof *delta * (size_t)width);
    cutroom_status status = CUTROOM_ERROR_MEMORY;
    if (luma.rows && blurred && delta && (!has_alpha || (alpha.rows && alphas))) {
        status = blur(job, &luma, radius, blurred);
        if (status == CUTROOM_OK && has_alpha) status = blur(job, &alpha, radius, alphas);
        for (int y = p->begin; status == CUTROOM_OK && y < p->end; y++) {
            const ptrdiff_t row = (ptrdiff_t)(y - p->begin) * width;
            if (has_alpha) cover(blurred + row, alphas + row, alpha.rows + y * alpha.stride, width);
            mask_row(luma.rows + y * luma.stride, blurred + row, delta, width, m);
            kit_shift_luma(job, y, delta);
        }
        for (int i = 1; i < job->plane_count; i++) kit_copy(&job->plane[i]);
    }
    kit_release(job->host, delta), kit_release(job->host, alphas), kit_release(job->host, blurred);
    kit_release(job->host, alpha.owned), kit_release(job->host, luma.owned);
    return status;
}

const kit_effect effect_sharpen = {
    .abi = KIT_EFFECT(CUTROOM_CAN_SHARE_INSTANCE, "org.cutroom.sharpen", "Sharpen",
                      "Brings out detail with an unsharp mask on the luma.", params),
    .render = render,
    .mixes = 1,
};
