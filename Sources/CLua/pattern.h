#ifndef CLUA_PATTERN_H
#define CLUA_PATTERN_H

#include "internal.h"

/* Lua's patterns (manual, section 6.4.1), compiled to a list of items and matched by counted
 * backtracking. */

#define CL_MAXIMUM_CAPTURES 32

typedef struct cl_item cl_item;

typedef struct {
    int captures;
    bool is_anchored;
    cl_item *items;
} cl_pattern;

typedef struct {
    const char *start;
    size_t length;
    bool is_position;
} cl_capture;

typedef struct {
    lua_State *L;
    const char *begin, *end; /* the subject */
    uint64_t steps;          /* since the limits were looked at */
    cl_capture captures[CL_MAXIMUM_CAPTURES];
} cl_matcher;

/* Compiles the text and leaves a userdata that holds the items on the stack. A leading ^ is an
 * anchor where takes_anchor is set, else a plain character. Raises where the pattern is malformed.
 */
cl_pattern cl_compile_pattern(lua_State *L, const char *text, size_t length, bool takes_anchor);

/* The end of a match that begins at exactly `start`, null where there is none. Raises where a limit
 * is reached. */
const char *cl_match_at(cl_matcher *matcher, const cl_pattern *pattern, const char *start);

/* pattern_library.c defines cl_open_patterns. */

#endif
