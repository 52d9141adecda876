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
    double u, v; /* the key's chroma, of −0.5…0.5 */
    double similarity, smoothness, despill;
} key_setting;

void key_fill(key_table *table, const key_setting *setting, const kit_coding *coding);

/* What lies behind, or the part of it that is not bare colour: in the frames' format. */
typedef struct key_picture {
    const uint8_t *plane[3]; /* null: none */
    ptrdiff_t stride[3];
    int x, y, width, height; /* pixels of the frame; x and y are even */
} key_picture;

/* The image in the frame, by the mode; its planes lie in `*memory`, to be released. 0 where there is no memory. */
int key_fit_image(const cutroom_host *host, const image_pixels *image, const cutroom_setup *setup, clip_fit fit, key_picture *picture,
                  uint8_t **memory);

/* Row `y` of a plane of what lies behind, `count` samples of `bytes` bytes: the picture, and `color`, a row of it, where that is
 * not. `room` is for a row that has both. */
const uint8_t *key_row(const key_picture *picture, const uint8_t *color, uint8_t *room, int plane, int y, int count, int bytes);

#endif
