#include "CPosixShared.h"

uint8_t cposix_load_byte(const void *byte) { return __atomic_load_n((const uint8_t *)byte, __ATOMIC_SEQ_CST); }
void cposix_store_byte(void *byte, uint8_t value) { __atomic_store_n((uint8_t *)byte, value, __ATOMIC_SEQ_CST); }
uint64_t cposix_load_word(const void *word) { return __atomic_load_n((const uint64_t *)word, __ATOMIC_SEQ_CST); }
void cposix_add_word(void *word, uint64_t value) { __atomic_fetch_add((uint64_t *)word, value, __ATOMIC_SEQ_CST); }
