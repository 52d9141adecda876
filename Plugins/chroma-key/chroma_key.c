/*
 * org.cutroom.chroma_key: puts a colour or an image where the picture has the key's hue, and takes the key's reflection off
 * what stays.
 *
 * How opaque a pixel is follows from its chroma alone, by a table. 4:2:0 has one opacity for four pixels; between them it is
 * interpolated, which is also what makes the edge smooth.
 */
#include "chroma_key.h"
#include <math.h>

enum { COLOR, SIMILARITY, SMOOTHNESS, DESPILL, BACKGROUND, IMAGE };

static const cutroom_param params[] = {
    [COLOR] = KIT_COLOR("color", "Key", 0, 1, 0, 1,
        "The colour of the screen behind; of it only the hue and its strength count, not the light."),
    [SIMILARITY] = KIT_DOUBLE("similarity", "Similarity", "", 0, 1, 0.2,
                              "How far from the key a colour may be and still go; values of FFmpeg's chromakey are the same."),
    [SMOOTHNESS] = KIT_DOUBLE("smoothness", "Smoothness", "", 0, 1, 0.08,
        "How far it is from there to what stays: the softness of the edge."),
    [DESPILL] = KIT_DOUBLE("despill", "Despill", "", 0, 1, 0.8, "How much of the screen's reflection is taken off what stays."),
    [BACKGROUND] = KIT_COLOR("background", "Background", 0, 0, 0, 1, "What is put behind where there is no image."),
    [IMAGE] = {.type = CUTROOM_PARAM_PATH, .flags = CUTROOM_PARAM_SETUP_ONLY, .id = "image", .label = "Image", .unit = "",
               .help = "A PNG or JPEG file to put behind; it fills the picture."},
};

/* The image behind, in the frames' format; null where there is none. */
typedef struct key_data {
    uint8_t *image;
} key_data;

static cutroom_status prepare(void *memory, const cutroom_host *host, const cutroom_setup *setup) {
    key_data *data = memory;
    const char *path = setup->values[IMAGE].text;
    if (!path || !*path) return CUTROOM_OK;
    image_pixels image;
    char reason[256] = "";
    const cutroom_status status = image_read(host, path, &image, reason);
    if (status != CUTROOM_OK) {
        if (*reason) host->error(host->context, setup->handle, reason);
        return status;
    }
    data->image = key_fit_image(host, &image, setup);
    kit_release(host, image.rgba);
    return data->image ? CUTROOM_OK : CUTROOM_ERROR_MEMORY;
}

static void dispose(void *memory, const cutroom_host *host) { kit_release(host, ((key_data *)memory)->image); }

KIT_INLINE void mix_row_body(const uint8_t *in, const uint8_t *opacity, const uint8_t *behind, uint8_t *out, int count) {
    for (int x = 0; x < count; x++) out[x] = (uint8_t)((in[x] * opacity[x] + behind[x] * (255 - opacity[x]) + 127) / 255);
}
KIT_KERNEL(mix_row, (const uint8_t *in, const uint8_t *opacity, const uint8_t *behind, uint8_t *out, int count),
           (in, opacity, behind, out, count))

/* A row of what lies behind: of the image, or `color` again and again in `room`. */
typedef struct backdrop {
    const uint8_t *image; /* row 0 of the plane; null: the colour */
    const uint8_t *room;
    int width;
} backdrop;

static const uint8_t *behind(backdrop b, int y) { return b.image ? b.image + (ptrdiff_t)y * b.width : b.room; }

static void look_up(const key_table *table, const kit_plane *u, const kit_plane *v, int y, uint8_t *opacity) {
    y = kit_clamp(y, 0, u->height - 1);
    const uint8_t *row_u = u->in + y * u->in_stride, *row_v = v->in + y * v->in_stride;
    for (int x = 0; x < u->width; x++) opacity[x] = table->opacity[row_v[x]][row_u[x]];
}

/* Of luma row `y`: three quarters of the nearer row and column of chroma, one of the other. */
static void interpolate(const uint8_t *near, const uint8_t *far, uint8_t *out, int count, int width) {
    for (int x = 0; x < width; x++) {
        const int i = x >> 1, j = kit_clamp(x % 2 ? i + 1 : i - 1, 0, count - 1);
        out[x] = (uint8_t)((9 * near[i] + 3 * near[j] + 3 * far[i] + far[j] + 8) >> 4);
    }
}

static void render_luma(const kit_job *job, const key_table *table, backdrop b, uint8_t *room) {
    const kit_plane *p = job->plane;
    const int half = p[1].width;
    uint8_t *near = room, *far = room + half, *opacity = room + 2 * half;
    for (int y = p->begin; y < p->end; y++) {
        look_up(table, &p[1], &p[2], y >> 1, near);
        look_up(table, &p[1], &p[2], y % 2 ? (y >> 1) + 1 : (y >> 1) - 1, far);
        interpolate(near, far, opacity, half, p->width);
        mix_row(p->in + y * p->in_stride, opacity, behind(b, y), p->out + y * p->out_stride, p->width);
    }
}

static void render_chroma(const kit_job *job, const key_table *table, backdrop b, int plane, uint8_t *room) {
    const kit_plane *u = &job->plane[1], *v = &job->plane[2], *p = &job->plane[plane];
    uint8_t *opacity = room, *clean = room + p->width;
    for (int y = p->begin; y < p->end; y++) {
        const uint8_t *row_u = u->in + y * u->in_stride, *row_v = v->in + y * v->in_stride;
        look_up(table, u, v, y, opacity);
        for (int x = 0; x < p->width; x++) clean[x] = (plane == 1 ? table->u : table->v)[row_v[x]][row_u[x]];
        mix_row(clean, opacity, behind(b, y), p->out + y * p->out_stride, p->width);
    }
}

/* RGBA: chroma of each pixel, BT.709, full range. Where the frames have alpha, a background that is not opaque makes them
 * transparent. */
static void render_pixels(const kit_job *job, const key_table *table, const uint8_t *image, const double background[4]) {
    const kit_plane *p = &job->plane[0];
    const int has_alpha = job->call->output->alpha != CUTROOM_ALPHA_NONE;
    uint8_t color[4];
    for (int c = 0; c < 4; c++) color[c] = c == 3 && !has_alpha ? 255 : (uint8_t)(255 * background[c] + 0.5);
    for (int y = p->begin; y < p->end; y++) {
        const uint8_t *in = p->in + y * p->in_stride, *back = image ? image + (ptrdiff_t)y * p->width * 4 : color;
        uint8_t *out = p->out + y * p->out_stride;
        for (int x = 0; x < p->width; x++, in += 4, out += 4, back += image ? 4 : 0) {
            /* Straight colours; all of this is in 8 bits, as the frame is. */
            int straight[3], luma = 32768;
            for (int c = 0; c < 3; c++) {
                straight[c] = job->premultiplied && in[3] > 0 ? kit_clamp((in[c] * 255 + in[3] / 2) / in[3], 0, 255) : in[c];
                luma += straight[c] * (c == 0 ? 13933 : c == 1 ? 46871 : 4732);
            }
            luma >>= 16;
            const int u = kit_u8(128 + ((straight[2] - luma) * 35318 + 32768) / 65536),
                v = kit_u8(128 + ((straight[0] - luma) * 41616 + 32768) / 65536);
            const int du = table->u[v][u] - u, dv = table->v[v][u] - v;
            straight[0] = kit_u8(straight[0] + (dv * 103206 + 32768) / 65536);
            straight[1] = kit_u8(straight[1] - (du * 12276 + dv * 30679 + 32768) / 65536);
            straight[2] = kit_u8(straight[2] + (du * 121609 + 32768) / 65536);
            /* The foreground over the background. */
            const int front = table->opacity[v][u] * in[3], rear = (255 - table->opacity[v][u]) * back[3], total = front + rear;
            for (int c = 0; c < 3; c++) {
                const int64_t sum = (int64_t)straight[c] * front + (int64_t)back[c] * rear;
                const int over = job->premultiplied ? 255 * 255 : total;
                out[c] = over > 0 ? (uint8_t)((sum + over / 2) / over) : 0;
            }
            out[3] = has_alpha ? (uint8_t)((total + 127) / 255) : 255;
        }
    }
}

static cutroom_status render(const kit_job *job) {
    const cutroom_value *v = job->values;
    const double *rgb = v[COLOR].n, red = job->coding.kr, blue = job->coding.kb,
        y = red * rgb[0] + (1 - red - blue) * rgb[1] + blue * rgb[2];
    const key_setting setting = {(rgb[2] - y) / (2 * (1 - blue)), (rgb[0] - y) / (2 * (1 - red)), v[SIMILARITY].n[0],
        v[SMOOTHNESS].n[0],
                                 v[DESPILL].n[0]};
    const uint8_t *image = ((const key_data *)job->data)->image;
    const size_t width = (size_t)job->width;
    key_table *table = kit_alloc(job->host, sizeof *table + 4 * width);
    if (!table) return CUTROOM_ERROR_MEMORY;
    key_fill(table, &setting, &job->coding);
    if (job->plane_count == 1) {
        render_pixels(job, table, image, v[BACKGROUND].n);
    } else {
        uint8_t *room = (uint8_t *)(table + 1), *color = room + 3 * width;
        int codes[3];
        kit_codes(&job->coding, v[BACKGROUND].n, codes);
        const uint8_t *start = image;
        for (int i = 0; i < 3; i++) {
            const kit_plane *p = &job->plane[i];
            memset(color, codes[i], width);
            const backdrop b = {start, color, p->width};
            if (i == 0) render_luma(job, table, b, room);
            else render_chroma(job, table, b, i, room);
            if (start) start += (size_t)p->width * (size_t)p->height;
        }
    }
    kit_release(job->host, table);
    return CUTROOM_OK;
}

static const kit_effect chroma_key = {
    .abi = KIT_EFFECT(CUTROOM_CAN_SHARE_INSTANCE, "org.cutroom.chroma_key", "Chroma key",
                      "Replaces a green, blue or other screen by a colour or an image.", params),
    .render = render,
    .data_size = sizeof(key_data),
    .prepare = prepare,
    .dispose = dispose,
};

static const cutroom_effect *const effects[] = {&chroma_key.abi};

KIT_LIBRARY("Chroma key", effects);
