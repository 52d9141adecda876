/* The background image: read by libpng or libjpeg, and made as large as the frame. */
#include "chroma_key.h"
#include <errno.h>
#include <setjmp.h>
#include <stdio.h>
#include <png.h>
#include <jpeglib.h>

/* Decoded, 1 GB. */
enum { MOST_PIXELS = 1 << 28 };

static cutroom_status fail(char reason[256], const char *path, const char *why) {
    snprintf(reason, 256, "the background image ‘%s’ %s", path, why);
    return CUTROOM_ERROR_PARAM;
}

static cutroom_status read_png(const cutroom_host *host, FILE *file, const char *path, key_image *image, char reason[256]) {
    png_image png = {.version = PNG_IMAGE_VERSION};
    if (!png_image_begin_read_from_stdio(&png, file)) return fail(reason, path, png.message);
    if ((uint64_t)png.width * png.height > MOST_PIXELS) {
        png_image_free(&png);
        return fail(reason, path, "is too large");
    }
    png.format = PNG_FORMAT_RGBA;
    *image = (key_image){(int)png.width, (int)png.height, kit_alloc(host, PNG_IMAGE_SIZE(png))};
    if (!image->rgba) {
        png_image_free(&png);
        return CUTROOM_ERROR_MEMORY;
    }
    /* Returns 0 and frees what is libpng's own where the file is damaged. */
    if (png_image_finish_read(&png, NULL, image->rgba, 0, NULL)) return CUTROOM_OK;
    kit_release(host, image->rgba);
    return fail(reason, path, png.message);
}

typedef struct jpeg_guard {
    struct jpeg_error_mgr manager;
    jmp_buf back;
    char message[JMSG_LENGTH_MAX];
} jpeg_guard;

static void jpeg_failed(j_common_ptr common) {
    jpeg_guard *guard = (jpeg_guard *)(void *)common->err;
    guard->manager.format_message(common, guard->message);
    longjmp(guard->back, 1);
}

static void jpeg_silent(j_common_ptr common, int level) { (void)common, (void)level; }

static cutroom_status read_jpeg(const cutroom_host *host, FILE *file, const char *path, key_image *image, char reason[256]) {
    struct jpeg_decompress_struct jpeg;
    jpeg_guard guard;
    jpeg.err = jpeg_std_error(&guard.manager);
    guard.manager.error_exit = jpeg_failed, guard.manager.emit_message = jpeg_silent;
    image->rgba = NULL;
    if (setjmp(guard.back)) {
        jpeg_destroy_decompress(&jpeg);
        kit_release(host, image->rgba);
        return fail(reason, path, guard.message);
    }
    jpeg_create_decompress(&jpeg);
    jpeg_stdio_src(&jpeg, file);
    jpeg_read_header(&jpeg, TRUE);
    jpeg.out_color_space = JCS_EXT_RGBA;
    jpeg.dct_method = JDCT_ISLOW;
    const int is_large = (uint64_t)jpeg.image_width * jpeg.image_height > MOST_PIXELS;
    if (!is_large) image->rgba = kit_alloc(host, (size_t)jpeg.image_width * jpeg.image_height * 4);
    if (!image->rgba) {
        jpeg_destroy_decompress(&jpeg);
        return is_large ? fail(reason, path, "is too large") : CUTROOM_ERROR_MEMORY;
    }
    image->width = (int)jpeg.image_width, image->height = (int)jpeg.image_height;
    jpeg_start_decompress(&jpeg);
    while (jpeg.output_scanline < jpeg.output_height) {
        JSAMPROW row = image->rgba + (size_t)jpeg.output_scanline * jpeg.image_width * 4;
        jpeg_read_scanlines(&jpeg, &row, 1);
    }
    jpeg_finish_decompress(&jpeg);
    jpeg_destroy_decompress(&jpeg);
    return CUTROOM_OK;
}

cutroom_status key_read_image(const cutroom_host *host, const char *path, key_image *image, char reason[256]) {
    FILE *file = fopen(path, "rb");
    if (!file) return fail(reason, path, errno == ENOENT ? "does not exist" : "cannot be opened");
    uint8_t head[8] = {0};
    const size_t count = fread(head, 1, sizeof head, file);
    rewind(file);
    cutroom_status status;
    if (count == sizeof head && !png_sig_cmp(head, 0, sizeof head)) status = read_png(host, file, path, image, reason);
    else if (count == sizeof head && head[0] == 0xff && head[1] == 0xd8) status = read_jpeg(host, file, path, image, reason);
    else status = fail(reason, path, "is neither PNG nor JPEG");
    fclose(file);
    return status;
}

/* The mean of a rectangle of the image, over black. Its sides are in 1/65536 pixels, so that the borders count by their share. */
static void mean(const key_image *image, uint64_t left, uint64_t top, uint64_t right, uint64_t bottom, double rgb[3]) {
    double sum[3] = {0}, area = 0;
    for (uint64_t y = top >> 16; y << 16 < bottom && y < (uint64_t)image->height; y++) {
        const double high = ((y + 1) << 16 < bottom ? (y + 1) << 16 : bottom) - (y << 16 > top ? y << 16 : top);
        for (uint64_t x = left >> 16; x << 16 < right && x < (uint64_t)image->width; x++) {
            const double wide = ((x + 1) << 16 < right ? (x + 1) << 16 : right) - (x << 16 > left ? x << 16 : left);
            const uint8_t *pixel = image->rgba + (y * (uint64_t)image->width + x) * 4;
            for (int c = 0; c < 3; c++) sum[c] += wide * high * pixel[c] * pixel[3] / 255;
            area += wide * high;
        }
    }
    for (int c = 0; c < 3; c++) rgb[c] = area > 0 ? sum[c] / area / 255 : 0;
}

/* Fills the frame; what is too wide or too high is cut off on both sides alike. */
uint8_t *key_fit_image(const cutroom_host *host, const key_image *image, const cutroom_setup *setup) {
    const int width = setup->width, height = setup->height, is_rgb = setup->format == CUTROOM_FORMAT_RGBA8;
    const int half = (width + 1) / 2, rows = (height + 1) / 2;
    const size_t size = is_rgb ? (size_t)width * (size_t)height * 4 : (size_t)width * (size_t)height
        + 2 * (size_t)half * (size_t)rows;
    uint8_t *out = kit_alloc(host, size);
    if (!out) return NULL;
    const kit_coding coding = kit_coding_of(is_rgb ? 1 : setup->matrix, is_rgb || setup->full_range == 1);
    /* Pixels of the image for one of the frame, in 1/65536. */
    const uint64_t across = ((uint64_t)image->width << 16) / (uint64_t)width,
        down = ((uint64_t)image->height << 16) / (uint64_t)height;
    uint64_t step = across < down ? across : down;
    if (step == 0) step = 1;
    const uint64_t left = (((uint64_t)image->width << 16) - step * (uint64_t)width) / 2,
        top = (((uint64_t)image->height << 16) - step * (uint64_t)height) / 2;
    for (int plane = 0; plane < (is_rgb ? 1 : 2); plane++) {
        const uint64_t unit = step << plane;
        uint8_t *to = plane == 0 ? out : out + (size_t)width * (size_t)height;
        for (uint64_t y = 0; y < (uint64_t)(plane ? rows : height); y++) {
            for (uint64_t x = 0; x < (uint64_t)(plane ? half : width); x++) {
                double rgb[3];
                int codes[3];
                mean(image, left + x * unit, top + y * unit, left + (x + 1) * unit, top + (y + 1) * unit, rgb);
                kit_codes(&coding, rgb, codes);
                if (is_rgb) for (int c = 0; c < 4; c++) *to++ = c < 3 ? (uint8_t)(255 * rgb[c] + 0.5) : 255;
                else if (plane == 0) *to++ = kit_u8(codes[0]);
                else to[(size_t)half * (size_t)rows] = (uint8_t)codes[2], *to++ = (uint8_t)codes[1];
            }
        }
    }
    return out;
}
