#ifndef CLUA_INTERNAL_H
#define CLUA_INTERNAL_H

#include "CLua.h"

#include <lua5.4/lauxlib.h>
#include <lua5.4/lua.h>
#include <lua5.4/lualib.h>

/* Lua runs this many instructions between two looks at the limits. A single instruction can be slow (joining two texts
 * of 100 MB), so the number is small. */
#define CL_INTERVAL 100

/* The chunk name of the prelude: its frames are never shown to a script's author. */
#define CL_PRELUDE "=[cutroom]"

typedef struct cl_block cl_block;

struct cl_state {
    lua_State *lua;
    cl_callback callback;
    void *context;
    cl_limits limits;

    size_t used;    /* bytes allocated by Lua */
    size_t refused; /* the size of an allocation that was refused and may be tried again after a collection */
    uint64_t executed;
    bool is_running;        /* the clocks are */
    double wall, processor; /* seconds so far; while the clocks run, less their reading when they were started */
    cl_status stopped; /* CL_OK, or the limit that was reached: from then on every look at the limits raises */

    cl_block *arena;
    size_t values; /* bytes of the current call's values in the arena */
    size_t text;   /* bytes of its texts */

    int main;      /* registry references: the prelude's function */
    int functions; /* function → number and number → function */
    int32_t function_count;

    char *message; /* of the last failure */
    char *traceback;
    char *file;
    int line;

    lua_CFunction repeat, insert, remove, sort, move, setmetatable, resume; /* originals behind a guard */
};

/* The state that L, or the coroutine L, is part of. */
static inline cl_state *cl_of(lua_State *L) { return *(cl_state **)lua_getextraspace(L); }

/* limits.c */
void *cl_limited_allocate(void *context, void *block, size_t old_size, size_t new_size);
/* Counts steps and raises where a limit is reached. */
void cl_tick(lua_State *L, uint64_t steps);
void cl_start_hook(lua_State *L);
const char *cl_limit_text(cl_status status);

/* arena.c */
void cl_arena_reset(cl_state *state);
/* cl_allocate, but it raises. */
void *cl_arena_take(lua_State *L, size_t size);

/* marshal.c: both raise. */
void cl_read_value(lua_State *L, int index, cl_value *value, bool is_raw);
void cl_push_value(lua_State *L, const cl_value *value);

/* trace.c */
/* The innermost running script function: its chunk's name without the leading @ or =, and line; false where there is none. */
bool cl_place(lua_State *L, const char **file, int *line);
/* Raises "file:line: text" with the place of the innermost script function. */
int cl_fail(lua_State *L, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Puts a sentence for people in the place of the text on top of L's stack where that is one of Lua's own messages, raised in
 * raiser: Swift knows how. */
void cl_explain(lua_State *L, lua_State *raiser);
/* A message handler: explains the message, and keeps it with its place and traceback in the state. */
int cl_traced(lua_State *L);

/* sandbox.c */
void cl_open_sandbox(lua_State *L);

/* pattern.c */
void cl_open_patterns(lua_State *L);

#endif
