/* string.find, match, gmatch and gsub on the counted matcher; behaviour as in the Lua 5.4 manual,
 * section 6.4. */

#define _GNU_SOURCE
#include "pattern.h"

#include <string.h>

static void push_capture(const cl_matcher *m, const cl_pattern *pattern, int index, const char *start, const char *end) {
    if (index == 0 && pattern->captures == 0) {
        lua_pushlstring(m->L, start, (size_t)(end - start));
        return;
    }
    if (index >= pattern->captures) luaL_error(m->L, "invalid capture index %%%d", index + 1);
    const cl_capture *capture = &m->captures[index];
    if (capture->is_position)
        lua_pushinteger(m->L, capture->start - m->begin + 1);
    else
        lua_pushlstring(m->L, capture->start, capture->length);
}

/* Every capture, or the whole match where the pattern has none. Returns their number. */
static int push_captures(const cl_matcher *m, const cl_pattern *pattern, const char *start, const char *end) {
    int count = pattern->captures == 0 ? 1 : pattern->captures;
    luaL_checkstack(m->L, count, "too many captures");
    for (int i = 0; i < count; i++) push_capture(m, pattern, i, start, end);
    return count;
}

/* The offset from 0 that an `init` argument means: negative counts from the end. Beyond the end it
 * is length + 1. */
static size_t initial(lua_State *L, int argument, size_t length) {
    lua_Integer init = luaL_optinteger(L, argument, 1);
    if (init > 0) return (lua_Unsigned)init > length + 1 ? length + 1 : (size_t)init - 1;
    if (init == 0 || init < -(lua_Integer)length) return 0;
    return length - (size_t)-init;
}

/* memmem in pieces, with a look at the limits before each: a long text would hold it up. */
static const char *find_plain(lua_State *L, const char *text, size_t length, const char *wanted, size_t wanted_length) {
    enum { PIECE = 1 << 20 };
    for (size_t from = 0; length - from >= wanted_length; from += PIECE) {
        size_t left = length - from;
        size_t piece = left - wanted_length < PIECE ? left : PIECE + wanted_length - 1;
        cl_count(L, 1 + piece / 64);
        const char *found = memmem(text + from, piece, wanted, wanted_length);
        if (found != NULL) return found;
        if (piece == left) break;
    }
    return NULL;
}

static int search(lua_State *L, bool is_find) {
    size_t length, pattern_length;
    const char *text = luaL_checklstring(L, 1, &length);
    const char *wanted = luaL_checklstring(L, 2, &pattern_length);
    size_t init = initial(L, 3, length);
    if (init > length) {
        lua_pushnil(L);
        return 1;
    }
    if (is_find && (lua_toboolean(L, 4) || strcspn(wanted, "^$*+?.([%-") == pattern_length)) {
        const char *found = find_plain(L, text + init, length - init, wanted, pattern_length);
        if (found == NULL) {
            lua_pushnil(L);
            return 1;
        }
        lua_pushinteger(L, found - text + 1);
        lua_pushinteger(L, found - text + (lua_Integer)pattern_length);
        return 2;
    }
    cl_pattern pattern = cl_compile_pattern(L, wanted, pattern_length, true);
    cl_matcher m = {.L = L, .begin = text, .end = text + length};
    for (const char *start = text + init; start <= m.end; start++) {
        const char *end = cl_match_at(&m, &pattern, start);
        if (end != NULL) {
            if (!is_find) return push_captures(&m, &pattern, start, end);
            lua_pushinteger(L, start - text + 1);
            lua_pushinteger(L, end - text);
            return 2 + (pattern.captures == 0 ? 0 : push_captures(&m, &pattern, start, end));
        }
        if (pattern.is_anchored) break;
    }
    lua_pushnil(L);
    return 1;
}

static int find(lua_State *L) { return search(L, true); }
static int match(lua_State *L) { return search(L, false); }

/* Where an iteration stands. An empty match directly after a match does not count. */
typedef struct {
    cl_pattern pattern;
    size_t offset, last;
} iteration;

static int next_match(lua_State *L) {
    size_t length;
    const char *text = lua_tolstring(L, lua_upvalueindex(1), &length);
    iteration *state = lua_touserdata(L, lua_upvalueindex(3));
    cl_matcher m = {.L = L, .begin = text, .end = text + length};
    for (; state->offset <= length; state->offset++) {
        const char *start = text + state->offset;
        const char *end = cl_match_at(&m, &state->pattern, start);
        if (end != NULL && (size_t)(end - text) != state->last) {
            state->offset = state->last = (size_t)(end - text);
            return push_captures(&m, &state->pattern, start, end);
        }
    }
    return 0;
}

static int gmatch(lua_State *L) {
    size_t length, pattern_length;
    luaL_checklstring(L, 1, &length);
    const char *wanted = luaL_checklstring(L, 2, &pattern_length);
    size_t init = initial(L, 3, length);
    lua_pushvalue(L, 1);
    cl_pattern pattern = cl_compile_pattern(L, wanted, pattern_length, false);
    iteration *state = lua_newuserdatauv(L, sizeof *state, 0);
    *state = (iteration){pattern, init, SIZE_MAX};
    lua_pushcclosure(L, next_match, 3);
    return 1;
}

/* Adds the replacement text with %0 … %9 filled in. */
static void add_template(cl_matcher *m, const cl_pattern *pattern, luaL_Buffer *out, const char *start, const char *end) {
    size_t length;
    const char *text = lua_tolstring(m->L, 3, &length);
    for (size_t i = 0; i < length; i++) {
        cl_count(m->L, 1);
        if (text[i] != '%') {
            luaL_addchar(out, text[i]);
        } else if (++i < length && text[i] == '%') {
            luaL_addchar(out, '%');
        } else if (i < length && text[i] == '0') {
            luaL_addlstring(out, start, (size_t)(end - start));
        } else if (i < length && text[i] >= '1' && text[i] <= '9') {
            push_capture(m, pattern, text[i] - '1', start, end);
            luaL_tolstring(m->L, -1, NULL);
            lua_remove(m->L, -2);
            luaL_addvalue(out);
        } else {
            luaL_error(m->L, "invalid use of '%%' in replacement string");
        }
    }
}

static void add_replacement(cl_matcher *m, const cl_pattern *pattern, luaL_Buffer *out, const char *start, const char *end) {
    lua_State *L = m->L;
    switch (lua_type(L, 3)) {
    case LUA_TFUNCTION:
        lua_pushvalue(L, 3);
        lua_call(L, push_captures(m, pattern, start, end), 1);
        break;
    case LUA_TTABLE:
        push_capture(m, pattern, 0, start, end);
        lua_gettable(L, 3);
        break;
    default: add_template(m, pattern, out, start, end); return;
    }
    if (!lua_toboolean(L, -1)) {
        lua_pop(L, 1);
        luaL_addlstring(out, start, (size_t)(end - start));
    } else if (lua_isstring(L, -1)) {
        luaL_addvalue(out);
    } else {
        luaL_error(L, "invalid replacement value (a %s)", luaL_typename(L, -1));
    }
}

static int gsub(lua_State *L) {
    size_t length, pattern_length;
    const char *text = luaL_checklstring(L, 1, &length);
    const char *wanted = luaL_checklstring(L, 2, &pattern_length);
    int type = lua_type(L, 3);
    luaL_argexpected(
        L, type == LUA_TNUMBER || type == LUA_TSTRING || type == LUA_TFUNCTION || type == LUA_TTABLE, 3,
        "string/function/table");
    lua_Integer most = luaL_optinteger(L, 4, (lua_Integer)length + 1);
    lua_settop(L, 4);
    cl_pattern pattern = cl_compile_pattern(L, wanted, pattern_length, true);
    cl_matcher m = {.L = L, .begin = text, .end = text + length};
    luaL_Buffer out;
    luaL_buffinit(L, &out);
    lua_Integer count = 0;
    const char *s = text, *last = NULL;
    while (count < most) {
        const char *end = cl_match_at(&m, &pattern, s);
        if (end != NULL && end != last) {
            count++;
            add_replacement(&m, &pattern, &out, s, end);
            s = last = end;
        } else if (s < m.end) {
            luaL_addchar(&out, *s++);
        } else {
            break;
        }
        if (pattern.is_anchored) break;
    }
    luaL_addlstring(&out, s, (size_t)(m.end - s));
    luaL_pushresult(&out);
    lua_pushinteger(L, count);
    return 2;
}

void cl_open_patterns(lua_State *L) {
    static const luaL_Reg functions[] = {
        {"find", find}, {"match", match}, {"gmatch", gmatch}, {"gsub", gsub}, {NULL, NULL},
    };
    luaL_setfuncs(L, functions, 0);
}
