/* An image made as large as the frame. */
#include "chroma_key.h"

/* The mean of a rectangle of the image, over black. Its sides are in 1/65536 pixels, so that the borders count by their share. */
static void mean(const image_pixels *image, uint64_t left, uint64_t top, uint64_t right, uint64_t bottom, double rgb[3]) {
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
uint8_t *key_fit_image(const cutroom_host *host, const image_pixels *image, const cutroom_setup *setup) {
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
