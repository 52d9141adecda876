/* Bilinear sampling along straight lines. */
#include "kit.h"
#include <math.h>

enum { ONE = 1 << 16 };

/* The part of [first, last) in which 0 ≤ start + i · step ≤ limit. */
static void inside(int64_t start, int64_t step, int64_t limit, int *first, int *last) {
    if (step == 0) {
        if (start < 0 || start > limit) *last = *first;
        return;
    }
    /* Bounds of i, rounded inwards. */
    int64_t low = step > 0 ? -start : start - limit, high = step > 0 ? limit - start : start;
    const int64_t size = step > 0 ? step : -step;
    low = low <= 0 ? 0 : (low + size - 1) / size;
    high = high < 0 ? -1 : high / size;
    if (low > *first) *first = low < *last ? (int)low : *last;
    if (high + 1 < *last) *last = high + 1 > *first ? (int)(high + 1) : *first;
}

KIT_INLINE int fold(int64_t i, int size, int edges) {
    if (edges == KIT_CLAMP) return i < 0 ? 0 : i >= size ? size - 1 : (int)i;
    int64_t m = i % (2 * (int64_t)size);
    if (m < 0) m += 2 * (int64_t)size;
    return (int)(m < size ? m : 2 * (int64_t)size - 1 - m);
}

KIT_INLINE uint8_t blend(const uint8_t *a, const uint8_t *b, int next, int fx, int fy) {
    const int top = a[0] * (256 - fx) + a[next] * fx, bottom = b[0] * (256 - fx) + b[next] * fx;
    return (uint8_t)((top * (256 - fy) + bottom * fy + 32768) >> 16);
}

KIT_INLINE float blend_floats(const float *a, const float *b, int next, float fx, float fy) {
    const float top = a[0] * (1 - fx) + a[next] * fx, bottom = b[0] * (1 - fx) + b[next] * fx;
    return top * (1 - fy) + bottom * fy;
}

/* One sample of `channels` components, bytes or floats, from the rows `a` and `b` and the columns
 * `x0` and `x0 + next`. */
KIT_INLINE void sample(const uint8_t *a, const uint8_t *b, ptrdiff_t x0, int next, int64_t x, int64_t y, uint8_t *out, int channels,
                       int floats) {
    const int fx = (int)(x >> 8) & 255, fy = (int)(y >> 8) & 255;
    for (int c = 0; c < channels; c++) {
        const ptrdiff_t at = x0 * channels + c;
        if (floats) ((float *)(void *)out)[c] = blend_floats((const float *)(const void *)a + at, (const float *)(const void *)b + at,
                                                             next * channels, (float)fx / 256, (float)fy / 256);
        else out[c] = blend(a + at, b + at, next * channels, fx, fy);
    }
}

/* Chroma at the left: the picture's edges do not lie midway between a sample and its mirror image,
 * which falls between samples. */
KIT_INLINE int64_t reflected(int64_t x, int columns) {
    const int64_t span = (int64_t)columns << 15, edge = ONE / 4;
    int64_t m = (x + edge) % (2 * span);
    if (m < 0) m += 2 * span;
    return (m < span ? m : 2 * span - m) - edge;
}

KIT_INLINE void careful(const kit_plane *p, uint8_t *out, int count, kit_line line, int channels, int edges, int floats) {
    const int between = channels == 1 && p->left && edges == KIT_MIRROR, way = between ? KIT_CLAMP : edges;
    for (int i = 0; i < count; i++, line.x += line.dx, line.y += line.dy, out += channels * (floats ? 4 : 1)) {
        const int64_t x = between ? reflected(line.x, p->columns) : line.x;
        const int x0 = fold(x >> 16, p->width, way), x1 = fold((x >> 16) + 1, p->width, way);
        const uint8_t *a = p->in + fold(line.y >> 16, p->height, edges) * p->in_stride;
        const uint8_t *b = p->in + fold((line.y >> 16) + 1, p->height, edges) * p->in_stride;
        sample(a, b, x0, x1 - x0, x, line.y, out, channels, floats);
    }
}

/* All four neighbours are inside. 32 bits hold the coordinates of the largest picture. */
KIT_INLINE void direct(const kit_plane *p, uint8_t *out, int count, kit_line line, int channels, int floats) {
    uint32_t x = (uint32_t)line.x, y = (uint32_t)line.y;
    const uint32_t dx = (uint32_t)line.dx, dy = (uint32_t)line.dy;
    for (int i = 0; i < count; i++, x += dx, y += dy, out += channels * (floats ? 4 : 1)) {
        const uint8_t *a = p->in + (ptrdiff_t)(y >> 16) * p->in_stride;
        sample(a, a + p->in_stride, (ptrdiff_t)(x >> 16), 1, x, y, out, channels, floats);
    }
}

KIT_INLINE void sample_row_body(const kit_plane *p, uint8_t *out, int count, kit_line line, int edges, int channels, int floats) {
    const int size = channels * (floats ? 4 : 1);
    int first = 0, last = count;
    inside(line.x, line.dx, (int64_t)(p->width - 1) * ONE - 1, &first, &last);
    inside(line.y, line.dy, (int64_t)(p->height - 1) * ONE - 1, &first, &last);
    if (last <= first) first = last = count;
    careful(p, out, first, line, channels, edges, floats);
    line.x += first * line.dx, line.y += first * line.dy;
    direct(p, out + first * size, last - first, line, channels, floats);
    line.x += (last - first) * line.dx, line.y += (last - first) * line.dy;
    careful(p, out + last * size, count - last, line, channels, edges, floats);
}

static void sample_bytes(const kit_plane *p, uint8_t *out, int count, kit_line line, int edges) {
    sample_row_body(p, out, count, line, edges, 1, 0);
}
static void sample_pixels(const kit_plane *p, uint8_t *out, int count, kit_line line, int edges) {
    sample_row_body(p, out, count, line, edges, 4, 0);
}
static void sample_floats(const kit_plane *p, uint8_t *out, int count, kit_line line, int edges) {
    sample_row_body(p, out, count, line, edges, 4, 1);
}

void kit_sample_row(const kit_plane *plane, uint8_t *out, int count, kit_line line, int edges) {
    if (plane->floats) sample_floats(plane, out, count, line, edges);
    else if (plane->channels == 1) sample_bytes(plane, out, count, line, edges);
    else sample_pixels(plane, out, count, line, edges);
}

static int64_t fixed(double x) { return (int64_t)floor(x * ONE + 0.5); }

kit_line kit_line_of(const kit_affine *map, const kit_plane *plane, int x, int y) {
    const double unit = 1 << plane->shift, middle = kit_middle(plane), px = (x + middle) * unit, py = (y + 0.5) * unit;
    return (kit_line){
        fixed((map->xx * px + map->xy * py + map->x) / unit - middle), fixed((map->yx * px + map->yy * py + map->y) / unit - 0.5),
        fixed(map->xx), fixed(map->yx)};
}
