/* Wipes and slides: rows are copied in two parts. Samples have one byte, or two for 10 bits:
 * `size`. */
#include "hdr.h"

/* How far along `length` pixels: even, but for the very end. */
static int travel(int32_t p, int length) {
    if (p >= CK_ONE) return length;
    return p <= 0 ? 0 : (int)((int64_t)p * length / CK_ONE) & ~1;
}

/* The same in a plane's own samples. */
static int plane_travel(int luma, int length, int plane_length, int plane) {
    return plane == 0 ? luma : luma == length ? plane_length : luma / 2;
}

static void copy(uint8_t *to, const uint8_t *from, int n) {
    if (n > 0 && to != from) memcpy(to, from, (size_t)n);
}

static void wipe(ck_picture out, ck_picture a, ck_picture b, int32_t p, ck_direction direction, int size) {
    const int across = direction == CK_LEFT || direction == CK_RIGHT;
    const int back = direction == CK_LEFT || direction == CK_UP;
    const int length = across ? out.width : out.height;
    /* Moving back is moving forth in reverse time with the pictures exchanged: the border is on
     * even pixels either way. */
    const int border = travel(back ? CK_ONE - ck_clamp(p, 0, CK_ONE) : p, length);
    const ck_picture before = back ? a : b, after = back ? b : a;
    for (int plane = 0; plane < 3; plane++) {
        const int columns = ck_columns(out, plane), rows = ck_rows(out, plane);
        const int split = plane_travel(border, length, across ? columns : rows, plane);
        for (int y = 0; y < rows; y++) {
            uint8_t *to = ck_row(out, plane, y);
            const uint8_t *first = ck_row(before, plane, y), *second = ck_row(after, plane, y);
            const int n = across ? split : y < split ? columns : 0;
            copy(to, first, n * size);
            copy(to + n * size, second + n * size, (columns - n) * size);
        }
    }
}

static void slide(ck_picture out, ck_picture a, ck_picture b, int32_t p, ck_direction direction, int size) {
    const int across = direction == CK_LEFT || direction == CK_RIGHT;
    const int back = direction == CK_LEFT || direction == CK_UP;
    const int length = across ? out.width : out.height;
    const int luma = travel(p, length);
    for (int plane = 0; plane < 3; plane++) {
        const int columns = ck_columns(out, plane), rows = ck_rows(out, plane), side = across ? columns : rows;
        const int moved = plane_travel(luma, length, side, plane);
        /* What is left of or above the seam, and where in its picture it begins; the other begins
         * at its edge. */
        const ck_picture first = back ? a : b, second = back ? b : a;
        const int seam = back ? side - moved : moved, start = back ? moved : side - moved;
        for (int y = 0; y < rows; y++) {
            uint8_t *to = ck_row(out, plane, y);
            if (across) {
                copy(to, ck_row(first, plane, y) + start * size, seam * size);
                copy(to + seam * size, ck_row(second, plane, y), (columns - seam) * size);
            } else {
                copy(to, y < seam ? ck_row(first, plane, y + start) : ck_row(second, plane, y - seam), columns * size);
            }
        }
    }
}

void ck_wipe(ck_picture out, ck_picture a, ck_picture b, int32_t p, ck_direction direction) {
    wipe(out, a, b, p, direction, 1);
}
void ck_wipe_10(ck_picture out, ck_picture a, ck_picture b, int32_t p, ck_direction direction) {
    wipe(out, a, b, p, direction, 2);
}
void ck_slide(ck_picture out, ck_picture a, ck_picture b, int32_t p, ck_direction direction) {
    slide(out, a, b, p, direction, 1);
}
void ck_slide_10(ck_picture out, ck_picture a, ck_picture b, int32_t p, ck_direction direction) {
    slide(out, a, b, p, direction, 2);
}

/* The references say for each sample where it comes from. */

static void pick(ck_picture out, ck_picture a, ck_picture b, int32_t p, ck_direction direction, int slide, int size) {
    for (int plane = 0; plane < 3; plane++) {
        const int columns = ck_columns(out, plane), rows = ck_rows(out, plane);
        for (int y = 0; y < rows; y++) {
            for (int x = 0; x < columns; x++) {
                const int across = direction == CK_LEFT || direction == CK_RIGHT;
                const int back = direction == CK_LEFT || direction == CK_UP;
                const int length = across ? out.width : out.height, side = across ? columns : rows;
                const int at = across ? x : y;
                int from, is_new;
                if (slide) {
                    const int moved = plane_travel(travel(p, length), length, side, plane);
                    /* Position in a strip of both pictures end to end, old first when it moves
                     * back. */
                    const int strip = back ? at + moved : at + side - moved;
                    is_new = back ? strip >= side : strip < side;
                    from = strip % side;
                } else {
                    const int border = plane_travel(travel(back ? CK_ONE - p : p, length), length, side, plane);
                    is_new = back ? at >= border : at < border;
                    from = at;
                }
                const ck_picture source = is_new ? b : a;
                const uint8_t *sample = across ? ck_row(source, plane, y) + from * size : ck_row(source, plane, from) + x * size;
                for (int byte = 0; byte < size; byte++) ck_row(out, plane, y)[x * size + byte] = sample[byte];
            }
        }
    }
}

void ck_wipe_ref(ck_picture out, ck_picture a, ck_picture b, int32_t p, ck_direction direction) {
    pick(out, a, b, ck_clamp(p, 0, CK_ONE), direction, 0, 1);
}
void ck_wipe_10_ref(ck_picture out, ck_picture a, ck_picture b, int32_t p, ck_direction direction) {
    pick(out, a, b, ck_clamp(p, 0, CK_ONE), direction, 0, 2);
}
void ck_slide_ref(ck_picture out, ck_picture a, ck_picture b, int32_t p, ck_direction direction) {
    pick(out, a, b, ck_clamp(p, 0, CK_ONE), direction, 1, 1);
}
void ck_slide_10_ref(ck_picture out, ck_picture a, ck_picture b, int32_t p, ck_direction direction) {
    pick(out, a, b, ck_clamp(p, 0, CK_ONE), direction, 1, 2);
}
