/* Compiling text. Lua's compiler runs in C, where no hook fires, and some texts take it a time
 * that grows with the square of their length (many labels, or many names in deep functions). So it
 * reads its text in small pieces, each of which counts. */

#include "internal.h"

typedef struct {
    const char *text;
    size_t length;
} remainder;

static const char *next_piece(lua_State *L, void *context, size_t *size) {
    enum { PIECE = 64 };
    remainder *left = context;
    const char *piece = left->text;
    *size = left->length < PIECE ? left->length : PIECE;
    left->text += *size;
    left->length -= *size;
    cl_tick(L, *size);
    return *size == 0 ? NULL : piece;
}

int cl_load(lua_State *L, const char *text, size_t length, const char *name) {
    remainder left = {text, length};
    int status = lua_load(L, next_piece, &left, name, "t");
    /* lua_load catches what its reader raises. */
    if (cl_of(L)->stopped != CL_OK && status != LUA_OK) lua_error(L);
    return status;
}
