#ifndef CPOSIX_SHARED_H
#define CPOSIX_SHARED_H

#include <stdint.h>

/* Memory that processes share. A process that loads a byte or a word sees everything that was
 * stored before it. */
uint8_t cposix_load_byte(const void *byte);
void cposix_store_byte(void *byte, uint8_t value);
uint64_t cposix_load_word(const void *word);
void cposix_add_word(void *word, uint64_t value);

#endif
