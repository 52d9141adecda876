/* The screen's colour where none is given: the green or blue that most of the picture's border has.
 */
#include "chroma_key.h"
#include <math.h>

/* Cells of the plane of chroma, and the least chroma that is a colour: lit badly, a screen still
 * has twice as much. */
enum { BITS = 3, SIDE = 256 >> BITS, LEAST = 12 };

typedef struct tally {
    int64_t count, u, v;
} tally;

typedef struct border {
    tally cells[SIDE][SIDE];
    int64_t seen;
} border;

/* Skin, wood and brick are redder than grey, a screen is not. */
static void count(border *b, int u, int v) {
    const int x = u - 128, y = v - 128;
    b->seen++;
    if (y > 0 || x * x + y * y < LEAST * LEAST) return;
    tally *cell = &b->cells[v >> BITS][u >> BITS];
    cell->count++, cell->u += x, cell->v += y;
}

static void count_at(border *b, const kit_job *job, int x, int y) {
    if (job->plane_count > 1) {
        const kit_plane *u = &job->plane[1], *v = &job->plane[2];
        count(b, u->in[y * u->in_stride + x], v->in[y * v->in_stride + x]);
    } else {
        int straight[3], chroma[2];
        key_chroma(job->plane[0].in + y * job->plane[0].in_stride + 4 * x, job->premultiplied, straight, chroma);
        count(b, chroma[0], chroma[1]);
    }
}

/* What the cells at most `reach` from one have together. */
static tally around(const border *b, int u, int v, int reach) {
    tally sum = {0};
    for (int y = kit_clamp(v - reach, 0, SIDE - 1); y <= kit_clamp(v + reach, 0, SIDE - 1); y++) {
        for (int x = kit_clamp(u - reach, 0, SIDE - 1); x <= kit_clamp(u + reach, 0, SIDE - 1); x++) {
            const tally *c = &b->cells[y][x];
            sum.count += c->count, sum.u += c->u, sum.v += c->v;
        }
    }
    return sum;
}

/* Left, right and top: at the bottom people stand. */
static void look(border *b, const kit_job *job) {
    const kit_plane *p = &job->plane[job->plane_count > 1 ? 1 : 0];
    const int shorter = p->width < p->height ? p->width : p->height, band = kit_clamp(shorter / 16, 1, shorter);
    for (int y = 0; y < p->height; y++) {
        for (int x = 0; x < p->width; x++) {
            if (y >= band && x == band && p->width - band > band) x = p->width - band;
            count_at(b, job, x, y);
        }
    }
}

int key_find_screen(const kit_job *job, double *u, double *v) {
    border *b = kit_alloc(job->host, sizeof *b);
    if (!b) return -1;
    memset(b, 0, sizeof *b);
    look(b, job);
    /* What is most of all, and more so the more colour it has: grey that is a little green is no
     * screen. */
    tally best = {0};
    int64_t most = 0;
    for (int y = 0; y < SIDE; y++) {
        for (int x = 0; x < SIDE; x++) {
            const tally t = around(b, x, y, 1);
            if (!t.count) continue;
            const double strength = sqrt((double)(t.u * t.u + t.v * t.v));
            if ((int64_t)strength > most) most = (int64_t)strength, best = t;
        }
    }
    /* Even with a person in front of it, a screen covers more than a twelfth of the border. */
    const int is_found = best.count > 0 && best.count * 12 >= b->seen;
    kit_release(job->host, b);
    if (is_found) *u = (double)best.u / (double)best.count, *v = (double)best.v / (double)best.count;
    return is_found;
}
