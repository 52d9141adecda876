/* PNG by libpng, JPEG by libjpeg. */
#include "image_reader.h"
#include <errno.h>
#include <setjmp.h>
#include <stdio.h>
#include <sys/stat.h>
#include <png.h>
#include <jpeglib.h>
#include <jerror.h>

/* Decoded, 1 GB. */
enum { MOST_PIXELS = 1 << 28 };

static cutroom_status fail(char reason[256], const char *path, const char *why) {
    snprintf(reason, 256, "the image ‘%s’ %s", path, why);
    return CUTROOM_ERROR_PARAM;
}

static cutroom_status read_png(const cutroom_host *host, FILE *file, const char *path, image_pixels *image, char reason[256]) {
    png_image png = {.version = PNG_IMAGE_VERSION};
    if (!png_image_begin_read_from_stdio(&png, file)) return fail(reason, path, png.message);
    if ((uint64_t)png.width * png.height > MOST_PIXELS) {
        png_image_free(&png);
        return fail(reason, path, "is too large");
    }
    png.format = PNG_FORMAT_RGBA;
    *image = (image_pixels){(int)png.width, (int)png.height, host->alloc(host->context, PNG_IMAGE_SIZE(png), 64)};
    if (!image->rgba) {
        png_image_free(&png);
        return CUTROOM_ERROR_MEMORY;
    }
    /* Returns 0 and frees what is libpng's own where the file is damaged. */
    if (png_image_finish_read(&png, NULL, image->rgba, 0, NULL)) return CUTROOM_OK;
    host->release(host->context, image->rgba);
    return fail(reason, path, png.message);
}

typedef struct jpeg_guard {
    struct jpeg_error_mgr manager;
    jmp_buf back;
    char message[JMSG_LENGTH_MAX];
    int is_damaged; /* `message` is that of the first warning that tells of missing pixels */
} jpeg_guard;

static void jpeg_failed(j_common_ptr common) {
    jpeg_guard *guard = (jpeg_guard *)(void *)common->err;
    guard->manager.format_message(common, guard->message);
    longjmp(guard->back, 1);
}

/* A small progressive file may have any number of scans over a large picture (libjpeg-turbo's own
 * tools can stop at a number too). */
static void jpeg_scanned(j_common_ptr common) {
    if (((j_decompress_ptr)common)->input_scan_number <= 500) return;
    jpeg_guard *guard = (jpeg_guard *)(void *)common->err;
    snprintf(guard->message, sizeof guard->message, "has more than 500 scans");
    longjmp(guard->back, 1);
}

/* Warnings that leave the picture whole: bytes before a marker that no one needs, numbers in a
 * header that are not as they should be. All others say that samples were made up: the file ends
 * too soon (be it before its last marker alone) or is damaged. */
static int is_harmless(int code) {
    return code == JWRN_EXTRANEOUS_DATA || code == JWRN_JFIF_MAJOR || code == JWRN_ADOBE_XFORM || code == JWRN_BOGUS_PROGRESSION ||
           code == JWRN_NOT_SEQUENTIAL;
}

static void jpeg_told(j_common_ptr common, int level) {
    jpeg_guard *guard = (jpeg_guard *)(void *)common->err;
    /* Below 0 are warnings, from there on traces. */
    if (level >= 0 || guard->is_damaged || is_harmless(common->err->msg_code)) return;
    guard->is_damaged = 1;
    guard->manager.format_message(common, guard->message);
}

static cutroom_status read_jpeg(const cutroom_host *host, FILE *file, const char *path, image_pixels *image, char reason[256]) {
    struct jpeg_decompress_struct jpeg;
    jpeg_guard guard;
    jpeg.err = jpeg_std_error(&guard.manager);
    guard.manager.error_exit = jpeg_failed, guard.manager.emit_message = jpeg_told, guard.is_damaged = 0;
    image->rgba = NULL;
    if (setjmp(guard.back)) {
        jpeg_destroy_decompress(&jpeg);
        host->release(host->context, image->rgba);
        return fail(reason, path, guard.message);
    }
    jpeg_create_decompress(&jpeg);
    struct jpeg_progress_mgr progress = {.progress_monitor = jpeg_scanned};
    jpeg.progress = &progress;
    jpeg_stdio_src(&jpeg, file);
    jpeg_read_header(&jpeg, TRUE);
    jpeg.out_color_space = JCS_EXT_RGBA;
    jpeg.dct_method = JDCT_ISLOW;
    const int is_large = (uint64_t)jpeg.image_width * jpeg.image_height > MOST_PIXELS;
    if (!is_large) image->rgba = host->alloc(host->context, (size_t)jpeg.image_width * jpeg.image_height * 4, 64);
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
    if (!guard.is_damaged) return CUTROOM_OK;
    host->release(host->context, image->rgba);
    return fail(reason, path, guard.message);
}

typedef enum kind { NEITHER, PNG_FILE, JPEG_FILE } kind;

static kind kind_of(FILE *file) {
    uint8_t head[8] = {0};
    const size_t count = fread(head, 1, sizeof head, file);
    rewind(file);
    if (count == sizeof head && !png_sig_cmp(head, 0, sizeof head)) return PNG_FILE;
    return count == sizeof head && head[0] == 0xff && head[1] == 0xd8 ? JPEG_FILE : NEITHER;
}

/* A pipe or a device would be waited for. */
static FILE *open_regular(const char *path) {
    struct stat info;
    if (stat(path, &info) != 0) return NULL;
    if (!S_ISREG(info.st_mode)) return errno = EINVAL, NULL;
    return fopen(path, "rb");
}

int image_is_known(const char *path) {
    FILE *file = open_regular(path);
    const int known = file && kind_of(file) != NEITHER;
    if (file) fclose(file);
    return known;
}

cutroom_status image_read(const cutroom_host *host, const char *path, image_pixels *image, char reason[256]) {
    FILE *file = open_regular(path);
    if (!file) return fail(reason, path, errno == ENOENT ? "does not exist" : "cannot be opened");
    cutroom_status status;
    switch (kind_of(file)) {
    case PNG_FILE: status = read_png(host, file, path, image, reason); break;
    case JPEG_FILE: status = read_jpeg(host, file, path, image, reason); break;
    default: status = fail(reason, path, "is neither PNG nor JPEG");
    }
    fclose(file);
    return status;
}
