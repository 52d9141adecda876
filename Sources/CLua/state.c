/* The state's life, and the two ways in: running a script and calling one of its functions. */

#include "internal.h"

#include <stdlib.h>
#include <string.h>

/* MARK: Functions of the prelude */

/* host(operation, ...): the one way out to Swift. */
static int host(lua_State *L) {
    cl_state *state = cl_of(L);
    const char *operation = luaL_checkstring(L, 1);
    int count = lua_gettop(L) - 1;
    cl_arena_reset(state);
    bool is_raw = strcmp(operation, "log") == 0;
    cl_value *arguments = cl_arena_take(L, ((size_t)count + 1) * sizeof(cl_value));
    for (int i = 0; i < count; i++) cl_read_value(L, i + 2, &arguments[i], is_raw);
    cl_call call = {.operation = operation, .arguments = arguments, .count = (size_t)count};
    const char *file = NULL;
    int line = 0;
    if (cl_place(L, &file, &line)) {
        call.file = file;
        call.line = line;
    }
    cl_reply reply = {.failed = false, .value = {.kind = CL_NIL}};
    state->callback(state->context, &call, &reply);
    /* Swift has returned: from here on errors may fly. */
    cl_push_value(L, &reply.value);
    return reply.failed ? lua_error(L) : 1;
}

static int fail(lua_State *L) { return cl_fail(L, "%s", luaL_checkstring(L, 1)); }

/* compile(text, name): a function, or raises. */
static int compile(lua_State *L) {
    size_t length;
    const char *text = luaL_checklstring(L, 1, &length);
    if (cl_load(L, text, length, luaL_checkstring(L, 2)) != LUA_OK) return lua_error(L);
    return 1;
}

static int finish_framed(lua_State *L, int status, lua_KContext context) {
    (void)status, (void)context;
    return lua_gettop(L);
}

static int call_framed(lua_State *L) {
    lua_pushvalue(L, lua_upvalueindex(1));
    lua_insert(L, 1);
    lua_callk(L, lua_gettop(L) - 1, LUA_MULTRET, 0, finish_framed);
    return finish_framed(L, LUA_OK, 0);
}

/* framed(function): the same as a function of C. Where a script ends in a call of it (`return
 * cutroom.draft {}`), the script's frame is still there and with it the line: only a tail call of a
 * Lua function takes it away. */
static int framed(lua_State *L) {
    luaL_checktype(L, 1, LUA_TFUNCTION);
    lua_settop(L, 1);
    lua_pushcclosure(L, call_framed, 1);
    return 1;
}

/* MARK: Opening */

typedef struct {
    const char *text;
    size_t length;
} source;

static int protected_open(lua_State *L) {
    cl_state *state = cl_of(L);
    const source *prelude = lua_touserdata(L, 1);
    lua_newtable(L);
    state->functions = luaL_ref(L, LUA_REGISTRYINDEX);
    if (luaL_loadbufferx(L, prelude->text, prelude->length, CL_PRELUDE, "t") != LUA_OK) return lua_error(L);
    lua_pushcfunction(L, host);
    lua_pushcfunction(L, fail);
    lua_pushcfunction(L, compile);
    lua_pushcfunction(L, cl_traced);
    lua_pushcfunction(L, framed);
    cl_open_sandbox(L);
    lua_call(L, 6, 1);
    luaL_checktype(L, -1, LUA_TFUNCTION);
    state->main = luaL_ref(L, LUA_REGISTRYINDEX);
    cl_start_hook(L);
    return 0;
}

cl_state *cl_open(const cl_limits *limits, cl_callback callback, void *context, const char *prelude, size_t length,
                  cl_failure *failure) {
    *failure = (cl_failure){
        .status = CL_MEMORY, .message = cl_limit_text(CL_MEMORY), .file = "", .traceback = ""};
    cl_state *state = calloc(1, sizeof *state);
    if (state == NULL) return NULL;
    state->limits = *limits;
    state->callback = callback;
    state->context = context;
    state->lua = lua_newstate(cl_limited_allocate, state);
    if (state->lua == NULL) {
        free(state);
        return NULL;
    }
    *(cl_state **)lua_getextraspace(state->lua) = state;
    source text = {prelude, length};
    lua_pushcfunction(state->lua, protected_open);
    lua_pushlightuserdata(state->lua, &text);
    int status = lua_pcall(state->lua, 1, 0, 0);
    if (status != LUA_OK) {
        if (status != LUA_ERRMEM && state->stopped == CL_OK) {
            failure->status = CL_RUNTIME;
            failure->message = "the prelude does not run";
        }
        cl_close(state);
        return NULL;
    }
    failure->status = CL_OK;
    return state;
}

void cl_close(cl_state *state) {
    if (state == NULL) return;
    lua_sethook(state->lua, NULL, 0, 0);
    lua_close(state->lua);
    cl_arena_reset(state);
    free(state->arena);
    free(state->message);
    free(state->traceback);
    free(state->file);
    free(state);
}

size_t cl_memory(const cl_state *state) { return state->used; }

/* MARK: Ways in */

/* Calls function(L) with the pointer in protected mode, with the clock running. */
static cl_status enter(cl_state *state, lua_CFunction function, void *argument, cl_failure *failure) {
    lua_State *L = state->lua;
    free(state->message);
    free(state->traceback);
    free(state->file);
    state->message = state->traceback = state->file = NULL;
    state->line = 0;
    lua_settop(L, 0);
    lua_pushcfunction(L, cl_traced);
    lua_pushcfunction(L, function);
    lua_pushlightuserdata(L, argument);
    cl_resume(state);
    int status = lua_pcall(L, 1, 0, 1);
    cl_pause(state);
    if (status == LUA_ERRMEM && state->stopped == CL_OK) state->stopped = CL_MEMORY;
    cl_status result = CL_OK;
    if (state->stopped != CL_OK)
        result = state->stopped;
    else if (status != LUA_OK)
        result = CL_RUNTIME;
    const char *message = "";
    if (state->stopped != CL_OK)
        message = cl_limit_text(state->stopped);
    else if (state->message != NULL)
        message = state->message;
    else if (status != LUA_OK && lua_type(L, -1) == LUA_TSTRING)
        message = state->message = strndup(lua_tostring(L, -1), CL_LONGEST_MESSAGE);
    else if (status != LUA_OK)
        message = "an error while an error was handled";
    if (message == NULL) message = cl_limit_text(CL_MEMORY);
    *failure = (cl_failure){
        .status = result,
        .message = message,
        .file = state->file == NULL ? "" : state->file,
        .line = state->line,
        .traceback = state->traceback == NULL ? "" : state->traceback,
    };
    return result;
}

typedef struct {
    const char *text, *name;
    size_t length;
    bool is_compiled;
    cl_value *result;
} run;

static int protected_run(lua_State *L) {
    cl_state *state = cl_of(L);
    run *script = lua_touserdata(L, 1);
    lua_rawgeti(L, LUA_REGISTRYINDEX, state->main);
    const char *name = lua_pushfstring(L, "@%s", script->name);
    lua_insert(L, -2);
    if (cl_load(L, script->text, script->length, name) != LUA_OK) return lua_error(L);
    script->is_compiled = true;
    lua_call(L, 1, 1);
    cl_arena_reset(state);
    cl_read_value(L, lua_gettop(L), script->result, false);
    return 0;
}

cl_status cl_run(cl_state *state, const char *text, size_t length, const char *name, cl_value *result,
                 cl_failure *failure) {
    *result = (cl_value){.kind = CL_NIL};
    run script = {.text = text, .name = name, .length = length, .is_compiled = false, .result = result};
    cl_status status = enter(state, protected_run, &script, failure);
    if (status == CL_RUNTIME && !script.is_compiled) failure->status = status = CL_SYNTAX;
    return status;
}

typedef struct {
    int32_t function;
    double seconds;
    double *numbers;
    size_t capacity, count;
} sample;

/* Raises with the place where the function at index begins. */
static int refuse_sample(lua_State *L, int index, const char *what) {
    lua_Debug function;
    lua_pushvalue(L, index);
    lua_getinfo(L, ">S", &function);
    const char *file = function.source[0] == '@' || function.source[0] == '=' ? function.source + 1 : function.short_src;
    return luaL_error(L, "%s:%d: the function of time returned %s, but must return a number or a list of numbers", file,
                      function.linedefined, what);
}

static int protected_sample(lua_State *L) {
    sample *wanted = lua_touserdata(L, 1);
    lua_rawgeti(L, LUA_REGISTRYINDEX, cl_of(L)->functions);
    lua_rawgeti(L, -1, wanted->function);
    int function = lua_gettop(L);
    luaL_checktype(L, function, LUA_TFUNCTION);
    lua_pushvalue(L, function);
    lua_pushnumber(L, wanted->seconds);
    lua_call(L, 1, 1);
    if (lua_type(L, -1) == LUA_TNUMBER) {
        wanted->numbers[0] = lua_tonumber(L, -1);
        wanted->count = 1;
        return 0;
    }
    if (lua_type(L, -1) == LUA_TBOOLEAN) {
        wanted->numbers[0] = lua_toboolean(L, -1);
        wanted->count = 1;
        return 0;
    }
    if (lua_type(L, -1) != LUA_TTABLE) {
        bool is_nothing = lua_isnil(L, -1);
        return refuse_sample(L, function, is_nothing ? "nothing" : lua_pushfstring(L, "a %s", luaL_typename(L, -1)));
    }
    size_t length = lua_rawlen(L, -1);
    if (length == 0 || length > wanted->capacity) return refuse_sample(L, function, "a list of another length");
    for (size_t i = 0; i < length; i++) {
        if (lua_rawgeti(L, -1, (lua_Integer)i + 1) != LUA_TNUMBER)
            return refuse_sample(L, function, "a list with something else than numbers in it");
        wanted->numbers[i] = lua_tonumber(L, -1);
        lua_pop(L, 1);
    }
    wanted->count = length;
    return 0;
}

cl_status cl_sample(cl_state *state, int32_t function, double seconds, double *numbers, size_t capacity, size_t *count,
                    cl_failure *failure) {
    sample wanted = {.function = function, .seconds = seconds, .numbers = numbers, .capacity = capacity, .count = 0};
    cl_status status = enter(state, protected_sample, &wanted, failure);
    *count = wanted.count;
    return status;
}
