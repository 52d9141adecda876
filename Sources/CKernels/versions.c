/* Which version of a kernel is taken. */
#include "internal.h"

#if defined(__x86_64__)
_Thread_local int ck_portable = 0;

void ck_use_portable(int32_t on) { ck_portable = on != 0; }
#else
void ck_use_portable(int32_t on) { (void)on; }
#endif

int32_t ck_uses_avx2(void) { return ck_has_avx2(); }
