/* The standard matcher backtracks inside C, where no hook fires: `("a"):rep(50):find(("a-"):rep(30)
 * .. "b")` would hold the host for ever. This one counts its steps against the script's
 * instructions.
 *
 * A pattern is a plain sequence of items (there is neither alternation nor a repeated group), so
 * only repeated single characters need backtracking, and a capture that was set on the way to an
 * item is never changed behind it. */

#include "pattern.h"

#include <ctype.h>
#include <string.h>

typedef enum { DONE, CHARACTER, OPEN, POSITION, CLOSE, BACK, BALANCED, FRONTIER, AT_END } item_kind;

struct cl_item {
    unsigned char kind;
    char repeat; /* of a CHARACTER: * + - ? or 0 */
    unsigned char first, second; /* the capture's index; the two delimiters of BALANCED */
    uint32_t set[8]; /* the characters of CHARACTER and FRONTIER, a bit each */
};

#define MAXIMUM_PATTERN 20000
#define MAXIMUM_REPEATS 200

static void add(cl_item *item, unsigned char c) { item->set[c >> 5] |= 1u << (c & 31); }
static bool has(const cl_item *item, unsigned char c) { return item->set[c >> 5] >> (c & 31) & 1; }

/* MARK: Compiling */

static void add_class(cl_item *item, unsigned char letter) {
    int (*test)(int) = NULL;
    switch (tolower(letter)) {
    case 'a': test = isalpha; break;
    case 'c': test = iscntrl; break;
    case 'd': test = isdigit; break;
    case 'g': test = isgraph; break;
    case 'l': test = islower; break;
    case 'p': test = ispunct; break;
    case 's': test = isspace; break;
    case 'u': test = isupper; break;
    case 'w': test = isalnum; break;
    case 'x': test = isxdigit; break;
    default: add(item, letter); return;
    }
    for (int c = 0; c < 256; c++)
        if ((test(c) != 0) == (islower(letter) != 0)) add(item, (unsigned char)c);
}

/* Reads a set after its [; returns what follows its ]. */
static const char *compile_set(lua_State *L, cl_item *item, const char *p, const char *end) {
    bool is_complement = p < end && *p == '^';
    if (is_complement) p++;
    bool is_first = true; /* a ] that comes first is a member */
    for (;; is_first = false) {
        if (p == end) luaL_error(L, "malformed pattern (missing ']')");
        if (*p == ']' && !is_first) break;
        if (*p == '%') {
            if (++p == end) luaL_error(L, "malformed pattern (missing ']')");
            add_class(item, (unsigned char)*p++);
        } else if (end - p > 2 && p[1] == '-' && p[2] != ']') {
            for (int c = (unsigned char)p[0]; c <= (unsigned char)p[2]; c++) add(item, (unsigned char)c);
            p += 3;
        } else {
            add(item, (unsigned char)*p++);
        }
    }
    if (is_complement)
        for (int i = 0; i < 8; i++) item->set[i] = ~item->set[i];
    return p + 1;
}

typedef struct {
    lua_State *L;
    const char *p, *end;
    int captures, open_count, repeats;
    unsigned char open[CL_MAXIMUM_CAPTURES];
    bool is_closed[CL_MAXIMUM_CAPTURES];
} compiler;

static void compile_open(compiler *c, cl_item *item) {
    if (c->captures == CL_MAXIMUM_CAPTURES) luaL_error(c->L, "too many captures");
    item->first = (unsigned char)c->captures++;
    c->p++;
    if (c->p < c->end && *c->p == ')') {
        item->kind = POSITION;
        c->is_closed[item->first] = true;
        c->p++;
    } else {
        item->kind = OPEN;
        c->open[c->open_count++] = item->first;
    }
}

static void compile_close(compiler *c, cl_item *item) {
    if (c->open_count == 0) luaL_error(c->L, "invalid pattern capture");
    item->kind = CLOSE;
    item->first = c->open[--c->open_count];
    c->is_closed[item->first] = true;
    c->p++;
}

/* What follows a %, where it is not a class of characters; false where it is one. */
static bool compile_escape(compiler *c, cl_item *item) {
    if (c->end - c->p < 2) luaL_error(c->L, "malformed pattern (ends with '%%')");
    char letter = c->p[1];
    if (letter == 'b') {
        if (c->end - c->p < 4) luaL_error(c->L, "malformed pattern (missing arguments to '%%b')");
        item->kind = BALANCED;
        item->first = (unsigned char)c->p[2];
        item->second = (unsigned char)c->p[3];
        c->p += 4;
        return true;
    }
    if (letter == 'f') {
        if (c->end - c->p < 3 || c->p[2] != '[') luaL_error(c->L, "missing '[' after '%%f' in pattern");
        item->kind = FRONTIER;
        c->p = compile_set(c->L, item, c->p + 3, c->end);
        return true;
    }
    if (isdigit((unsigned char)letter)) {
        int index = letter - '1';
        if (index < 0 || index >= c->captures || !c->is_closed[index])
            luaL_error(c->L, "invalid capture index %%%d in pattern", index + 1);
        item->kind = BACK;
        item->first = (unsigned char)index;
        c->p += 2;
        return true;
    }
    return false;
}

static void compile_character(compiler *c, cl_item *item) {
    item->kind = CHARACTER;
    switch (*c->p) {
    case '.':
        memset(item->set, 0xFF, sizeof item->set);
        c->p++;
        break;
    case '%':
        add_class(item, (unsigned char)c->p[1]);
        c->p += 2;
        break;
    case '[': c->p = compile_set(c->L, item, c->p + 1, c->end); break;
    default: add(item, (unsigned char)*c->p++);
    }
    if (c->p < c->end && strchr("*+-?", *c->p) != NULL && *c->p != '\0') {
        if (++c->repeats > MAXIMUM_REPEATS) luaL_error(c->L, "pattern too complex");
        item->repeat = *c->p++;
    }
}

cl_pattern cl_compile_pattern(lua_State *L, const char *text, size_t length, bool takes_anchor) {
    if (length > MAXIMUM_PATTERN) luaL_error(L, "pattern too long");
    compiler c = {.L = L, .p = text, .end = text + length};
    cl_pattern pattern = {0, takes_anchor && length > 0 && *text == '^', NULL};
    if (pattern.is_anchored) c.p++;
    pattern.items = lua_newuserdatauv(L, (length + 1) * sizeof(cl_item), 0);
    memset(pattern.items, 0, (length + 1) * sizeof(cl_item));
    cl_item *item = pattern.items;
    for (; c.p < c.end; item++) {
        if (*c.p == '(') {
            compile_open(&c, item);
        } else if (*c.p == ')') {
            compile_close(&c, item);
        } else if (*c.p == '$' && c.p + 1 == c.end) {
            item->kind = AT_END;
            c.p++;
        } else if (*c.p != '%' || !compile_escape(&c, item)) {
            compile_character(&c, item);
        }
    }
    if (c.open_count > 0) luaL_error(L, "unfinished capture");
    item->kind = DONE;
    pattern.captures = c.captures;
    return pattern;
}

/* MARK: Matching */

static void count(cl_matcher *m, uint64_t steps) {
    m->steps += steps;
    if (m->steps < 1000) return;
    uint64_t passed = m->steps;
    m->steps = 0;
    cl_tick(m->L, passed);
}

static bool fits(const cl_matcher *m, const cl_item *item, const char *s) {
    return s < m->end && has(item, (unsigned char)*s);
}

static const char *match_balanced(cl_matcher *m, const cl_item *item, const char *s) {
    if (s == m->end || (unsigned char)*s != item->first) return NULL;
    size_t depth = 1;
    for (const char *p = s + 1; p < m->end; p++) {
        count(m, 1);
        if ((unsigned char)*p == item->second) {
            if (--depth == 0) return p + 1;
        } else if ((unsigned char)*p == item->first) {
            depth++;
        }
    }
    return NULL;
}

static const char *match(cl_matcher *m, const cl_item *item, const char *s);

/* The rest of the pattern after the longest run of the item's characters, then after shorter ones
 * down to `least`. */
static const char *match_longest(cl_matcher *m, const cl_item *item, const char *s, ptrdiff_t least) {
    ptrdiff_t length = 0;
    while (fits(m, item, s + length)) length++;
    count(m, (uint64_t)length);
    for (; length >= least; length--) {
        const char *end = match(m, item + 1, s + length);
        if (end != NULL) return end;
    }
    return NULL;
}

static const char *match_shortest(cl_matcher *m, const cl_item *item, const char *s) {
    for (;; s++) {
        const char *end = match(m, item + 1, s);
        if (end != NULL) return end;
        if (!fits(m, item, s)) return NULL;
    }
}

static const char *match(cl_matcher *m, const cl_item *item, const char *s) {
    for (;; item++) {
        count(m, 1);
        cl_capture *capture = &m->captures[item->first & (CL_MAXIMUM_CAPTURES - 1)];
        switch ((item_kind)item->kind) {
        case DONE: return s;
        case AT_END:
            if (s != m->end) return NULL;
            break;
        case OPEN: *capture = (cl_capture){s, 0, false}; break;
        case POSITION: *capture = (cl_capture){s, 0, true}; break;
        case CLOSE: capture->length = (size_t)(s - capture->start); break;
        case BACK:
            if (capture->is_position || (size_t)(m->end - s) < capture->length
                || memcmp(capture->start, s, capture->length) != 0)
                return NULL;
            count(m, capture->length);
            s += capture->length;
            break;
        case BALANCED:
            s = match_balanced(m, item, s);
            if (s == NULL) return NULL;
            break;
        case FRONTIER: {
            unsigned char before = s == m->begin ? 0 : (unsigned char)s[-1];
            unsigned char after = s == m->end ? 0 : (unsigned char)*s;
            if (has(item, before) || !has(item, after)) return NULL;
            break;
        }
        case CHARACTER:
            switch (item->repeat) {
            case '*': return match_longest(m, item, s, 0);
            case '+': return match_longest(m, item, s, 1);
            case '-': return match_shortest(m, item, s);
            case '?':
                if (fits(m, item, s)) {
                    const char *end = match(m, item + 1, s + 1);
                    if (end != NULL) return end;
                }
                break;
            default:
                if (!fits(m, item, s)) return NULL;
                s++;
            }
        }
    }
}

const char *cl_match_at(cl_matcher *matcher, const cl_pattern *pattern, const char *start) {
    const char *end = match(matcher, pattern->items, start);
    /* A match of few steps may be one of endlessly many. */
    cl_count(matcher->L, matcher->steps);
    matcher->steps = 0;
    return end;
}
