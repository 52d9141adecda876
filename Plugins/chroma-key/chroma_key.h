#ifndef CHROMA_KEY_H
#define CHROMA_KEY_H

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

/* The image, filling the frame, in the frames' format and size: rows without padding, planes one after the other. Null where
 * there is no memory. */
uint8_t *key_fit_image(const cutroom_host *host, const image_pixels *image, const cutroom_setup *setup);

#endif
