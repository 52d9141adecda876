/* Counts the calls of C functions. A loop of a library can call a metamethod for ever without an
 * instruction of Lua: table.concat over a table whose __index is getmetatable, for example. Where
 * each C function counts, such a loop ends. */

#include "internal.h"

#include <string.h>

/* Calls f in its own frame, so that its messages, continuations and yields stay as they are. */
static int call(lua_State *L, lua_CFunction f, uint64_t steps) {
    cl_count(L, steps);
    int results = f(L);
    if (cl_of(L)->large >= CL_LARGE) cl_adapt_hook(L);
    return results;
}

static int counted(lua_State *L) { return call(L, lua_tocfunction(L, lua_upvalueindex(1)), 1); }

/* The same for a function with one upvalue, which stays the first: math.random has its state
 * there. */
static int counted_closure(lua_State *L) { return call(L, lua_tocfunction(L, lua_upvalueindex(2)), 1); }

/* For functions that read the whole of their texts. */
static int counted_by_length(lua_State *L) {
    uint64_t steps = 1;
    for (int i = lua_gettop(L); i > 0; i--)
        if (lua_type(L, i) == LUA_TSTRING) steps += lua_rawlen(L, i) / 64;
    return call(L, lua_tocfunction(L, lua_upvalueindex(1)), steps);
}

/* For functions whose first result is an iterator of C. */
static int counted_iterator(lua_State *L) {
    int results = call(L, lua_tocfunction(L, lua_upvalueindex(1)), 1);
    int first = lua_gettop(L) - results + 1;
    if (results > 0 && lua_iscfunction(L, first)) {
        lua_pushvalue(L, first);
        lua_pushcclosure(L, counted, 1);
        lua_replace(L, first);
    }
    return results;
}

static bool is_one_of(const char *name, const char *const names[]) {
    for (; *names != NULL; names++)
        if (strcmp(name, *names) == 0) return true;
    return false;
}

static lua_CFunction counter(const char *name) {
    static const char *const iterators[] = {"ipairs", "codes", NULL};
    static const char *const readers[] = {"format", "lower", "pack", "packsize", "reverse", "tonumber", "upper", NULL};
    if (is_one_of(name, iterators)) return counted_iterator;
    return is_one_of(name, readers) ? counted_by_length : counted;
}

void cl_count_calls(lua_State *L) {
    int library = lua_gettop(L);
    lua_pushnil(L);
    while (lua_next(L, library) != 0) {
        if (!lua_iscfunction(L, -1) || lua_type(L, -2) != LUA_TSTRING) {
            lua_pop(L, 1);
            continue;
        }
        lua_pushvalue(L, -2);
        lua_insert(L, -2); /* key, key, function */
        if (lua_getupvalue(L, -1, 1) != NULL) {
            lua_insert(L, -2);
            lua_pushcclosure(L, counted_closure, 2);
        } else {
            lua_pushcclosure(L, counter(lua_tostring(L, -2)), 1);
        }
        lua_rawset(L, library); /* an existing field: the traversal continues */
    }
}
