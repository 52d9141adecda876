#ifndef CPOSIX_SHARED_H
#define CPOSIX_SHARED_H

#include <stdint.h>

/* Memory that several processes have at the same time: what is stored before a byte or a word is stored is seen by whoever loads it. */
uint8_t cposix_load_byte(const void *byte);
void cposix_store_byte(void *byte, uint8_t value);
uint64_t cposix_load_word(const void *word);
void cposix_add_word(void *word, uint64_t value);

#endif
