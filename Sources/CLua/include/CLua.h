#ifndef CLUA_H
#define CLUA_H

/* A Lua 5.4 state that a Swift caller can use without ever seeing one.
 *
 * Lua reports errors with longjmp, which must never cross a Swift frame. So every call into Lua is
 * made here, in protected mode, and every call out to Swift goes through one trampoline: C copies
 * the arguments into a tree of tagged structs, Swift fills a reply with a tree or an error text and
 * returns, and only then does C push the reply or raise.
 *
 * A state belongs to one thread at a time. The callback must not call back into the state it was
 * called from, except cl_allocate, cl_pause and cl_resume. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct cl_state cl_state;

typedef enum {
    CL_NIL,
    CL_BOOLEAN,
    CL_NUMBER,
    CL_STRING,
    CL_LIST,
    CL_TABLE,
    CL_FUNCTION,
} cl_kind;

/* One value and, through items, all values below it. The memory belongs to the state and lasts
 * until the next call. */
typedef struct cl_value cl_value;
struct cl_value {
    cl_kind kind;
    int32_t function; /* CL_FUNCTION: for cl_sample */
    union {
        bool boolean;      /* CL_BOOLEAN */
        double number;     /* CL_NUMBER */
        const char *bytes; /* CL_STRING: not terminated */
        cl_value *items;   /* CL_LIST: count values; CL_TABLE: count pairs of key (a CL_STRING) and value */
    };
    union {
        size_t length; /* CL_STRING: in bytes */
        size_t count;
    };
};

/* The operation that asks for a sentence for people: a call with one of Lua's own messages, and
 * where a global was nil, the names that could be used there, one on a line. The reply is the
 * sentence, with the place before it that the message has; CL_NIL where the message says enough. */
#define CL_EXPLAIN "explain"

/* What a script asks of the host. */
typedef struct {
    const char *operation;
    const cl_value *arguments;
    size_t count;
    const char *file; /* the script that asks, by the name it was given to cl_run under; null where it is not known */
    int32_t line;     /* from 1; 0 where it is not known */
} cl_call;

/* The host's answer: a value, or where failed is set a CL_STRING with the error's whole text.
 * Starts as CL_NIL. */
typedef struct {
    bool failed;
    cl_value value;
} cl_reply;

typedef void (*cl_callback)(void *context, const cl_call *call, cl_reply *reply);

typedef struct {
    size_t memory;         /* bytes */
    uint64_t instructions; /* of Lua's virtual machine, and steps of its libraries' loops in C */
    double seconds;        /* of processor time, less what lies between cl_pause and cl_resume */
    double wall_seconds;   /* of wall-clock time, less the same */
    bool (*is_cancelled)(void *context); /* asked often, with the callback's context; true stops the script. May be null */
} cl_limits;

typedef enum {
    CL_OK,
    CL_SYNTAX,
    CL_RUNTIME,
    CL_MEMORY,
    CL_INSTRUCTIONS,
    CL_TIME,
    CL_WALL,
    CL_CANCELLED,
} cl_status;

/* Why a call failed. The texts belong to the state and last until the next call; none is null. */
typedef struct {
    cl_status status;
    const char *message;
    const char *file;      /* of the innermost script function that was running; empty where none was */
    int32_t line;          /* 0 where it is not known */
    const char *traceback; /* one line for each running function, the innermost first; may be empty */
} cl_failure;

/* A state with the sandbox's libraries and the prelude, which is Lua text that is called with the
 * functions host(operation, ...), fail(text), compile(text, name), traced(message),
 * framed(function) and the table of standard functions that are not to be seen by scripts; it
 * returns the function that cl_run calls with each compiled script. Null where there is no memory
 * for it, or where the prelude fails: then *failure says why (status CL_MEMORY or other) in static
 * text. */
cl_state *cl_open(const cl_limits *limits, cl_callback callback, void *context, const char *prelude, size_t length,
                  cl_failure *failure);
/* Null is allowed. */
void cl_close(cl_state *state);

/* Compiles text as a script called name, runs it and fills *result with what the prelude made of
 * it. */
cl_status cl_run(cl_state *state, const char *text, size_t length, const char *name, cl_value *result,
                 cl_failure *failure);

/* Calls a function that a CL_FUNCTION stood for with a number of seconds, and fills at most
 * capacity numbers: what it returned, a number or a list of numbers. */
cl_status cl_sample(cl_state *state, int32_t function, double seconds, double *numbers, size_t capacity, size_t *count,
                    cl_failure *failure);

/* Memory for a reply, zeroed, until the next call; null where there is none. */
void *cl_allocate(cl_state *state, size_t size);

/* Stop and start the clock of limits.seconds, around what the script is not to blame for. On the
 * thread that runs Lua. */
void cl_pause(cl_state *state);
void cl_resume(cl_state *state);

/* Bytes that the state holds now, for tests. */
size_t cl_memory(const cl_state *state);

#endif
