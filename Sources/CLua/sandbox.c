/* The libraries that a script sees. What is pure stays; what reaches files, processes, the clock or
 * other code's insides is not opened at all. The limits' hook never fires inside C: loops of the
 * libraries count their passes, and so does each call of a C function, because a loop can call one
 * as a metamethod for ever. */

#include "internal.h"

#include <string.h>

/* Nothing, repeated 10¹⁵ times, takes no memory but for ever. */
static int guarded_repeat(lua_State *L) {
    if (lua_isstring(L, 1) && luaL_len(L, 1) == 0 && (lua_isnoneornil(L, 3) || luaL_len(L, 3) == 0)) {
        luaL_checkinteger(L, 2);
        lua_pushliteral(L, "");
        return 1;
    }
    return cl_of(L)->repeat(L);
}

/* Finalizers run with the hook off. */
static int guarded_setmetatable(lua_State *L) {
    if (lua_type(L, 2) == LUA_TTABLE) {
        lua_pushliteral(L, "__gc");
        if (lua_rawget(L, 2) != LUA_TNIL) return luaL_error(L, "the script has no finalizers: ‘__gc’ is not available");
        lua_pop(L, 1);
    }
    return cl_of(L)->setmetatable(L);
}

/* What a script catches reads like what it does not catch. */
static int explaining_handler(lua_State *L) {
    lua_settop(L, 1);
    cl_explain(L, L);
    return 1;
}

/* A message handler would run with the hook off where the hook itself has raised: once a limit is
 * reached, none is called. */
static int guarded_handler(lua_State *L) {
    if (cl_of(L)->stopped != CL_OK) return 1;
    explaining_handler(L);
    lua_pushvalue(L, lua_upvalueindex(1));
    lua_insert(L, 1);
    lua_call(L, lua_gettop(L) - 1, 1);
    return 1;
}

static int finish_xpcall(lua_State *L, int status, lua_KContext context) {
    if (status != LUA_OK && status != LUA_YIELD) {
        lua_pushboolean(L, false);
        lua_pushvalue(L, -2);
        return 2;
    }
    return lua_gettop(L) - (int)context;
}

static int guarded_xpcall(lua_State *L) {
    luaL_checktype(L, 2, LUA_TFUNCTION);
    int arguments = lua_gettop(L) - 2;
    lua_pushvalue(L, 2);
    lua_pushcclosure(L, guarded_handler, 1);
    lua_replace(L, 2);
    lua_pushboolean(L, true); /* the first result */
    lua_pushvalue(L, 1);
    lua_rotate(L, 3, 2); /* f, handler, true, f, arguments… */
    return finish_xpcall(L, lua_pcallk(L, arguments, LUA_MULTRET, 2, 2, finish_xpcall), 2);
}

static int explaining_pcall(lua_State *L) {
    luaL_checkany(L, 1);
    lua_pushcfunction(L, explaining_handler);
    lua_pushboolean(L, true); /* the first result */
    lua_rotate(L, 1, 2);      /* handler, true, f, arguments… */
    return finish_xpcall(L, lua_pcallk(L, lua_gettop(L) - 3, LUA_MULTRET, 1, 1, finish_xpcall), 1);
}

/* A coroutine has no message handler; its stack is still there when it has failed. */
static int explaining_resume(lua_State *L) {
    int count = cl_of(L)->resume(L);
    if (count == 2 && !lua_toboolean(L, -2)) cl_explain(L, lua_tothread(L, 1));
    return count;
}

/* load of text; compiled chunks can crash the virtual machine. */
static int text_load(lua_State *L) {
    size_t length;
    if (lua_type(L, 1) == LUA_TFUNCTION) return luaL_error(L, "load takes a text, not a function");
    const char *text = luaL_checklstring(L, 1, &length);
    bool has_environment = !lua_isnone(L, 4);
    if (cl_load(L, text, length, "=(load)") != LUA_OK) {
        lua_pushnil(L);
        lua_insert(L, -2);
        return 2;
    }
    if (has_environment) {
        lua_pushvalue(L, 4);
        lua_setupvalue(L, -2, 1);
    }
    return 1;
}

static int close_coroutine(lua_State *co, lua_State *from) {
#if LUA_VERSION_RELEASE_NUM >= 50406
    return lua_closethread(co, from);
#else
    (void)from;
    return lua_resetthread(co);
#endif
}

/* What a function of coroutine.wrap does, but for one thing: where a limit has ended the coroutine,
 * its variables with __close stay as they are. The hook that raises leaves the coroutine's hooks
 * off, so they could run for ever. */
static int call_wrapped(lua_State *L) {
    lua_State *co = lua_tothread(L, lua_upvalueindex(1));
    lua_pushvalue(L, lua_upvalueindex(1));
    lua_insert(L, 1);
    int count = cl_of(L)->resume(L);
    if (lua_toboolean(L, -count)) return count - 1;
    int status = lua_status(co);
    bool has_failed = status != LUA_OK && status != LUA_YIELD;
    if (has_failed && cl_of(L)->stopped == CL_OK) {
        status = close_coroutine(co, L);
        lua_xmove(co, L, 1); /* the message, or the one of an error while closing */
    }
    if (status != LUA_ERRMEM && lua_type(L, -1) == LUA_TSTRING) {
        luaL_where(L, 1);
        lua_insert(L, -2);
        lua_concat(L, 2);
    }
    return lua_error(L);
}

static int guarded_wrap(lua_State *L) {
    cl_of(L)->create(L);
    lua_pushcclosure(L, call_wrapped, 1);
    return 1;
}

static lua_CFunction replace(lua_State *L, const char *name, lua_CFunction guard) {
    lua_getfield(L, -1, name);
    lua_CFunction original = lua_tocfunction(L, -1);
    lua_pop(L, 1);
    lua_pushcfunction(L, guard);
    lua_setfield(L, -2, name);
    return original;
}

/* Moves fields of the library on top of the stack out of the script's sight, into the table of
 * hidden functions. */
static void hide(lua_State *L, int hidden, const char *const names[]) {
    for (; *names != NULL; names++) {
        lua_getfield(L, -1, *names);
        lua_setfield(L, hidden, *names);
        lua_pushnil(L);
        lua_setfield(L, -2, *names);
    }
}

/* Leaves the table of hidden functions on the stack. */
void cl_open_sandbox(lua_State *L) {
    cl_state *state = cl_of(L);
    lua_newtable(L);
    int hidden = lua_gettop(L);

    luaL_requiref(L, LUA_GNAME, luaopen_base, 1);
    static const char *const base[] = {"collectgarbage", "dofile", "loadfile", "warn", "print", "next", "pairs", NULL};
    hide(L, hidden, base);
    lua_getfield(L, hidden, "next");
    lua_setfield(L, -2, "next");
    state->setmetatable = replace(L, "setmetatable", guarded_setmetatable);
    replace(L, "xpcall", guarded_xpcall);
    replace(L, "pcall", explaining_pcall);
    replace(L, "load", text_load);
    cl_count_calls(L);
    lua_pop(L, 1);

    luaL_requiref(L, LUA_TABLIBNAME, luaopen_table, 1);
    cl_open_tables(L);
    cl_count_calls(L);
    lua_pop(L, 1);

    luaL_requiref(L, LUA_STRLIBNAME, luaopen_string, 1);
    static const char *const text[] = {"dump", NULL};
    hide(L, hidden, text);
    state->repeat = replace(L, "rep", guarded_repeat);
    cl_open_patterns(L);
    cl_count_calls(L);
    lua_pop(L, 1);

    luaL_requiref(L, LUA_MATHLIBNAME, luaopen_math, 1);
    static const char *const math[] = {"randomseed", NULL};
    hide(L, hidden, math);
    cl_count_calls(L);
    lua_pop(L, 1);

    luaL_requiref(L, LUA_UTF8LIBNAME, luaopen_utf8, 1);
    cl_count_calls(L);
    lua_pop(L, 1);
    luaL_requiref(L, LUA_COLIBNAME, luaopen_coroutine, 1);
    state->resume = replace(L, "resume", explaining_resume);
    replace(L, "wrap", guarded_wrap);
    lua_getfield(L, -1, "create");
    state->create = lua_tocfunction(L, -1);
    lua_pop(L, 1);
    cl_count_calls(L);
    lua_pop(L, 1);

    /* A text's methods are every script's and the prelude's: its metatable is not handed out. */
    lua_pushliteral(L, "");
    lua_getmetatable(L, -1);
    lua_pushboolean(L, false);
    lua_setfield(L, -2, "__metatable");
    lua_pop(L, 2);
}
