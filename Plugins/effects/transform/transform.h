/* The transform of pictures of floats, for HDR canvases. */
#ifndef TRANSFORM_H
#define TRANSFORM_H

#include <kit.h>

typedef enum transform_edges { TRANSFORM_MIRROR, TRANSFORM_CLAMP, TRANSFORM_BLACK } transform_edges;

/* The call's rows of its RGBAF32 output, bilinear. */
void transform_floats(const cutroom_call *call, const kit_affine *map, transform_edges edges);

#endif
