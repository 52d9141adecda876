#include "frei0r.h"

/* Red and blue change places. */
static uint32_t swapped(uint32_t pixel) {
    return (pixel & 0xff00ff00u) | (pixel & 0xff) << 16 | (pixel >> 16 & 0xff);
}

void frei0r_read(uint32_t *to, int width, int height, const cutroom_frame *from, int swaps) {
    for (int y = 0; y < height; y++, to += width) {
        if (y >= from->height) {
            memcpy(to, to - width, (size_t)width * 4);
            continue;
        }
        memcpy(to, from->plane[0] + y * from->stride[0], (size_t)from->width * 4);
        if (swaps)
            for (int x = 0; x < from->width; x++) to[x] = swapped(to[x]);
        for (int x = from->width; x < width; x++) to[x] = to[from->width - 1];
    }
}

void frei0r_write(const cutroom_frame *to, const uint32_t *from, int width, int swaps) {
    const uint32_t opaque = to->alpha == CUTROOM_ALPHA_NONE ? 0xff000000u : 0;
    for (int y = 0; y < to->height; y++, from += width) {
        uint8_t *row = to->plane[0] + y * to->stride[0];
        for (int x = 0; x < to->width; x++) {
            const uint32_t pixel = (swaps ? swapped(from[x]) : from[x]) | opaque;
            memcpy(row + 4 * x, &pixel, 4);
        }
    }
}

void frei0r_mix(const cutroom_frame *frame, const cutroom_frame *other, int weight) {
    for (int y = 0; y < frame->height; y++) {
        uint8_t *row = frame->plane[0] + y * frame->stride[0];
        const uint8_t *from = other->plane[0] + y * other->stride[0];
        for (int x = 0; x < frame->width * 4; x++)
            row[x] = (uint8_t)((row[x] * weight + from[x] * (256 - weight) + 128) >> 8);
    }
}
