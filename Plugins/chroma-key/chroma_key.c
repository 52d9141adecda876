/*
 * org.cutroom.chroma_key: puts a colour, an image or a clip where the picture has the key's hue,
 * and takes the key's reflection off what stays.
 *
 * How opaque a pixel is follows from its chroma alone, by a table. 4:2:0 has one opacity for four
 * pixels; between them it is interpolated by where chroma lies, which is also what makes the edge
 * smooth. RGBA has mostly been 4:2:0, with the same chroma in four pixels: where frames have alpha,
 * a filter of 1, 2, 1 makes the same of it.
 */
#include "chroma_key.h"
#include <math.h>

enum { COLOR, SIMILARITY, SMOOTHNESS, DESPILL, BACKGROUND, IMAGE, MODE, OFFSET, LOOP };

static const char *const modes[] = {"fill", "fit", "stretch"};

static const cutroom_param params[] = {
    [COLOR] = KIT_COLOR("color", "Key", 0, 1, 0, 0,
        "The colour of the screen. Only its hue and saturation count, not its brightness. Alpha 0: the green or blue of most of the "
        "picture's left, right and upper border."),
    [SIMILARITY] = KIT_DOUBLE("similarity", "Similarity", "", 0, 1, 0,
                              "How far from the key a colour may be and still be removed, as in FFmpeg's chromakey. 0: a little more than half of "
                              "grey's distance from the key."),
    [SMOOTHNESS] = KIT_DOUBLE("smoothness", "Smoothness", "", 0, 1, 0.08,
        "The softness of the edge: the distance from removed colours to colours that stay."),
    [DESPILL] = KIT_DOUBLE("despill", "Despill", "", 0, 1, 0.8, "How much of the screen's reflection is removed from the rest of the picture."),
    [BACKGROUND] = KIT_COLOR("background", "Background", 0, 0, 0, 0,
        "The background if there is no image or clip. Alpha 0: none. The picture below a layer is then visible; elsewhere the "
        "background is black."),
    [IMAGE] = {.type = CUTROOM_PARAM_PATH, .flags = CUTROOM_PARAM_SETUP_ONLY, .id = "image", .label = "Image or clip", .unit = "",
               .help = "A background: a PNG or JPEG file or a video. A video plays with the effect, without its sound."},
    [MODE] = {.type = CUTROOM_PARAM_ENUM, .flags = CUTROOM_PARAM_SETUP_ONLY, .id = "mode", .label = "Mode", .unit = "",
              .help = "How the image fits the picture: cropped to fill it, fitted with borders in the background colour, or stretched.",
              .choice_ids = modes, .choice_count = sizeof modes / sizeof *modes},
    [OFFSET] = {.type = CUTROOM_PARAM_DOUBLE, .flags = CUTROOM_PARAM_SETUP_ONLY, .id = "offset", .label = "Offset", .unit = "s",
                .help = "The time in the video at which it begins.", .minimum = 0, .maximum = 86400},
    [LOOP] = {.type = CUTROOM_PARAM_BOOL, .flags = CUTROOM_PARAM_SETUP_ONLY, .id = "loop", .label = "Loop", .unit = "",
              .help = "Whether the video starts again after its end. Otherwise its last frame stays.", .minimum = 0, .maximum = 1},
};

/* What is behind, at most one of both. */
typedef struct key_data {
    uint8_t *image;
    key_picture picture; /* of the image */
    clip *clip;
    int64_t begin;       /* flicks of the clip at the effect's start: that of the middle of its first frame */
} key_data;

static cutroom_status prepare_image(key_data *data, const cutroom_host *host, const cutroom_setup *setup, char reason[256]) {
    image_pixels image;
    cutroom_status status = image_read(host, setup->values[IMAGE].text, &image, reason);
    if (status != CUTROOM_OK) return status;
    if (!key_fit_image(host, &image, setup, (clip_fit)setup->values[MODE].n[0], &data->picture, &data->image)) status = CUTROOM_ERROR_MEMORY;
    kit_release(host, image.rgba);
    return status;
}

static cutroom_status prepare(void *memory, const cutroom_host *host, const cutroom_setup *setup) {
    key_data *data = memory;
    const cutroom_value *v = setup->values;
    const char *path = v[IMAGE].text;
    if (!path || !*path) return CUTROOM_OK;
    char reason[400] = "";
    cutroom_status status;
    if (image_is_known(path)) {
        status = prepare_image(data, host, setup, reason);
    } else {
        const clip_setting setting = {path, setup->width, setup->height, setup->format == CUTROOM_FORMAT_RGBA8, setup->matrix,
            setup->full_range == 1, (clip_fit)v[MODE].n[0], v[LOOP].n[0] != 0};
        /* A frame shows the content of its middle, as clips do. */
        const cutroom_rational rate = setup->frame_rate;
        const double half = rate.num > 0 ? (double)rate.den / (double)rate.num / 2 : 0;
        data->begin = (int64_t)floor((v[OFFSET].n[0] + half) * CLIP_SECOND + 0.5);
        status = clip_open(&setting, &data->clip, reason);
    }
    if (*reason) host->error(host->context, setup->handle, reason);
    return status;
}

static void dispose(void *memory, const cutroom_host *host) {
    key_data *data = memory;
    kit_release(host, data->image);
    clip_close(data->clip);
}

KIT_INLINE void mix_row_body(const uint8_t *in, const uint8_t *opacity, const uint8_t *behind, uint8_t *out, int count) {
    for (int x = 0; x < count; x++) out[x] = (uint8_t)((in[x] * opacity[x] + behind[x] * (255 - opacity[x]) + 127) / 255);
}
KIT_KERNEL(mix_row, (const uint8_t *in, const uint8_t *opacity, const uint8_t *behind, uint8_t *out, int count),
           (in, opacity, behind, out, count))

/* Rows of what lies behind. */
typedef struct backdrop {
    const key_picture *picture;
    const uint8_t *color; /* a row of it, of the plane */
    uint8_t *room;        /* for a row */
} backdrop;

static void look_up(const key_table *table, const kit_plane *u, const kit_plane *v, int y, uint8_t *opacity) {
    y = kit_clamp(y, 0, u->height - 1);
    const uint8_t *row_u = u->in + y * u->in_stride, *row_v = v->in + y * v->in_stride;
    for (int x = 0; x < u->width; x++) opacity[x] = table->opacity[row_v[x]][row_u[x]];
}

/* The chroma of a row of luma: three quarters of the nearer row of chroma, one of the other; across
 * by where chroma lies. On the even columns each of them has its own, the others the mean of two;
 * between two columns three quarters of the nearer one, one of the other. */
static void interpolate(const uint8_t *near, const uint8_t *far, uint8_t *out, int count, int width, int left) {
    for (int x = 0; x < width && left; x++) {
        const int i = x >> 1, j = kit_clamp((x + 1) >> 1, 0, count - 1);
        out[x] = (uint8_t)((3 * (near[i] + near[j]) + far[i] + far[j] + 4) >> 3);
    }
    for (int x = 0; x < width && !left; x++) {
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
        interpolate(near, far, opacity, half, p->width, p[1].left);
        mix_row(p->in + y * p->in_stride, opacity, key_row(b.picture, b.color, b.room, 0, y, p->width, 1), p->out + y * p->out_stride, p->width);
    }
}

static void render_chroma(const kit_job *job, const key_table *table, backdrop b, int plane, uint8_t *room) {
    const kit_plane *u = &job->plane[1], *v = &job->plane[2], *p = &job->plane[plane];
    uint8_t *opacity = room, *clean = room + p->width;
    for (int y = p->begin; y < p->end; y++) {
        const uint8_t *row_u = u->in + y * u->in_stride, *row_v = v->in + y * v->in_stride;
        look_up(table, u, v, y, opacity);
        for (int x = 0; x < p->width; x++) clean[x] = (plane == 1 ? table->u : table->v)[row_v[x]][row_u[x]];
        mix_row(clean, opacity, key_row(b.picture, b.color, b.room, plane, y, p->width, 1), p->out + y * p->out_stride, p->width);
    }
}

static void look_up_pixels(const kit_job *job, const key_table *table, int y, uint8_t *opacity) {
    const kit_plane *p = &job->plane[0];
    const uint8_t *in = p->in + kit_clamp(y, 0, p->height - 1) * p->in_stride;
    for (int x = 0; x < p->width; x++, in += 4) {
        int straight[3], chroma[2];
        key_chroma(in, job->premultiplied, straight, chroma);
        opacity[x] = table->opacity[chroma[1]][chroma[0]];
    }
}

/* 1, 2, 1 across and down. */
static int smooth(uint8_t *const rows[3], int x, int width) {
    static const int weights[3] = {1, 2, 1};
    const int left = x > 0 ? x - 1 : 0, right = x + 1 < width ? x + 1 : x;
    int sum = 8;
    for (int i = 0; i < 3; i++) sum += weights[i] * (rows[i][left] + 2 * rows[i][x] + rows[i][right]);
    return sum >> 4;
}

/* RGBA: chroma of each pixel, BT.709, full range. Where the frames have alpha, a background that is
 * not opaque makes them transparent.
 * - Parameter room: for three rows of opacity. */
static void render_pixels(const kit_job *job, const key_table *table, backdrop b, uint8_t *room) {
    const kit_plane *p = &job->plane[0];
    const int has_alpha = job->call->output->alpha != CUTROOM_ALPHA_NONE;
    uint8_t *rows[3] = {room, room + p->width, room + 2 * p->width};
    for (int i = 1; has_alpha && i < 3; i++) look_up_pixels(job, table, p->begin + i - 2, rows[i]);
    for (int y = p->begin; y < p->end; y++) {
        uint8_t *first = rows[0];
        rows[0] = rows[1], rows[1] = rows[2], rows[2] = first;
        if (has_alpha) look_up_pixels(job, table, y + 1, rows[2]);
        const uint8_t *in = p->in + y * p->in_stride, *back = key_row(b.picture, b.color, b.room, 0, y, p->width, 4);
        uint8_t *out = p->out + y * p->out_stride;
        for (int x = 0; x < p->width; x++, in += 4, out += 4, back += 4) {
            /* Straight colours; all of this is in 8 bits, as the frame is. */
            int straight[3], chroma[2];
            key_chroma(in, job->premultiplied, straight, chroma);
            const int u = chroma[0], v = chroma[1];
            const int du = table->u[v][u] - u, dv = table->v[v][u] - v;
            straight[0] = kit_u8(straight[0] + (dv * 103206 + 32768) / 65536);
            straight[1] = kit_u8(straight[1] - (du * 12276 + dv * 30679 + 32768) / 65536);
            straight[2] = kit_u8(straight[2] + (du * 121609 + 32768) / 65536);
            /* The foreground over the background. */
            const int opacity = has_alpha ? smooth(rows, x, p->width) : table->opacity[v][u];
            const int front = opacity * in[3], rear = (255 - opacity) * back[3], total = front + rear;
            for (int c = 0; c < 3; c++) {
                const int64_t sum = (int64_t)straight[c] * front + (int64_t)back[c] * rear;
                const int over = job->premultiplied ? 255 * 255 : total;
                out[c] = over > 0 ? (uint8_t)((sum + over / 2) / over) : 0;
            }
            out[3] = has_alpha ? (uint8_t)((total + 127) / 255) : 255;
        }
    }
}

/* A row of the background's colour, as RGBA. */
static void fill_pixels(const kit_job *job, const float color[3], uint8_t *row) {
    const int has_alpha = job->call->output->alpha != CUTROOM_ALPHA_NONE;
    const double alpha = has_alpha ? job->values[BACKGROUND].n[3] : 1;
    for (int x = 0; x < job->width; x++, row += 4) {
        for (int c = 0; c < 3; c++) row[c] = (uint8_t)color[c];
        row[3] = (uint8_t)(255 * alpha + 0.5);
    }
}

/* The clip's picture at the call's time. */
static cutroom_status show(const kit_job *job, const key_data *data, clip_picture *picture) {
    const cutroom_rational time = job->call->time;
    char reason[400] = "";
    /* In whole numbers: a fraction of a flick is less than any frame. */
    const int64_t whole = time.num / time.den * CLIP_SECOND, rest = time.num % time.den;
    const int64_t part = (int64_t)floor((double)rest / (double)time.den * CLIP_SECOND + 0.5);
    const cutroom_status status = clip_at(data->clip, data->begin + whole + part, picture, reason);
    if (*reason && CUTROOM_HAS(job->call, handle)) job->host->error(job->host->context, job->call->handle, reason);
    return status;
}

/* The key that is given, or the picture's own. 0 where it has none, negative without memory. */
static int find_key(const kit_job *job, key_setting *setting) {
    const double *rgb = job->values[COLOR].n, red = job->coding.kr, blue = job->coding.kb;
    if (rgb[3] <= 0) return key_find_screen(job, &setting->u, &setting->v);
    const double y = red * rgb[0] + (1 - red - blue) * rgb[1] + blue * rgb[2];
    setting->u = job->coding.chroma * (rgb[2] - y) / (2 * (1 - blue));
    setting->v = job->coding.chroma * (rgb[0] - y) / (2 * (1 - red));
    return 1;
}

static cutroom_status render(const kit_job *job) {
    const cutroom_value *v = job->values;
    key_setting setting = {.similarity = v[SIMILARITY].n[0], .smoothness = v[SMOOTHNESS].n[0], .despill = v[DESPILL].n[0]};
    const int has_key = find_key(job, &setting);
    if (has_key < 0) return CUTROOM_ERROR_MEMORY;
    const key_data *data = job->data;
    clip_picture shown = {.owner = NULL};
    key_picture picture = data->picture;
    if (data->clip) {
        const cutroom_status status = show(job, data, &shown);
        if (status != CUTROOM_OK) return status;
        picture = (key_picture){.x = shown.x, .y = shown.y, .width = shown.width, .height = shown.height};
        for (int i = 0; i < 3; i++) picture.plane[i] = shown.plane[i], picture.stride[i] = shown.stride[i];
    }
    const size_t width = (size_t)job->width;
    /* Three rows to work in, one of the colour, one of what lies behind. */
    key_table *table = kit_alloc(job->host, sizeof *table + 11 * width);
    if (table) {
        if (has_key) key_fill(table, &setting);
        else key_fill_empty(table);
        uint8_t *room = (uint8_t *)(table + 1), *color = room + 3 * width, *row = color + 4 * width;
        float samples[3];
        kit_samples_of(job, v[BACKGROUND].n, samples);
        for (int i = 0; i < job->plane_count; i++) {
            const backdrop b = {&picture, color, row};
            memset(color, (int)samples[i], width);
            if (job->plane_count == 1) fill_pixels(job, samples, color), render_pixels(job, table, b, room);
            else if (i == 0) render_luma(job, table, b, room);
            else render_chroma(job, table, b, i, room);
        }
    }
    kit_release(job->host, table);
    clip_release(&shown);
    return table ? CUTROOM_OK : CUTROOM_ERROR_MEMORY;
}

static const kit_effect chroma_key = {
    /* A clip is decoded and scaled by libraries, which differ from one kind of processor to
     * another. */
    .abi = KIT_KIND(CUTROOM_KIND_FILTER, 2, CUTROOM_DETERMINISM_MACHINE, CUTROOM_CAN_SHARE_INSTANCE, "org.cutroom.chroma_key", "Chroma key",
                    "Replaces a green, blue or other screen by a colour, an image or a clip.", params),
    .render = render,
    .data_size = sizeof(key_data),
    .prepare = prepare,
    .dispose = dispose,
};

static const cutroom_effect *const effects[] = {&chroma_key.abi};

KIT_LIBRARY("Chroma key", effects);
