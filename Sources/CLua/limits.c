/* Memory, instruction and time limits. Once one is reached the state is stopped for good: the hook
 * raises again at every further instruction, so that a script cannot swallow the error with pcall
 * or a coroutine. */

#include "internal.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

static double read_clock(clockid_t clock) {
    struct timespec time;
    clock_gettime(clock, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

void cl_resume(cl_state *state) {
    if (state->is_running) return;
    state->is_running = true;
    state->wall -= read_clock(CLOCK_MONOTONIC);
    state->processor -= read_clock(CLOCK_THREAD_CPUTIME_ID);
}

void cl_pause(cl_state *state) {
    if (!state->is_running) return;
    state->is_running = false;
    state->wall += read_clock(CLOCK_MONOTONIC);
    state->processor += read_clock(CLOCK_THREAD_CPUTIME_ID);
}

/* The limit of time that is reached, or CL_OK. Reading the processor time is a system call, so the
 * wall clock, which is never behind it, is read first. */
static cl_status time_limit(const cl_state *state) {
    double wall = state->wall + read_clock(CLOCK_MONOTONIC);
    if (wall > state->limits.wall_seconds) return CL_WALL;
    bool is_out = wall > state->limits.seconds
        && state->processor + read_clock(CLOCK_THREAD_CPUTIME_ID) > state->limits.seconds;
    return is_out ? CL_TIME : CL_OK;
}

/* Notes the limit that is reached, if any. The clocks stand while the prelude is compiled; no limit
 * applies to it. */
static void look(cl_state *state) {
    if (state->stopped != CL_OK || !state->is_running) return;
    if (state->limits.is_cancelled != NULL && state->limits.is_cancelled(state->context))
        state->stopped = CL_CANCELLED;
    else if (state->executed > state->limits.instructions)
        state->stopped = CL_INSTRUCTIONS;
    else
        state->stopped = time_limit(state);
}

/* Lua calls no message handler where memory ends, so the running line is noted at once. In a
 * coroutine, this is the line that resumed it. Whether the refusal is final shows later: a text
 * buffer does not ask twice. From 5.4.5 on the stack's own pointers are no pointers while it grows,
 * and nothing may be asked. */
static void note_place(cl_state *state, const void *block) {
    const char *file;
    int line;
    bool may_be_stack = LUA_VERSION_RELEASE_NUM >= 50405 && block != NULL;
    if (state->lua == NULL || may_be_stack || state->message != NULL || !cl_place(state->lua, &file, &line)) return;
    free(state->file);
    state->file = strdup(file);
    state->line = line;
}

/* Copying large texts takes few instructions, so the allocator looks at the limits too. Once a
 * limit is reached, large blocks are refused; small ones are needed to report the error. */
static bool may_grow(cl_state *state, const void *block, size_t growth) {
    enum { BETWEEN_LOOKS = 4 << 20 };
    if (growth > state->limits.memory - state->used) return false;
    state->grown += growth;
    if (state->grown >= BETWEEN_LOOKS && state->stopped == CL_OK) {
        state->grown = 0;
        look(state);
        if (state->stopped != CL_OK) note_place(state, block);
    }
    return state->stopped == CL_OK || growth < CL_LARGE;
}

void *cl_limited_allocate(void *context, void *block, size_t old_size, size_t new_size) {
    cl_state *state = context;
    /* Without a block, old_size tells the kind of object. */
    size_t released = block == NULL ? 0 : old_size;
    if (new_size == 0) {
        free(block);
        state->used -= released;
        if (released >= CL_LARGE) state->large -= released;
        return NULL;
    }
    void *result = NULL;
    if (new_size <= released || may_grow(state, block, new_size - released)) result = realloc(block, new_size);
    if (result == NULL) {
        /* Lua collects garbage and asks once more for the same; the second refusal is final.
         * Between the two nothing is allocated. */
        if (new_size > released && state->stopped == CL_OK) {
            note_place(state, block);
            if (state->refused == new_size) state->stopped = CL_MEMORY;
        }
        state->refused = new_size;
        return NULL;
    }
    if (new_size > released) state->refused = 0;
    state->used = state->used - released + new_size;
    if (released >= CL_LARGE) state->large -= released;
    if (new_size >= CL_LARGE) state->large += new_size;
    return result;
}

const char *cl_limit_text(cl_status status) {
    switch (status) {
    case CL_MEMORY: return "the script needs more memory than it may use";
    case CL_INSTRUCTIONS: return "the script runs more instructions than it may; is there an endless loop?";
    case CL_TIME: return "the script runs longer than it may; is there an endless loop?";
    case CL_WALL: return "the script runs longer than it may by the wall clock; is there an endless loop?";
    case CL_CANCELLED: return "the script was stopped";
    default: return "";
    }
}

static int interval(const cl_state *state) {
    if (state->stopped != CL_OK) return 1;
    if (state->large < 16 * CL_LARGE) return CL_INTERVAL;
    return state->large < 64 * CL_LARGE ? CL_INTERVAL / 4 : CL_INTERVAL / 20;
}

static void on_count(lua_State *L, lua_Debug *activation) {
    (void)activation;
    int steps = lua_gethookcount(L);
    cl_adapt_hook(L);
    cl_tick(L, (uint64_t)steps);
}

void cl_start_hook(lua_State *L) { lua_sethook(L, on_count, LUA_MASKCOUNT, CL_INTERVAL); }

void cl_adapt_hook(lua_State *L) {
    int wished = interval(cl_of(L));
    if (lua_gethook(L) == on_count && lua_gethookcount(L) != wished) lua_sethook(L, on_count, LUA_MASKCOUNT, wished);
}

void cl_tick(lua_State *L, uint64_t steps) {
    cl_state *state = cl_of(L);
    state->executed += steps;
    look(state);
    if (state->stopped == CL_OK) return;
    lua_sethook(L, on_count, LUA_MASKCOUNT, 1);
    lua_pushstring(L, cl_limit_text(state->stopped));
    lua_error(L);
}
