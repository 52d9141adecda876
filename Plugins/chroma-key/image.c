/* What lies behind: an image made to fit the frame, and rows of it. */
#include "chroma_key.h"

/* The mean of a rectangle of the image, over black. Its sides are in 1/65536 pixels, so that the
 * borders count by their share. */
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

/* Where the image goes, and how many pixels of it go into one of the frame, in 1/65536. */
typedef struct placement {
    uint64_t across, down, left, top;
    int x, y, width, height;
} placement;

/* An image that is too wide or too high is cropped equally on both sides. */
static placement place(const image_pixels *image, int width, int height, clip_fit fit) {
    const uint64_t image_width = (uint64_t)image->width << 16, image_height = (uint64_t)image->height << 16;
    placement p = {image_width / (uint64_t)width, image_height / (uint64_t)height, 0, 0, 0, 0, width, height};
    if (fit == CLIP_FILL) p.across = p.down = p.across < p.down ? p.across : p.down;
    if (fit == CLIP_FIT) {
        p.across = p.down = p.across > p.down ? p.across : p.down;
        if (p.across == 0) p.across = p.down = 1;
        p.width = kit_clamp((int)((image_width + p.across / 2) / p.across), 1, width);
        p.height = kit_clamp((int)((image_height + p.down / 2) / p.down), 1, height);
        p.x = (width - p.width) / 2 & ~1, p.y = (height - p.height) / 2 & ~1;
        return p;
    }
    if (p.across == 0) p.across = 1;
    if (p.down == 0) p.down = 1;
    p.left = (image_width - p.across * (uint64_t)width) / 2, p.top = (image_height - p.down * (uint64_t)height) / 2;
    return p;
}

int key_fit_image(const cutroom_host *host, const image_pixels *image, const cutroom_setup *setup, clip_fit fit, key_picture *picture,
                  uint8_t **memory) {
    const placement p = place(image, setup->width, setup->height, fit);
    const int is_rgb = setup->format == CUTROOM_FORMAT_RGBA8, half = (p.width + 1) / 2, rows = (p.height + 1) / 2;
    const size_t area = (size_t)p.width * (size_t)p.height, quarter = (size_t)half * (size_t)rows;
    uint8_t *out = kit_alloc(host, is_rgb ? 4 * area : area + 2 * quarter);
    if (!out) return 0;
    *memory = out;
    *picture = (key_picture){{out, out + area, out + area + quarter}, {is_rgb ? 4 * p.width : p.width, half, half}, p.x, p.y, p.width, p.height};
    /* Chroma goes a pixel to both sides of the middle of an even column, where it lies on the
     * canvas; a setup does not say. */
    const uint64_t before = p.across / 2;
    const kit_coding coding = kit_coding_of(is_rgb ? 1 : setup->matrix, is_rgb || setup->full_range == 1);
    for (int plane = 0; plane < (is_rgb ? 1 : 2); plane++) {
        const uint64_t across = p.across << plane, down = p.down << plane;
        uint8_t *to = out + (plane ? area : 0);
        for (uint64_t y = 0; y < (uint64_t)(plane ? rows : p.height); y++) {
            for (uint64_t x = 0; x < (uint64_t)(plane ? half : p.width); x++) {
                double rgb[3];
                int codes[3];
                const uint64_t at = p.left + x * across, back = plane ? before : 0, left = at > back ? at - back : 0;
                mean(image, left, p.top + y * down, at + across - back, p.top + (y + 1) * down, rgb);
                kit_codes(&coding, rgb, codes);
                if (is_rgb) for (int c = 0; c < 4; c++) *to++ = c < 3 ? (uint8_t)(255 * rgb[c] + 0.5) : 255;
                else if (plane == 0) *to++ = kit_u8(codes[0]);
                else to[quarter] = (uint8_t)codes[2], *to++ = (uint8_t)codes[1];
            }
        }
    }
    return 1;
}

const uint8_t *key_row(const key_picture *picture, const uint8_t *color, uint8_t *room, int plane, int y, int count, int bytes) {
    const int shift = plane > 0, top = picture->y >> shift, left = picture->x >> shift;
    const int width = (picture->width + shift) >> shift, height = (picture->height + shift) >> shift;
    if (!picture->plane[0] || y < top || y >= top + height) return color;
    const uint8_t *row = picture->plane[plane] + (y - top) * picture->stride[plane];
    if (width >= count) return row;
    memcpy(room, color, (size_t)(count * bytes));
    memcpy(room + left * bytes, row, (size_t)(width * bytes));
    return room;
}
