#ifndef CUTROOM_CGNUTLS_SHIM_H
#define CUTROOM_CGNUTLS_SHIM_H

#include <gnutls/gnutls.h>
#include <gnutls/x509.h>

/* Frees what GnuTLS has allocated. Its own name is a variable, which Swift cannot read safely. */
static inline void cgnutls_free(void *bytes) { gnutls_free(bytes); }

#endif
