/* The life of an effect, and small things. */
#include "kit.h"
#include <math.h>

const cutroom_format kit_formats[3] = {CUTROOM_FORMAT_YUV420P8, CUTROOM_FORMAT_RGBA8, CUTROOM_FORMAT_RGBAF32};

typedef struct instance {
    const kit_effect *effect;
    const cutroom_host *host;
    void *data;
} instance;

void *kit_alloc(const cutroom_host *host, size_t size) { return host->alloc(host->context, size > 0 ? size : 1, 64); }
void kit_release(const cutroom_host *host, void *memory) { host->release(host->context, memory); }

cutroom_status kit_create(const cutroom_effect *abi, const cutroom_host *host, const cutroom_setup *setup, void **result) {
    const kit_effect *effect = (const kit_effect *)(const void *)abi;
    uint32_t listed = 0;
    while (listed < abi->format_count && abi->formats[listed] != setup->format) listed++;
    if (listed == abi->format_count) return CUTROOM_ERROR_FORMAT;
    instance *made = kit_alloc(host, sizeof *made);
    if (!made) return CUTROOM_ERROR_MEMORY;
    *made = (instance){effect, host, NULL};
    cutroom_status status = CUTROOM_OK;
    if (effect->prepare) {
        made->data = kit_alloc(host, effect->data_size);
        if (made->data) memset(made->data, 0, effect->data_size);
        status = made->data ? effect->prepare(made->data, host, setup) : CUTROOM_ERROR_MEMORY;
    }
    if (status == CUTROOM_OK) return *result = made, CUTROOM_OK;
    kit_release(host, made->data);
    kit_release(host, made);
    return status;
}

void kit_destroy(void *memory) {
    instance *one = memory;
    if (one->effect->dispose) one->effect->dispose(one->data, one->host);
    kit_release(one->host, one->data);
    kit_release(one->host, one);
}

/* A picture multiplied by its alpha, bytes rounded; null where there is no memory. */
static uint8_t *multiplied(const cutroom_host *host, const kit_plane *plane) {
    const size_t row = (size_t)plane->width * (plane->floats ? 16 : 4);
    uint8_t *copy = kit_alloc(host, row * (size_t)plane->height);
    if (!copy) return NULL;
    for (int y = 0; y < plane->height; y++) {
        const uint8_t *from = plane->in + y * plane->in_stride;
        uint8_t *to = copy + (size_t)y * row;
        if (plane->floats) {
            const float *in = (const float *)(const void *)from;
            float *out = (float *)(void *)to;
            for (int i = 0; i < 4 * plane->width; i++) out[i] = i % 4 == 3 ? in[i] : in[i] * in[i | 3];
        } else {
            for (int x = 0; x < plane->width; x++, from += 4, to += 4) {
                for (int c = 0; c < 3; c++) to[c] = (uint8_t)((from[c] * from[3] + 127) / 255);
                to[3] = from[3];
            }
        }
    }
    return copy;
}

/* Takes the alpha out. Pixels that came back as they went, of those in plane->in, get their colours
 * from `straight`: a product of bytes does not say any more what the colour of a faint pixel was.
 */
static void divide(const kit_plane *plane, const uint8_t *straight, ptrdiff_t stride) {
    const size_t size = plane->floats ? 16 : 4;
    for (int y = plane->begin; y < plane->end; y++) {
        uint8_t *row = plane->out + y * plane->out_stride;
        const uint8_t *went = plane->in + y * plane->in_stride, *before = straight + y * stride;
        float *floats = (float *)(void *)row;
        for (int x = 0; x < plane->width; x++, row += size, went += size, before += size, floats += 4) {
            if (memcmp(row, went, size) == 0) memcpy(row, before, size);
            else if (plane->floats)
                for (int c = 0; c < 3 && floats[3] > 0; c++) floats[c] /= floats[3];
            else
                for (int c = 0; c < 3 && row[3] > 0; c++) row[c] = kit_u8((row[c] * 255 + row[3] / 2) / row[3]);
        }
    }
}

/* Unspecified chroma lies at the left, as H.273 says. Each specified place has a number, which is
 * even where chroma lies in the middle. */
static int is_left(uint32_t chroma_loc) { return chroma_loc == 0 || chroma_loc % 2 == 1; }

static kit_plane plane_of(const cutroom_call *call, int index, int channels, int shift) {
    const cutroom_frame *in = cutroom_current(call, 0), *out = call->output;
    const cutroom_frame *next = call->input_count > 1 ? cutroom_current(call, 1) : NULL;
    return (kit_plane){
        .in = in->plane[index], .next = next ? next->plane[index] : NULL, .out = out->plane[index],
        .in_stride = in->stride[index], .next_stride = next ? next->stride[index] : 0, .out_stride = out->stride[index],
        .width = (out->width + shift) >> shift, .height = (out->height + shift) >> shift, .channels = channels, .shift = shift,
        .left = shift && is_left(out->chroma_loc), .columns = out->width, .floats = out->format == CUTROOM_FORMAT_RGBAF32,
        .begin = call->row_begin >> shift, .end = (call->row_end + shift) >> shift};
}

/* Renders with alpha multiplied in. */
static cutroom_status render_multiplied(const instance *one, kit_job *job) {
    kit_plane *p = &job->plane[0];
    const kit_plane incoming = kit_incoming(p);
    const ptrdiff_t stride = (ptrdiff_t)job->width * (p->floats ? 16 : 4), straight_stride = p->in_stride;
    const uint8_t *const straight = p->in;
    uint8_t *copy = multiplied(one->host, p), *other = p->next ? multiplied(one->host, &incoming) : NULL;
    cutroom_status status = CUTROOM_ERROR_MEMORY;
    if (copy && (other || !p->next)) {
        p->in = copy, p->in_stride = stride;
        p->next = other, p->next_stride = other ? stride : 0;
        job->premultiplied = 1;
        status = one->effect->render(job);
        if (status == CUTROOM_OK) divide(p, straight, straight_stride);
    }
    kit_release(one->host, other), kit_release(one->host, copy);
    return status;
}

cutroom_status kit_process(void *memory, const cutroom_call *call) {
    const instance *one = memory;
    const cutroom_frame *out = call->output;
    /* Whatever it is, it has not begun. */
    if (one->effect->abi.kind == CUTROOM_KIND_TRANSITION && call->progress <= 0) return CUTROOM_PASS;
    kit_job job = {
        .effect = one->effect, .host = one->host, .call = call, .values = call->values, .data = one->data, .width = out->width,
        .height = out->height, .time = (double)call->time.num / (double)call->time.den, .progress = call->progress};
    if (out->format == CUTROOM_FORMAT_YUV420P8) {
        job.plane_count = 3;
        job.coding = kit_coding_of(out->matrix, out->full_range == 1);
        for (int i = 0; i < 3; i++) job.plane[i] = plane_of(call, i, 1, i > 0);
        return one->effect->render(&job);
    }
    job.plane_count = 1;
    job.coding = kit_coding_of(1, 1);
    job.plane[0] = plane_of(call, 0, 4, 0);
    job.premultiplied = out->alpha == CUTROOM_ALPHA_PREMULTIPLIED;
    if (out->alpha != CUTROOM_ALPHA_STRAIGHT || !one->effect->mixes) return one->effect->render(&job);
    return render_multiplied(one, &job);
}

void kit_copy(const kit_plane *plane) {
    for (int y = plane->begin; y < plane->end; y++)
        memcpy(plane->out + y * plane->out_stride, plane->in + y * plane->in_stride, (size_t)(plane->width * plane->channels) * (plane->floats ? 4 : 1));
}

/* Taylor's series up to the 13th power over a quarter of a turn to each side, where its error is
 * below 7e-10. */
double kit_sin(double turns) {
    double t = turns - floor(turns + 0.5);
    if (t > 0.25) t = 0.5 - t;
    if (t < -0.25) t = -0.5 - t;
    const double x = t * 6.283185307179586477, s = x * x;
    return x * (1 - s / 6 * (1 - s / 20 * (1 - s / 42 * (1 - s / 72 * (1 - s / 110 * (1 - s / 156))))));
}

double kit_cos(double turns) { return kit_sin(turns + 0.25); }

uint64_t kit_count(double turns) { return (uint64_t)(int64_t)floor(turns + 1e-9); }

double kit_phase(double turns) { return kit_bound(turns - floor(turns + 1e-9), 0, 1); }

/* The logarithm's series in (m − 1) / (m + 1) for 1/√2 < m < √2, the exponential's below ln 2 / 2.
 */
double kit_exp(double x) {
    const double whole = floor(x * 1.4426950408889634 + 0.5), r = x - whole * 0.6931471805599453;
    double sum = 1;
    for (int i = 16; i > 0; i--) sum = 1 + sum * r / i;
    return ldexp(sum, (int)whole);
}

double kit_log(double x) {
    int power;
    double m = frexp(x, &power);
    if (m < 0.70710678118654752) m *= 2, power--;
    const double s = (m - 1) / (m + 1), square = s * s;
    double sum = 0;
    for (int i = 23; i > 0; i -= 2) sum = sum * square + 1.0 / i;
    return 2 * s * sum + power * 0.6931471805599453;
}

double kit_pow(double x, double y) { return kit_exp(y * kit_log(x)); }

double kit_noise(uint64_t seed, double t) {
    const double whole = floor(t), weight = kit_smoothstep(t - whole);
    const uint64_t index = (uint64_t)(int64_t)whole;
    return 2 * ((1 - weight) * kit_unit(kit_hash(seed, index)) + weight * kit_unit(kit_hash(seed, index + 1))) - 1;
}
