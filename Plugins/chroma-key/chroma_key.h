#ifndef CHROMA_KEY_H
#define CHROMA_KEY_H

#include <clip_reader.h>
#include <image_reader.h>
#include <kit.h>

/* What becomes of each chroma code: [V][U]. */
typedef struct key_table {
    uint8_t opacity[256][256]; /* 0: background, 255: foreground */
    uint8_t u[256][256], v[256][256]; /* without the key's reflection */
} key_table;

typedef struct key_setting {
    double u, v; /* the key's chroma, in code values from grey */
    double similarity; /* 0: by how far the key is from grey */
    double smoothness, despill;
} key_setting;

void key_fill(key_table *table, const key_setting *setting);
/* Nothing goes, everything stays as it is. */
void key_fill_empty(key_table *table);

/* The chroma of the picture's screen, in code values from grey. 1 where it has one, 0 where not,
 * negative without memory. */
int key_find_screen(const kit_job *job, double *u, double *v);

/* An RGBA pixel's straight colour and its chroma in codes: BT.709, full range. */
KIT_INLINE void key_chroma(const uint8_t *pixel, int premultiplied, int straight[3], int chroma[2]) {
    int luma = 32768;
    for (int c = 0; c < 3; c++) {
        straight[c] = premultiplied && pixel[3] > 0 ? kit_clamp((pixel[c] * 255 + pixel[3] / 2) / pixel[3], 0, 255) : pixel[c];
        luma += straight[c] * (c == 0 ? 13933 : c == 1 ? 46871 : 4732);
    }
    luma >>= 16;
    chroma[0] = kit_u8(128 + ((straight[2] - luma) * 35318 + 32768) / 65536);
    chroma[1] = kit_u8(128 + ((straight[0] - luma) * 41616 + 32768) / 65536);
}

/* What lies behind, or the part of it that is not bare colour: in the frames' format. */
typedef struct key_picture {
    const uint8_t *plane[3]; /* null: none */
    ptrdiff_t stride[3];
    int x, y, width, height; /* pixels of the frame; x and y are even */
} key_picture;

/* The image in the frame, by the mode; its planes lie in `*memory`, to be released. 0 where there
 * is no memory. */
int key_fit_image(const cutroom_host *host, const image_pixels *image, const cutroom_setup *setup, clip_fit fit, key_picture *picture,
                  uint8_t **memory);

/* Row `y` of a plane of what lies behind, `count` samples of `bytes` bytes: the picture, and
 * `color`, a row of it, where that is not. `room` is for a row that has both. */
const uint8_t *key_row(const key_picture *picture, const uint8_t *color, uint8_t *room, int plane, int y, int count, int bytes);

#endif
