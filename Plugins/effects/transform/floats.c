/* Bilinear sampling of floats, as kit's sampling of bytes does it. */
#include "transform.h"
#include <math.h>

/* The sample at `i` of `size`; −1 where it is black. */
static int place(int64_t i, int size, transform_edges edges) {
    if (i >= 0 && i < size) return (int)i;
    if (edges == TRANSFORM_BLACK) return -1;
    if (edges == TRANSFORM_CLAMP) return i < 0 ? 0 : size - 1;
    int64_t m = i % (2 * (int64_t)size);
    if (m < 0) m += 2 * (int64_t)size;
    return (int)(m < size ? m : 2 * (int64_t)size - 1 - m);
}

void transform_floats(const cutroom_call *call, const kit_affine *map, transform_edges edges) {
    const cutroom_frame *in = cutroom_current(call, 0), *out = call->output;
    const int is_opaque = out->alpha == CUTROOM_ALPHA_NONE, is_straight = out->alpha == CUTROOM_ALPHA_STRAIGHT;
    for (int y = call->row_begin; y < call->row_end; y++) {
        float *to = (float *)(void *)(out->plane[0] + y * out->stride[0]);
        for (int x = 0; x < out->width; x++, to += 4) {
            const double px = x + 0.5, py = y + 0.5, sx = map->xx * px + map->xy * py + map->x - 0.5,
                         sy = map->yx * px + map->yy * py + map->y - 0.5, left = floor(sx), top = floor(sy);
            const float fx = (float)(sx - left), fy = (float)(sy - top);
            float sum[4] = {0, 0, 0, 0};
            for (int corner = 0; corner < 4; corner++) {
                const int dx = corner & 1, dy = corner >> 1;
                const float weight = (dx ? fx : 1 - fx) * (dy ? fy : 1 - fy);
                const int column = place((int64_t)left + dx, in->width, edges), row = place((int64_t)top + dy, in->height, edges);
                /* A sample without weight has no say, whatever it is: 0 · ∞ is no number. */
                if (column < 0 || row < 0 || weight == 0) continue;
                const float *from = (const float *)(const void *)(in->plane[0] + row * in->stride[0]) + 4 * (ptrdiff_t)column;
                const float alpha = is_straight ? from[3] : 1;
                for (int c = 0; c < 3; c++) sum[c] += weight * alpha * from[c];
                sum[3] += weight * from[3];
            }
            if (is_straight)
                for (int c = 0; c < 3; c++) sum[c] = sum[3] > 0 ? sum[c] / sum[3] : 0;
            for (int c = 0; c < 3; c++) to[c] = sum[c];
            to[3] = is_opaque ? 1 : sum[3];
        }
    }
}
