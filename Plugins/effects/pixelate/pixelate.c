/* org.cutroom.pixelate: a mosaic of the picture or of a rectangle of it. Each tile has the mean of
 * what it covers. */
#include "../effects.h"
#include <math.h>

enum { TILE, POSITION, SIZE };

static const cutroom_param params[] = {
    [TILE] = KIT_PIXELS("tile", "Tile", 2, 2000, 24, "The side of a tile."),
    [POSITION] = KIT_POINT(CUTROOM_PARAM_IN_PIXELS, "position", "Position", "px", -16384, 16384, 0, 0,
                           "The rectangle's left and top; the first tile begins there."),
    [SIZE] = KIT_POINT(CUTROOM_PARAM_IN_PIXELS, "size", "Size", "px", 0, 16384, 0, 0,
                       "The rectangle's width and height. 0: up to the picture's edge."),
};

/* Tiles along one direction: where tile k begins in samples of a plane, kept inside the rectangle.
 */
typedef struct grid {
    double tile;
    int start, low, high, shift; /* pixels; the rectangle's part in the picture is [low, high) */
} grid;

static grid grid_of(double tile, double position, double size, int limit, int shift) {
    const int start = (int)floor(position + 0.5);
    const int stop = size > 0 ? start + (int)floor(size + 0.5) : limit;
    return (grid){tile, start, kit_clamp(start, 0, limit), kit_clamp(stop, 0, limit), shift};
}

static int border(grid g, int k) {
    const double x = floor(g.start + k * g.tile);
    const int at = x < g.low ? g.low : x > g.high ? g.high : (int)x;
    return (at + g.shift) >> g.shift;
}

static int first_tile(grid g) { return g.low > g.start ? (int)floor((g.low - g.start) / g.tile) : 0; }

KIT_INLINE void add_row_body(const uint8_t *in, uint32_t *sums, int count) {
    for (int i = 0; i < count; i++) sums[i] += in[i];
}
KIT_KERNEL(add_row, (const uint8_t *in, uint32_t *sums, int count), (in, sums, count))

static void tile_rows(const kit_plane *p, grid across, int top, int bottom, uint32_t *sums) {
    const int bytes = p->channels, left = border(across, first_tile(across)),
        right = (across.high + across.shift) >> across.shift;
    memset(sums + left * bytes, 0, sizeof *sums * (size_t)((right - left) * bytes));
    for (int y = top; y < bottom; y++)
        add_row(p->in + y * p->in_stride + left * bytes, sums + left * bytes, (right - left) * bytes);
    const int first = top > p->begin ? top : p->begin, last = bottom < p->end ? bottom : p->end;
    uint8_t *row = p->out + first * p->out_stride;
    for (int k = first_tile(across), from = left; from < right; k++) {
        const int to = border(across, k + 1);
        const uint64_t area = (uint64_t)(to - from) * (uint64_t)(bottom - top);
        for (int c = 0; c < bytes && from < to; c++) {
            uint64_t sum = 0;
            for (int x = from; x < to; x++) sum += sums[x * bytes + c];
            const uint8_t mean = (uint8_t)((sum + area / 2) / area);
            for (int x = from; x < to; x++) row[x * bytes + c] = mean;
        }
        from = to;
    }
    for (int y = first + 1; y < last; y++)
        memcpy(p->out + y * p->out_stride + left * bytes, row + left * bytes, (size_t)((right - left) * bytes));
}

static cutroom_status render(const kit_job *job) {
    const cutroom_value *v = job->values;
    uint32_t *sums = kit_alloc(job->host, sizeof *sums * (size_t)(job->width * 4));
    if (!sums) return CUTROOM_ERROR_MEMORY;
    for (int i = 0; i < job->plane_count; i++) {
        const kit_plane *p = &job->plane[i];
        kit_copy(p);
        const grid across = grid_of(v[TILE].n[0], v[POSITION].n[0], v[SIZE].n[0], job->width, p->shift);
        const grid down = grid_of(v[TILE].n[0], v[POSITION].n[1], v[SIZE].n[1], job->height, p->shift);
        if (across.low >= across.high || down.low >= down.high) continue;
        const int stop = (down.high + p->shift) >> p->shift;
        for (int k = first_tile(down), top = border(down, k); top < stop && top < p->end; k++) {
            const int bottom = border(down, k + 1);
            if (bottom > p->begin && bottom > top) tile_rows(p, across, top, bottom, sums);
            top = bottom;
        }
    }
    kit_release(job->host, sums);
    return CUTROOM_OK;
}

const kit_effect effect_pixelate = {
    .abi = KIT_EFFECT(CUTROOM_CAN_SHARE_INSTANCE, "org.cutroom.pixelate", "Pixelate",
                      "Covers the picture, or a rectangle of it such as a face, with a mosaic.", params),
    .render = render,
    .mixes = 1,
};
