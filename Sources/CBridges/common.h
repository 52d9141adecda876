/* What the bridges share: texts and ids of what they describe. What is made here stays until the process ends. */
#ifndef CBRIDGES_COMMON_H
#define CBRIDGES_COMMON_H

#include "cbridges.h"

/* A copy; what is not there is empty. Null where there is no memory. */
const char *bridge_kept(const char *text);

/* Both texts, one after the other; null where there is no memory. */
char *bridge_join(const char *a, const char *b);

/*
 * An id from a parameter's name: lower case, one _ for everything between letters and digits, accents left out, and with the
 * parameter's number where nothing is left of it or one of `count` others has it. Null where there is no memory.
 */
char *bridge_make_id(const char *name, int number, const cutroom_param *others, uint32_t count);

#define BRIDGE_NO_MEMORY "there is not enough memory to describe it"

#endif
