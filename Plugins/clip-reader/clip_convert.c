#include "clip_convert.h"
#include <libavutil/display.h>
#include <libavutil/imgutils.h>
#include <libavutil/opt.h>
#include <libavutil/pixdesc.h>
#include <math.h>
#include <string.h>

clip_turn clip_turn_of(AVStream *stream) {
    clip_turn turn = {0, 0};
    size_t size = 0;
    const uint8_t *bytes = av_stream_get_side_data(stream, AV_PKT_DATA_DISPLAYMATRIX, &size);
    int32_t matrix[9];
    if (!bytes || size < sizeof matrix) return turn;
    memcpy(matrix, bytes, sizeof matrix);
    if ((int64_t)matrix[0] * matrix[4] - (int64_t)matrix[1] * matrix[3] < 0) {
        turn.mirrored = 1;
        av_display_matrix_flip(matrix, 1, 0);
    }
    /* libav counts counter-clockwise. */
    const double degrees = -av_display_rotation_get(matrix);
    if (!isnan(degrees)) turn.quarters = ((int)lround(degrees / 90) % 4 + 4) % 4;
    return turn;
}

int clip_is_hdr(const AVFrame *frame) {
    return frame->color_trc == AVCOL_TRC_SMPTE2084 || frame->color_trc == AVCOL_TRC_ARIB_STD_B67;
}

/* What of the stored picture goes where on the canvas. */
typedef struct placement {
    int left, top, width, height; /* of the stored picture */
    int out_x, out_y, out_width, out_height;
} placement;

static int between(double x, int low, int high) { return x < low ? low : x > high ? high : (int)lround(x); }

static placement place(const clip_converter *c, const AVFrame *frame, double aspect) {
    const clip_setting *s = &c->setting;
    const int on_side = c->turn.quarters % 2;
    const double stored_width = frame->width * aspect;
    const double width = on_side ? frame->height : stored_width, height = on_side ? stored_width : frame->height;
    const double across = s->width / width, down = s->height / height;
    placement p = {0, 0, frame->width, frame->height, 0, 0, s->width, s->height};
    if (s->fit == CLIP_FIT) {
        const double scale = across < down ? across : down;
        p.out_width = between(width * scale, 1, s->width), p.out_height = between(height * scale, 1, s->height);
        p.out_x = (s->width - p.out_width) / 2 & ~1, p.out_y = (s->height - p.out_height) / 2 & ~1;
    } else if (s->fit == CLIP_FILL) {
        const double scale = across > down ? across : down;
        /* The share of the shown picture that is seen. */
        const double wide = s->width / (width * scale), high = s->height / (height * scale);
        p.width = between((on_side ? high : wide) * frame->width, 1, frame->width);
        p.height = between((on_side ? wide : high) * frame->height, 1, frame->height);
        const AVPixFmtDescriptor *format = av_pix_fmt_desc_get(frame->format);
        p.left = (frame->width - p.width) / 2 >> format->log2_chroma_w << format->log2_chroma_w;
        p.top = (frame->height - p.height) / 2 >> format->log2_chroma_h << format->log2_chroma_h;
    }
    return p;
}

/* H.273's matrix as swscale names it; untagged pictures of less than 720 lines are BT.601. */
static int coefficients(int matrix, int lines) {
    switch (matrix) {
    case AVCOL_SPC_BT709: return SWS_CS_ITU709;
    case AVCOL_SPC_BT470BG: case AVCOL_SPC_SMPTE170M: return SWS_CS_ITU601;
    case AVCOL_SPC_SMPTE240M: return SWS_CS_SMPTE240M;
    case AVCOL_SPC_FCC: return SWS_CS_FCC;
    case AVCOL_SPC_BT2020_NCL: case AVCOL_SPC_BT2020_CL: return SWS_CS_BT2020;
    default: return lines < 720 ? SWS_CS_ITU601 : SWS_CS_ITU709;
    }
}

/* Where chroma lies from the first luma sample that it covers, in 1/256 of one, as swscale wants
 * it. What does not say so lies as on the canvas: at the left, between two rows. Source: ITU-T
 * H.264, figure E-1. */
static int across_of(enum AVChromaLocation siting) {
    return siting == AVCHROMA_LOC_CENTER || siting == AVCHROMA_LOC_TOP || siting == AVCHROMA_LOC_BOTTOM ? 128 : 0;
}
static int down_of(enum AVChromaLocation siting) {
    if (siting == AVCHROMA_LOC_TOPLEFT || siting == AVCHROMA_LOC_TOP) return 0;
    return siting == AVCHROMA_LOC_BOTTOMLEFT || siting == AVCHROMA_LOC_BOTTOM ? 256 : 128;
}

static struct SwsContext *scaler_of(const AVFrame *frame, int width, int height, enum AVPixelFormat format) {
    struct SwsContext *made = sws_alloc_context();
    const AVPixFmtDescriptor *from = av_pix_fmt_desc_get(frame->format);
    const int flags = SWS_BICUBIC | SWS_ACCURATE_RND | SWS_FULL_CHR_H_INT | SWS_FULL_CHR_H_INP | SWS_BITEXACT;
    if (!made) return NULL;
    av_opt_set_int(made, "srcw", frame->width, 0), av_opt_set_int(made, "srch", frame->height, 0);
    av_opt_set_int(made, "src_format", frame->format, 0);
    av_opt_set_int(made, "dstw", width, 0), av_opt_set_int(made, "dsth", height, 0);
    av_opt_set_int(made, "dst_format", format, 0);
    av_opt_set_int(made, "sws_flags", flags, 0);
    if (from->log2_chroma_w > 0) av_opt_set_int(made, "src_h_chr_pos", across_of(frame->chroma_location), 0);
    if (from->log2_chroma_h > 0) av_opt_set_int(made, "src_v_chr_pos", down_of(frame->chroma_location), 0);
    if (format == AV_PIX_FMT_YUV420P) av_opt_set_int(made, "dst_h_chr_pos", 0, 0), av_opt_set_int(made, "dst_v_chr_pos", 128, 0);
    if (sws_init_context(made, NULL, NULL) < 0) sws_freeContext(made), made = NULL;
    return made;
}

static int prepare(clip_converter *c, const AVFrame *frame, int width, int height) {
    const clip_setting *s = &c->setting;
    const AVPixFmtDescriptor *format = av_pix_fmt_desc_get(frame->format);
    const int full = frame->color_range == AVCOL_RANGE_JPEG || strncmp(format->name, "yuvj", 4) == 0;
    const int matrix = coefficients(frame->colorspace, frame->height);
    const clip_converter wanted = {
        .key = {frame->width, frame->height, frame->format, matrix, full, (int)frame->chroma_location, width, height}};
    if (c->scaler && memcmp(&wanted.key, &c->key, sizeof c->key) == 0) return 1;
    sws_freeContext(c->scaler);
    c->key = wanted.key;
    c->scaler = scaler_of(frame, width, height, s->is_rgba ? AV_PIX_FMT_RGBA : AV_PIX_FMT_YUV420P);
    if (!c->scaler) return 0;
    const int out = s->is_rgba ? SWS_CS_ITU709 : coefficients((int)s->matrix, 720);
    /* −1 for YUV to YUV of one matrix: no table is needed, and the ranges are set. */
    sws_setColorspaceDetails(c->scaler, sws_getCoefficients(matrix), full, sws_getCoefficients(out), s->is_rgba || s->full_range, 0,
                             1 << 16, 1 << 16);
    return 1;
}

/* A plane of luma or of RGBA, samples of `bytes` bytes, turned. `width` and `height` are those of
 * the result. */
static void turn_plane(clip_turn turn, const uint8_t *in, ptrdiff_t in_stride, uint8_t *out, ptrdiff_t out_stride, int width, int height,
                       int bytes) {
    for (int y = 0; y < height; y++) {
        for (int x = 0; x < width; x++) {
            const int shown = turn.mirrored ? width - 1 - x : x;
            const int from_x = turn.quarters == 0 ? shown : turn.quarters == 1 ? y : turn.quarters == 2 ? width - 1 - shown : height - 1 - y;
            const int from_y = turn.quarters == 0 ? y : turn.quarters == 1 ? width - 1 - shown : turn.quarters == 2 ? height - 1 - y : shown;
            memcpy(out + y * out_stride + x * bytes, in + from_y * in_stride + from_x * bytes, (size_t)bytes);
        }
    }
}

static int held(int x, int most) { return x < 0 ? 0 : x > most ? most : x; }

/* A plane of chroma, turned. It lies at the left and between two rows before and after, so that
 * what was turned lies between samples: in quarters, bilinear. `width` and `height` are the pixels
 * of the result. */
static void turn_chroma(clip_turn turn, const uint8_t *in, ptrdiff_t in_stride, uint8_t *out, ptrdiff_t out_stride, int width, int height) {
    const int on_side = turn.quarters % 2, last_x = ((on_side ? height : width) + 1) / 2 - 1, last_y = ((on_side ? width : height) + 1) / 2 - 1;
    for (int y = 0; y < (height + 1) / 2; y++) {
        for (int x = 0; x < (width + 1) / 2; x++) {
            /* Half pixels from the first one's middle. */
            const int down = 4 * y + 1, shown = turn.mirrored ? 2 * (width - 1) - 4 * x : 4 * x;
            const int back = 2 * (width - 1) - shown, up = 2 * (height - 1) - down;
            const int px = turn.quarters == 0 ? shown : turn.quarters == 1 ? down : turn.quarters == 2 ? back : up;
            const int py = turn.quarters == 0 ? down : turn.quarters == 1 ? back : turn.quarters == 2 ? up : shown;
            /* Quarters of a sample from the first one's middle; an edge is nearer to it than one
             * sample. */
            const int left = (px + 4) / 4 - 1, top = (py + 3) / 4 - 1, fx = (px + 4) % 4, fy = (py + 3) % 4;
            const uint8_t *a = in + held(top, last_y) * in_stride, *b = in + held(top + 1, last_y) * in_stride;
            const int i = held(left, last_x), j = held(left + 1, last_x);
            out[y * out_stride + x] = (uint8_t)(((a[i] * (4 - fx) + a[j] * fx) * (4 - fy) + (b[i] * (4 - fx) + b[j] * fx) * fy + 8) / 16);
        }
    }
}

void clip_convert(clip_converter *c, AVRational aspect, const AVFrame *frame, clip_picture *picture) {
    const double ratio = aspect.num > 0 && aspect.den > 0 ? av_q2d(aspect) : 1;
    /* Beyond this it is a broken header rather than an anamorphic picture. */
    const placement p = place(c, frame, ratio > 0.1 && ratio < 10 ? ratio : 1);
    const int on_side = c->turn.quarters % 2, is_turned = c->turn.quarters || c->turn.mirrored;
    const enum AVPixelFormat format = c->setting.is_rgba ? AV_PIX_FMT_RGBA : AV_PIX_FMT_YUV420P;
    const int planes = c->setting.is_rgba ? 1 : 3, bytes = c->setting.is_rgba ? 4 : 1;
    AVFrame *cropped = av_frame_clone(frame), *scaled = av_frame_alloc(), *turned = av_frame_alloc();
    *picture = (clip_picture){.x = p.out_x, .y = p.out_y, .width = p.out_width, .height = p.out_height};
    if (!cropped || !scaled || !turned) goto end;
    cropped->crop_left = (size_t)p.left, cropped->crop_right = (size_t)(frame->width - p.left - p.width);
    cropped->crop_top = (size_t)p.top, cropped->crop_bottom = (size_t)(frame->height - p.top - p.height);
    if (av_frame_apply_cropping(cropped, AV_FRAME_CROP_UNALIGNED) < 0) goto end;
    scaled->format = format, scaled->width = on_side ? p.out_height : p.out_width, scaled->height = on_side ? p.out_width : p.out_height;
    if (av_frame_get_buffer(scaled, 0) < 0 || !prepare(c, cropped, scaled->width, scaled->height)) goto end;
    if (sws_scale(c->scaler, (const uint8_t *const *)cropped->data, cropped->linesize, 0, cropped->height, scaled->data, scaled->linesize) < 0)
        goto end;
    AVFrame *result = scaled;
    if (is_turned) {
        turned->format = format, turned->width = p.out_width, turned->height = p.out_height;
        if (av_frame_get_buffer(turned, 0) < 0) goto end;
        for (int i = 0; i < planes; i++) {
            uint8_t *in = scaled->data[i], *out = turned->data[i];
            const int from = scaled->linesize[i], to = turned->linesize[i];
            if (i > 0) turn_chroma(c->turn, in, from, out, to, p.out_width, p.out_height);
            else turn_plane(c->turn, in, from, out, to, p.out_width, p.out_height, bytes);
        }
        result = turned;
    }
    for (int i = 0; i < planes; i++) picture->plane[i] = result->data[i], picture->stride[i] = result->linesize[i];
    picture->owner = result == scaled ? av_frame_clone(scaled) : av_frame_clone(turned);
end:
    av_frame_free(&cropped), av_frame_free(&scaled), av_frame_free(&turned);
}
