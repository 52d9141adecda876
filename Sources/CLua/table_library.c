/* The functions of Lua's table library that loop, with a count in each pass; behaviour as in the
 * Lua 5.4 manual, section 6.6. Reading or writing an item can follow a chain of 2000 tables, or
 * call a function of C that never ends the loop. */

#include "internal.h"

#include <limits.h>

enum { READ = 1, WRITE = 2, LENGTH = 4 };

static bool has_field(lua_State *L, const char *name) {
    lua_pushstring(L, name);
    bool is_there = lua_rawget(L, -2) != LUA_TNIL;
    lua_pop(L, 1);
    return is_there;
}

/* Anything with the metamethods that are needed is as good as a table. */
static void check_table(lua_State *L, int argument, int needs) {
    if (lua_type(L, argument) == LUA_TTABLE) return;
    bool fits = lua_getmetatable(L, argument) && (!(needs & READ) || has_field(L, "__index"))
        && (!(needs & WRITE) || has_field(L, "__newindex"))
        && (!(needs & LENGTH) || has_field(L, "__len"));
    if (fits)
        lua_pop(L, 1);
    else
        luaL_checktype(L, argument, LUA_TTABLE);
}

/* The length of argument 1. A __len of the script's own can claim any length: it is refused where
 * it would be believed. */
static lua_Integer length_to_change(lua_State *L, int needs) {
    check_table(L, 1, needs | LENGTH);
    if (lua_type(L, 1) == LUA_TTABLE && luaL_getmetafield(L, 1, "__len") != LUA_TNIL)
        luaL_error(L, "a table with a ‘__len’ of its own cannot be used here");
    return luaL_len(L, 1);
}

static int insert(lua_State *L) {
    lua_Integer last = length_to_change(L, READ | WRITE);
    lua_Integer end = (lua_Integer)((lua_Unsigned)last + 1), place = end;
    switch (lua_gettop(L)) {
    case 2: break;
    case 3:
        place = luaL_checkinteger(L, 2);
        luaL_argcheck(L, (lua_Unsigned)place - 1u < (lua_Unsigned)end, 2, "position out of bounds");
        for (lua_Integer i = end; i > place; i--) {
            cl_count(L, 1);
            lua_geti(L, 1, i - 1);
            lua_seti(L, 1, i);
        }
        break;
    default: return luaL_error(L, "wrong number of arguments to 'insert'");
    }
    lua_seti(L, 1, place);
    return 0;
}

static int remove_item(lua_State *L) {
    lua_Integer size = length_to_change(L, READ | WRITE);
    lua_Integer place = luaL_optinteger(L, 2, size);
    if (place != size)
        luaL_argcheck(L, (lua_Unsigned)place - 1u <= (lua_Unsigned)size, 2, "position out of bounds");
    lua_geti(L, 1, place);
    for (; place < size; place++) {
        cl_count(L, 1);
        lua_geti(L, 1, place + 1);
        lua_seti(L, 1, place);
    }
    lua_pushnil(L);
    lua_seti(L, 1, place);
    return 1;
}

static int move(lua_State *L) {
    lua_Integer first = luaL_checkinteger(L, 2), last = luaL_checkinteger(L, 3), to = luaL_checkinteger(L, 4);
    int target = !lua_isnoneornil(L, 5) ? 5 : 1;
    check_table(L, 1, READ);
    check_table(L, target, WRITE);
    if (last >= first) {
        if ((lua_Unsigned)last - (lua_Unsigned)first >= 10000000)
            return luaL_error(L, "table.move may move 10000000 items at most");
        luaL_argcheck(L, first > 0 || last < LUA_MAXINTEGER + first, 3, "too many elements to move");
        lua_Integer count = last - first + 1;
        luaL_argcheck(L, to <= LUA_MAXINTEGER - count + 1, 4, "destination wrap around");
        bool is_forward = to > last || to <= first || (target != 1 && !lua_compare(L, 1, target, LUA_OPEQ));
        for (lua_Integer i = 0; i < count; i++) {
            lua_Integer k = is_forward ? i : count - 1 - i;
            cl_count(L, 1);
            lua_geti(L, 1, first + k);
            lua_seti(L, target, to + k);
        }
    }
    lua_pushvalue(L, target);
    return 1;
}

static void add_item(lua_State *L, luaL_Buffer *out, lua_Integer index) {
    lua_geti(L, 1, index);
    if (!lua_isstring(L, -1))
        luaL_error(L, "invalid value (%s) at index %I in table for 'concat'", luaL_typename(L, -1), (LUAI_UACINT)index);
    cl_count(L, 1 + lua_rawlen(L, -1) / 64);
    luaL_addvalue(out);
}

static int concat(lua_State *L) {
    check_table(L, 1, READ | LENGTH);
    lua_Integer last = luaL_len(L, 1);
    size_t length;
    const char *separator = luaL_optlstring(L, 2, "", &length);
    lua_Integer i = luaL_optinteger(L, 3, 1);
    last = luaL_optinteger(L, 4, last);
    luaL_Buffer out;
    luaL_buffinit(L, &out);
    for (; i < last; i++) {
        add_item(L, &out, i);
        luaL_addlstring(&out, separator, length);
    }
    if (i == last) add_item(L, &out, i);
    luaL_pushresult(&out);
    return 1;
}

static int unpack(lua_State *L) {
    lua_Integer i = luaL_optinteger(L, 2, 1);
    lua_Integer last = lua_isnoneornil(L, 3) ? luaL_len(L, 1) : luaL_checkinteger(L, 3);
    if (i > last) return 0;
    lua_Unsigned count = (lua_Unsigned)last - (lua_Unsigned)i;
    if (count >= (lua_Unsigned)INT_MAX || !lua_checkstack(L, (int)(++count)))
        return luaL_error(L, "too many results to unpack");
    for (; i < last; i++) {
        cl_count(L, 1);
        lua_geti(L, 1, i);
    }
    lua_geti(L, 1, last);
    return (int)count;
}

/* MARK: Sorting */

typedef lua_Unsigned place;

/* Whether the value at index a comes before that at b: both from the top. */
static bool is_before(lua_State *L, int a, int b) {
    uint64_t steps = 1;
    bool has_order = !lua_isnil(L, 2);
    if (!has_order && lua_type(L, a) == LUA_TSTRING && lua_type(L, b) == LUA_TSTRING) {
        size_t one = lua_rawlen(L, a), other = lua_rawlen(L, b);
        steps += (one < other ? one : other) / 64;
    }
    cl_count(L, steps);
    if (!has_order) return lua_compare(L, a, b, LUA_OPLT);
    lua_pushvalue(L, 2);
    lua_pushvalue(L, a - 1);
    lua_pushvalue(L, b - 2);
    lua_call(L, 2, 1);
    bool result = lua_toboolean(L, -1);
    lua_pop(L, 1);
    return result;
}

static void set_two(lua_State *L, place i, place j) {
    lua_seti(L, 1, (lua_Integer)i);
    lua_seti(L, 1, (lua_Integer)j);
}

static void get_two(lua_State *L, place i, place j) {
    lua_geti(L, 1, (lua_Integer)i);
    lua_geti(L, 1, (lua_Integer)j);
}

/* Partitions low … up around the pivot on the stack's top, which is at up − 1 as well. Leaves
 * nothing on the stack. */
static place partition(lua_State *L, place low, place up) {
    place i = low, j = up - 1;
    for (;;) {
        while (lua_geti(L, 1, (lua_Integer)++i), is_before(L, -1, -2)) {
            if (i == up - 1) luaL_error(L, "invalid order function for sorting");
            lua_pop(L, 1);
        }
        while (lua_geti(L, 1, (lua_Integer)--j), is_before(L, -3, -1)) {
            if (j < i) luaL_error(L, "invalid order function for sorting");
            lua_pop(L, 1);
        }
        if (j < i) {
            lua_pop(L, 1);
            set_two(L, up - 1, i);
            return i;
        }
        set_two(L, i, j);
    }
}

/* Quicksort as in Lua's own library, but where that one takes a pivot by the clock (partitions of
 * more than 100 items that come out badly) the choice is a fixed sequence: the same list is always
 * sorted the same way. */
static void quicksort(lua_State *L, place low, place up, unsigned variation) {
    enum { LARGE_PARTITION = 100 };
    while (low < up) {
        get_two(L, low, up);
        if (is_before(L, -1, -2))
            set_two(L, low, up);
        else
            lua_pop(L, 2);
        if (up - low == 1) return;
        place quarter = (up - low) / 4;
        place middle = up - low <= LARGE_PARTITION || variation == 0 ? (low + up) / 2
                                                                       : variation % (quarter * 2) + low + quarter;
        get_two(L, middle, low);
        if (is_before(L, -2, -1)) {
            set_two(L, middle, low);
        } else {
            lua_pop(L, 1);
            lua_geti(L, 1, (lua_Integer)up);
            if (is_before(L, -1, -2))
                set_two(L, middle, up);
            else
                lua_pop(L, 2);
        }
        if (up - low == 2) return;
        lua_geti(L, 1, (lua_Integer)middle);
        lua_pushvalue(L, -1);
        lua_geti(L, 1, (lua_Integer)(up - 1));
        set_two(L, middle, up - 1);
        middle = partition(L, low, up);
        place smaller;
        if (middle - low < up - middle) {
            quicksort(L, low, middle - 1, variation);
            smaller = middle - low;
            low = middle + 1;
        } else {
            quicksort(L, middle + 1, up, variation);
            smaller = up - middle;
            up = middle - 1;
        }
        if ((up - low) / 128 > smaller) variation = variation * 1664525u + 1013904223u;
    }
}

static int sort(lua_State *L) {
    lua_Integer length = length_to_change(L, READ | WRITE);
    if (length > 1) {
        luaL_argcheck(L, length < INT_MAX, 1, "array too big");
        if (!lua_isnoneornil(L, 2)) luaL_checktype(L, 2, LUA_TFUNCTION);
        lua_settop(L, 2);
        quicksort(L, 1, (place)length, 0);
    }
    return 0;
}

void cl_open_tables(lua_State *L) {
    static const luaL_Reg functions[] = {
        {"concat", concat}, {"insert", insert}, {"move", move}, {"remove", remove_item},
        {"sort", sort}, {"unpack", unpack}, {NULL, NULL},
    };
    luaL_setfuncs(L, functions, 0);
}
