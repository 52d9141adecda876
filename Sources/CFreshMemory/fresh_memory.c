#include "fresh_memory.h"

#include <errno.h>
#include <malloc.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
#define HAS_OWN_ALLOCATOR 1
#endif
#endif

#ifdef HAS_OWN_ALLOCATOR

void cutroom_fresh_memory_begin(void) {}

#else

/* glibc's own names for what is replaced below; exported since 2.0. */
extern void *__libc_malloc(size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);
extern void *__libc_realloc(void *memory, size_t size);

static bool is_left_alone;

__attribute__((constructor)) static void look_at_environment(void) { is_left_alone = getenv("MALLOC_PERTURB_") != NULL; }

void cutroom_fresh_memory_begin(void) { mallopt(M_MMAP_THRESHOLD, 1 << 20); }

/* The block is a mapping of its own: glibc's IS_MMAPPED, the second bit of the word with the
 * chunk's size. */
static bool is_mapping(const void *memory) { return ((const size_t *)memory)[-1] & 2; }

/* Zeros the block's bytes from `start` on; what is a mapping has them from the kernel. */
static void *zeroed(void *memory, size_t start) {
    if (!memory || is_left_alone || is_mapping(memory)) return memory;
    const size_t end = malloc_usable_size(memory);
    if (end > start) memset((char *)memory + start, 0, end - start);
    return memory;
}

void *malloc(size_t size) { return zeroed(__libc_malloc(size), 0); }

void *memalign(size_t alignment, size_t size) { return zeroed(__libc_memalign(alignment, size), 0); }

void *aligned_alloc(size_t alignment, size_t size) { return memalign(alignment, size); }

int posix_memalign(void **result, size_t alignment, size_t size) {
    if (alignment % sizeof(void *) || alignment == 0 || alignment & (alignment - 1)) return EINVAL;
    const int before = errno;
    void *memory = memalign(alignment, size);
    errno = before;
    if (!memory) return ENOMEM;
    *result = memory;
    return 0;
}

void *realloc(void *memory, size_t size) {
    const size_t start = memory ? malloc_usable_size(memory) : 0;
    return zeroed(__libc_realloc(memory, size), start);
}

#endif
