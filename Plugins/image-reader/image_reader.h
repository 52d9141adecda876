/* Reads the images that effects are told to use. Linked into each library that uses it; exports
 * nothing. */
#ifndef IMAGE_READER_H
#define IMAGE_READER_H

#include <cutroom/plugin.h>

/* Pixels with straight alpha, rows without padding. */
typedef struct image_pixels {
    int width, height;
    uint8_t *rgba; /* to be given back with cutroom_host.release */
} image_pixels;

/* 1 where the file begins as a PNG or JPEG does. */
int image_is_known(const char *path);

/* Reads a PNG or JPEG file. On failure nothing is left behind, and `reason` is a sentence or,
 * without memory, empty. */
cutroom_status image_read(const cutroom_host *host, const char *path, image_pixels *image, char reason[256]);

#endif
