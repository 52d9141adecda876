#ifndef CLUA_INTERNAL_H
#define CLUA_INTERNAL_H

#include "CLua.h"

#include <lua5.4/lauxlib.h>
#include <lua5.4/lua.h>
#include <lua5.4/lualib.h>

/* Lua runs this many instructions between two looks at the limits. A single instruction can be slow
 * (joining two texts of 100 MB), so the number is small. */
#define CL_INTERVAL 100

/* Blocks of at least this many bytes can make one instruction slow: a comparison of two texts, a
 * search for the next key. */
#define CL_LARGE ((size_t)1 << 20)

/* Bytes of a message that are kept: a script can raise a text of any length. */
#define CL_LONGEST_MESSAGE 65536

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
    size_t large;   /* bytes in blocks of CL_LARGE and more */
    size_t grown;   /* bytes allocated since the allocator looked at the limits */
    uint64_t executed;
    uint64_t pending;       /* steps of C functions that are not in executed yet */
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

    lua_CFunction repeat, setmetatable, resume, create; /* originals behind a guard */
};

/* The state that L, or the coroutine L, is part of. */
static inline cl_state *cl_of(lua_State *L) { return *(cl_state **)lua_getextraspace(L); }

/* limits.c */
void *cl_limited_allocate(void *context, void *block, size_t old_size, size_t new_size);
/* Counts steps and raises where a limit is reached. */
void cl_tick(lua_State *L, uint64_t steps);
/* Counts steps of a C function, and looks at the limits when CL_INTERVAL of them have come
 * together. Every loop in C that a script decides the length of calls it in each pass. */
static inline void cl_count(lua_State *L, uint64_t steps) {
    cl_state *state = cl_of(L);
    state->pending += steps;
    if (state->pending < CL_INTERVAL && state->stopped == CL_OK) return;
    steps = state->pending;
    state->pending = 0;
    cl_tick(L, steps);
}
void cl_start_hook(lua_State *L);
/* Shortens the interval of L's hook while large blocks can make single instructions slow. */
void cl_adapt_hook(lua_State *L);
const char *cl_limit_text(cl_status status);

/* arena.c */
void cl_arena_reset(cl_state *state);
/* cl_allocate, but it raises. */
void *cl_arena_take(lua_State *L, size_t size);

/* marshal.c: both raise. */
void cl_read_value(lua_State *L, int index, cl_value *value, bool is_raw);
void cl_push_value(lua_State *L, const cl_value *value);

/* trace.c */
/* The innermost running script function: its chunk's name without the leading @ or =, and line;
 * false where there is none. */
bool cl_place(lua_State *L, const char **file, int *line);
/* Raises "file:line: text" with the place of the innermost script function. */
int cl_fail(lua_State *L, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Puts a sentence for people in the place of the text on top of L's stack where that is one of
 * Lua's own messages, raised in raiser: Swift knows how. */
void cl_explain(lua_State *L, lua_State *raiser);
/* A message handler: explains the message, and keeps it with its place and traceback in the state.
 */
int cl_traced(lua_State *L);

/* sandbox.c */
void cl_open_sandbox(lua_State *L);

/* load.c: luaL_loadbufferx of text that looks at the limits while it compiles. Raises where a limit
 * is reached. */
int cl_load(lua_State *L, const char *text, size_t length, const char *name);

/* counted.c: puts each C function of the library on top of the stack behind one that counts its
 * calls. */
void cl_count_calls(lua_State *L);

/* table_library.c: replaces the functions of the library on top of the stack that loop. */
void cl_open_tables(lua_State *L);

/* pattern.c */
void cl_open_patterns(lua_State *L);

#endif
