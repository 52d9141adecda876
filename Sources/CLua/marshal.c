/* Lua values to trees of cl_value and back. */

#include "internal.h"

#include <string.h>

#define MAXIMUM_DEPTH 32
/* Bytes of the copies of one call's values: 5.6 million values, or the keys { time, value } of four
 * properties in each frame of two hours at 60 frames per second. The script's own memory has a
 * limit of its own. */
#define MAXIMUM_VALUES (128u << 20)
#define MAXIMUM_TEXT (8u << 20)

/* The length of the valid UTF-8 sequence at s (RFC 3629), 0 where there is none. */
static size_t sequence(const unsigned char *s, size_t left) {
    static const struct {
        unsigned char first, last, low, high; /* the lead byte and the bounds of the second byte */
        size_t length;
    } forms[] = {
        {0xC2, 0xDF, 0x80, 0xBF, 2}, {0xE0, 0xE0, 0xA0, 0xBF, 3}, {0xE1, 0xEC, 0x80, 0xBF, 3},
        {0xED, 0xED, 0x80, 0x9F, 3}, {0xEE, 0xEF, 0x80, 0xBF, 3}, {0xF0, 0xF0, 0x90, 0xBF, 4},
        {0xF1, 0xF3, 0x80, 0xBF, 4}, {0xF4, 0xF4, 0x80, 0x8F, 4},
    };
    if (s[0] < 0x80) return 1;
    for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++) {
        if (s[0] < forms[i].first || s[0] > forms[i].last || left < forms[i].length) continue;
        if (s[1] < forms[i].low || s[1] > forms[i].high) return 0;
        for (size_t k = 2; k < forms[i].length; k++)
            if ((s[k] & 0xC0) != 0x80) return 0;
        return forms[i].length;
    }
    return 0;
}

static void check_text(lua_State *L, const char *text, size_t length, const char *where) {
    for (size_t i = 0; i < length;) {
        if (text[i] == '\0') cl_fail(L, "%s has a zero byte in its text, which no text may have", where);
        size_t step = sequence((const unsigned char *)text + i, length - i);
        if (step == 0) cl_fail(L, "%s is not valid UTF-8: byte %zu of its text is wrong", where, i + 1);
        i += step;
    }
}

static void read_text(lua_State *L, int index, cl_value *value, const char *where, bool is_raw) {
    cl_state *state = cl_of(L);
    size_t length;
    const char *text = lua_tolstring(L, index, &length);
    state->text += length;
    if (state->text > MAXIMUM_TEXT) cl_fail(L, "%s is too long: all texts of one call may have 8 MB together", where);
    if (!is_raw) check_text(L, text, length, where);
    char *copy = cl_arena_take(L, length + 1);
    memcpy(copy, text, length);
    value->kind = CL_STRING;
    value->bytes = copy;
    value->length = length;
}

/* The same function always has the same number; both ways are kept, so it lives as long as the
 * state. */
static int32_t function_number(lua_State *L, int index) {
    cl_state *state = cl_of(L);
    lua_rawgeti(L, LUA_REGISTRYINDEX, state->functions);
    lua_pushvalue(L, index);
    if (lua_rawget(L, -2) == LUA_TNIL) {
        lua_pop(L, 1);
        int32_t number = state->function_count + 1;
        lua_pushvalue(L, index);
        lua_rawseti(L, -2, number);
        lua_pushvalue(L, index);
        lua_pushinteger(L, number);
        lua_rawset(L, -3);
        state->function_count = number;
        lua_pop(L, 1);
        return number;
    }
    int32_t number = (int32_t)lua_tointeger(L, -1);
    lua_pop(L, 2);
    return number;
}

static void read(lua_State *L, int index, cl_value *value, const char *where, int depth, bool is_raw);

/* How many keys of each sort a table has. */
typedef struct {
    size_t named, numbered;
    lua_Integer highest;
} census;

static census count_keys(lua_State *L, int index, const char *where) {
    census keys = {0, 0, 0};
    /* A table that was emptied keeps its memory: finding that nothing is left takes as long as it
     * is large. */
    cl_count(L, cl_of(L)->large >= CL_LARGE ? CL_INTERVAL : 1);
    lua_pushnil(L);
    while (lua_next(L, index) != 0) {
        cl_count(L, 1);
        lua_pop(L, 1);
        if (lua_type(L, -1) == LUA_TSTRING) {
            keys.named++;
        } else if (lua_isinteger(L, -1) && lua_tointeger(L, -1) >= 1) {
            keys.numbered++;
            if (lua_tointeger(L, -1) > keys.highest) keys.highest = lua_tointeger(L, -1);
        } else {
            cl_fail(L, "%s has a key that is %s%s; keys are names, or 1, 2, 3, …", where,
                    lua_type(L, -1) == LUA_TNUMBER ? "the number " : "a ",
                    lua_type(L, -1) == LUA_TNUMBER ? luaL_tolstring(L, -1, NULL) : luaL_typename(L, -1));
        }
    }
    bool is_led = keys.numbered == 1 && keys.highest == 1 && lua_rawgeti(L, index, 1) == LUA_TSTRING;
    if (keys.numbered == 1 && keys.highest == 1) lua_pop(L, 1);
    if (keys.named > 0 && keys.numbered > 0 && !is_led)
        cl_fail(L, "%s has both named fields and a list in it; it must be either", where);
    if (keys.numbered > 0 && (size_t)keys.highest != keys.numbered)
        cl_fail(L, "%s is a list with a gap: it has %zu items, but the last is number %lld", where, keys.numbered,
                (long long)keys.highest);
    return keys;
}

/* The fields of a table whose keys are names, but for a first item. */
static void read_fields(lua_State *L, int index, cl_value *value, size_t count, int depth) {
    value->kind = CL_TABLE;
    value->items = cl_arena_take(L, count * 2 * sizeof(cl_value));
    lua_pushnil(L);
    while (lua_next(L, index) != 0) {
        int top = lua_gettop(L);
        if (lua_type(L, top - 1) == LUA_TSTRING) {
            cl_value *pair = &value->items[value->count * 2];
            read_text(L, top - 1, &pair[0], "a table's key", false);
            char name[64] = "‘";
            strncat(name, pair[0].bytes, 40);
            strcat(name, "’");
            read(L, top, &pair[1], name, depth + 1, false);
            value->count++;
        }
        lua_pop(L, 1);
    }
}

static void read_table(lua_State *L, int index, cl_value *value, const char *where, int depth) {
    if (luaL_getmetafield(L, index, "__name") == LUA_TSTRING)
        cl_fail(L, "%s is a %s, but must be a plain value", where, lua_tostring(L, -1));
    if (depth > MAXIMUM_DEPTH)
        cl_fail(L, "%s is nested more than %d tables deep; does a table contain itself?", where, MAXIMUM_DEPTH);
    luaL_checkstack(L, 8, "a table is nested too deeply");
    /* A copy that may not be written to. */
    int content = luaL_getmetafield(L, index, "__content");
    if (content == LUA_TTABLE) {
        read_table(L, lua_gettop(L), value, where, depth + 1);
        lua_pop(L, 1);
        return;
    }
    if (content != LUA_TNIL) lua_pop(L, 1);
    census keys = count_keys(L, index, where);
    cl_state *state = cl_of(L);
    state->values += (keys.named * 2 + keys.numbered) * sizeof(cl_value);
    if (state->values > MAXIMUM_VALUES)
        cl_fail(L, "%s is too large: all values of one call may take %u MB together", where, MAXIMUM_VALUES >> 20);
    if (keys.named == 0) {
        value->kind = CL_LIST;
        value->count = keys.numbered;
        value->items = keys.numbered == 0 ? NULL : cl_arena_take(L, keys.numbered * sizeof(cl_value));
        for (size_t i = 0; i < keys.numbered; i++) {
            lua_rawgeti(L, index, (lua_Integer)i + 1);
            read(L, lua_gettop(L), &value->items[i], where, depth + 1, false);
            lua_pop(L, 1);
        }
        return;
    }
    if (keys.numbered == 0) {
        read_fields(L, index, value, keys.named, depth);
        return;
    }
    /* { "a.mp4", range = … } is { "a.mp4", { range = … } }. */
    value->kind = CL_LIST;
    value->count = 2;
    value->items = cl_arena_take(L, 2 * sizeof(cl_value));
    lua_rawgeti(L, index, 1);
    read_text(L, lua_gettop(L), &value->items[0], where, false);
    lua_pop(L, 1);
    read_fields(L, index, &value->items[1], keys.named, depth + 1);
}

static void read(lua_State *L, int index, cl_value *value, const char *where, int depth, bool is_raw) {
    switch (lua_type(L, index)) {
    case LUA_TNIL: value->kind = CL_NIL; break;
    case LUA_TBOOLEAN:
        value->kind = CL_BOOLEAN;
        value->boolean = lua_toboolean(L, index);
        break;
    case LUA_TNUMBER:
        value->kind = CL_NUMBER;
        value->number = lua_tonumber(L, index);
        break;
    case LUA_TSTRING: read_text(L, index, value, where, is_raw); break;
    case LUA_TTABLE: read_table(L, index, value, where, depth); break;
    case LUA_TFUNCTION:
        value->kind = CL_FUNCTION;
        value->function = function_number(L, index);
        break;
    default: cl_fail(L, "%s is a %s, but must be a plain value", where, luaL_typename(L, index));
    }
}

void cl_read_value(lua_State *L, int index, cl_value *value, bool is_raw) {
    read(L, index, value, "a value", 1, is_raw);
}

void cl_push_value(lua_State *L, const cl_value *value) {
    luaL_checkstack(L, 8, "a reply is nested too deeply");
    int is_whole;
    switch (value->kind) {
    case CL_NIL: lua_pushnil(L); break;
    case CL_BOOLEAN: lua_pushboolean(L, value->boolean); break;
    case CL_NUMBER:
        /* Whole numbers print without a decimal point. */
        lua_pushnumber(L, value->number);
        if (lua_tointegerx(L, -1, &is_whole), is_whole) {
            lua_pushinteger(L, lua_tointeger(L, -1));
            lua_remove(L, -2);
        }
        break;
    case CL_STRING: lua_pushlstring(L, value->bytes == NULL ? "" : value->bytes, value->length); break;
    case CL_LIST:
        lua_createtable(L, (int)value->count, 0);
        for (size_t i = 0; i < value->count; i++) {
            cl_push_value(L, &value->items[i]);
            lua_rawseti(L, -2, (lua_Integer)i + 1);
        }
        break;
    case CL_TABLE:
        lua_createtable(L, 0, (int)value->count);
        for (size_t i = 0; i < value->count; i++) {
            cl_push_value(L, &value->items[i * 2]);
            cl_push_value(L, &value->items[i * 2 + 1]);
            lua_rawset(L, -3);
        }
        break;
    case CL_FUNCTION:
        lua_rawgeti(L, LUA_REGISTRYINDEX, cl_of(L)->functions);
        lua_rawgeti(L, -1, value->function);
        lua_remove(L, -2);
        break;
    }
}
