// Empty versions of the libcurl functions that Foundation's networking calls. FlyingFox contains an
// unused proxy type, and the linker keeps it and everything that it uses. A program that is linked
// with these functions in place of libcurl loads 23 libraries fewer. None of them is ever called.

#include <stdlib.h>

#define NEVER_CALLED(name) \
    void name(void) { abort(); }

NEVER_CALLED(curl_easy_cleanup)
NEVER_CALLED(curl_easy_getinfo)
NEVER_CALLED(curl_easy_init)
NEVER_CALLED(curl_easy_pause)
NEVER_CALLED(curl_easy_setopt)
NEVER_CALLED(curl_easy_strerror)
NEVER_CALLED(curl_free)
NEVER_CALLED(curl_global_init)
NEVER_CALLED(curl_multi_add_handle)
NEVER_CALLED(curl_multi_assign)
NEVER_CALLED(curl_multi_cleanup)
NEVER_CALLED(curl_multi_info_read)
NEVER_CALLED(curl_multi_init)
NEVER_CALLED(curl_multi_remove_handle)
NEVER_CALLED(curl_multi_setopt)
NEVER_CALLED(curl_multi_socket_action)
NEVER_CALLED(curl_slist_append)
NEVER_CALLED(curl_slist_free_all)
NEVER_CALLED(curl_url)
NEVER_CALLED(curl_url_get)
NEVER_CALLED(curl_url_set)
NEVER_CALLED(curl_version)
NEVER_CALLED(curl_version_info)
