/* Where an error happened, in terms of the script's own lines: frames of C and of the prelude are
 * left out. */

#include "internal.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool is_script(const lua_Debug *frame) {
    return strcmp(frame->what, "C") != 0 && strcmp(frame->source, CL_PRELUDE) != 0;
}

static const char *file_of(const lua_Debug *frame) {
    return frame->source[0] == '@' || frame->source[0] == '=' ? frame->source + 1 : frame->short_src;
}

/* A tail call (`return draft:add_clip(…)`) has already taken its caller's frame away; then the next
 * one out answers. */
bool cl_place(lua_State *L, const char **file, int *line) {
    lua_Debug frame;
    for (int level = 0; lua_getstack(L, level, &frame); level++) {
        lua_getinfo(L, "Sl", &frame);
        if (!is_script(&frame)) continue;
        *file = file_of(&frame);
        *line = frame.currentline > 0 ? frame.currentline : 0;
        return true;
    }
    return false;
}

int cl_fail(lua_State *L, const char *format, ...) {
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    const char *file;
    int line;
    if (cl_place(L, &file, &line))
        lua_pushfstring(L, "%s:%d: %s", file, line, text);
    else
        lua_pushstring(L, text);
    return lua_error(L);
}

/* Text that grows outside Lua's memory, which may be used up. */
typedef struct {
    char *bytes;
    size_t length, size;
} text;

static void append(text *out, const char *bytes) {
    size_t length = strlen(bytes);
    if (out->length + length + 1 > out->size) {
        size_t size = (out->length + length + 1) * 2;
        char *grown = realloc(out->bytes, size);
        if (grown == NULL) return;
        out->bytes = grown;
        out->size = size;
    }
    memcpy(out->bytes + out->length, bytes, length + 1);
    out->length += length;
}

static char *traceback(lua_State *L) {
    enum { SHOWN = 20 };
    text out = {NULL, 0, 0};
    append(&out, "");
    lua_Debug frame;
    int shown = 0;
    for (int level = 0; shown < SHOWN && lua_getstack(L, level, &frame); level++) {
        lua_getinfo(L, "Slnt", &frame);
        if (!is_script(&frame)) continue;
        char line[400];
        const char *file = file_of(&frame);
        if (strcmp(frame.what, "main") == 0)
            snprintf(line, sizeof line, "%.300s:%d: in the main part\n", file, frame.currentline);
        else if (frame.name != NULL)
            snprintf(line, sizeof line, "%.250s:%d: in %.60s\n", file, frame.currentline, frame.name);
        else
            snprintf(line, sizeof line, "%.250s:%d: in the function of line %d\n", file, frame.currentline, frame.linedefined);
        append(&out, line);
        shown++;
    }
    if (shown == SHOWN) append(&out, "…\n");
    if (out.length > 0) out.bytes[out.length - 1] = '\0';
    return out.bytes;
}

static void append_name(text *out, const char *name) {
    if (name == NULL || name[0] == '(' || name[0] == '\0' || strlen(name) > 100) return;
    append(out, name);
    append(out, "\n");
}

enum { LONGEST_NAMES = 16384, MOST_LEVELS = 200 };

/* Appends the names of the variables of the running script functions. A misspelled name in a
 * function is often a variable around it. */
static void append_names(text *out, lua_State *L) {
    lua_Debug frame;
    if (!lua_checkstack(L, 8)) return;
    /* Finding a level takes as long as the level is deep. */
    for (int level = 0; level < MOST_LEVELS && out->length < LONGEST_NAMES && lua_getstack(L, level, &frame); level++) {
        lua_getinfo(L, "S", &frame);
        if (!is_script(&frame)) continue;
        const char *name;
        for (int i = 1; (name = lua_getlocal(L, &frame, i)) != NULL; i++) {
            append_name(out, name);
            lua_pop(L, 1);
        }
        lua_getinfo(L, "f", &frame);
        for (int i = 1; (name = lua_getupvalue(L, -1, i)) != NULL; i++) {
            append_name(out, name);
            lua_pop(L, 1);
        }
        lua_pop(L, 1);
    }
}

/* With those of who resumed the coroutine that has raised, and of all globals. */
static char *names_in_scope(lua_State *L, lua_State *raiser) {
    text out = {NULL, 0, 0};
    append(&out, "");
    append_names(&out, raiser);
    if (raiser != L) append_names(&out, L);
    if (!lua_checkstack(L, 8)) return out.bytes;
    lua_pushglobaltable(L);
    lua_pushnil(L);
    while (lua_next(L, -2) != 0) {
        lua_pop(L, 1);
        if (lua_type(L, -1) == LUA_TSTRING) append_name(&out, lua_tostring(L, -1));
        if (out.length >= LONGEST_NAMES) {
            lua_pop(L, 1);
            break;
        }
    }
    lua_pop(L, 1);
    return out.bytes;
}

/* Whether Lua may have said it: most of what scripts catch is their own. */
static bool is_of_lua(const char *message) {
    static const char *const words[] = {
        "attempt to ", "bad argument ", "'for' ", "index is ", "integer representation", " near ", "assertion failed!",
        "const variable '", "unknown attribute '", "<goto ", " for <goto>", "already defined on line ", "break outside ",
        "non-closable value", " in table for '",
    };
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strstr(message, words[i]) != NULL) return true;
    return false;
}

void cl_explain(lua_State *L, lua_State *raiser) {
    /* Lua's own messages are shorter. */
    enum { LONGEST = 4096 };
    cl_state *state = cl_of(L);
    size_t length;
    if (state->stopped != CL_OK || lua_type(L, -1) != LUA_TSTRING) return;
    const char *message = lua_tolstring(L, -1, &length);
    if (length > LONGEST || !is_of_lua(message)) return;
    char *names = strstr(message, "nil value (global '") != NULL ? names_in_scope(L, raiser) : NULL;
    cl_arena_reset(state);
    cl_value arguments[] = {
        {.kind = CL_STRING, .bytes = message, .length = length},
        {.kind = CL_STRING, .bytes = names == NULL ? "" : names, .length = names == NULL ? 0 : strlen(names)},
    };
    cl_call call = {.operation = CL_EXPLAIN, .arguments = arguments, .count = 2};
    const char *file;
    int line;
    if (cl_place(raiser, &file, &line)) {
        call.file = file;
        call.line = line;
    }
    cl_reply reply = {.failed = false, .value = {.kind = CL_NIL}};
    state->callback(state->context, &call, &reply);
    free(names);
    if (reply.value.kind != CL_STRING) return;
    cl_push_value(L, &reply.value);
    lua_remove(L, -2);
}

int cl_traced(lua_State *L) {
    cl_state *state = cl_of(L);
    /* The error itself stays as it is, so that a transaction can raise it again. */
    if (lua_type(L, 1) == LUA_TSTRING || lua_type(L, 1) == LUA_TNUMBER || luaL_getmetafield(L, 1, "__tostring") != LUA_TNIL)
        luaL_tolstring(L, 1, NULL);
    else
        lua_pushfstring(L, "the script ended itself with %s%s, and not with a text that says what is wrong", lua_isnil(L, 1) ? "" : "a ",
                        lua_isnil(L, 1) ? "nothing" : luaL_typename(L, 1));
    cl_explain(L, L);
    const char *message = lua_tostring(L, -1);
    /* An error on its way out of a transaction keeps the traceback of where it was raised. */
    if (state->message == NULL || strncmp(state->message, message, CL_LONGEST_MESSAGE) != 0) {
        free(state->message);
        free(state->traceback);
        free(state->file);
        /* A script can raise a text of any length; an error's is read whole, in steps. */
        state->message = strndup(message, CL_LONGEST_MESSAGE);
        state->traceback = traceback(L);
        const char *file = "";
        state->line = 0;
        cl_place(L, &file, &state->line);
        state->file = strdup(file);
    }
    lua_settop(L, 1);
    return 1;
}
