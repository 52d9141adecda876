/* The memory of the trees that cross the border: taken piece by piece, given back all at once when
 * the next call begins. */

#include "internal.h"

#include <stdlib.h>

struct cl_block {
    cl_block *next;
    size_t used, size;
    _Alignas(16) unsigned char bytes[];
};

void cl_arena_reset(cl_state *state) {
    state->values = 0;
    state->text = 0;
    while (state->arena != NULL) {
        cl_block *block = state->arena;
        /* The first block is kept for the next call. */
        if (block->next == NULL && block->size <= 16384) {
            block->used = 0;
            return;
        }
        state->arena = block->next;
        free(block);
    }
}

static void *take(cl_state *state, size_t size) {
    if (size > SIZE_MAX / 2) return NULL;
    size = (size + 15) & ~(size_t)15;
    cl_block *block = state->arena;
    if (block == NULL || block->size - block->used < size) {
        size_t room = size > 16384 ? size : 16384;
        block = malloc(sizeof *block + room);
        if (block == NULL) return NULL;
        block->next = state->arena;
        block->used = 0;
        block->size = room;
        state->arena = block;
    }
    void *result = block->bytes + block->used;
    block->used += size;
    for (size_t i = 0; i < size; i++) ((unsigned char *)result)[i] = 0;
    return result;
}

void *cl_allocate(cl_state *state, size_t size) { return take(state, size); }

void *cl_arena_take(lua_State *L, size_t size) {
    void *result = take(cl_of(L), size);
    if (result == NULL) luaL_error(L, "not enough memory");
    return result;
}
