/*
 * An extension of Cutroom's plugin interface, for plugins that call FFmpeg's libraries: what those
 * said.
 *
 * FFmpeg's log has one callback for the process, which is the host's; a plugin must not set
 * another. With this table it learns what was logged on its own thread.
 * `host->extension(host->context, CUTROOM_LIBAV_LOG, 1)` gives it, or null.
 */
#ifndef CUTROOM_LIBAV_LOG_H
#define CUTROOM_LIBAV_LOG_H

#include <cutroom/plugin.h>

#define CUTROOM_LIBAV_LOG "org.cutroom.libav_log"

typedef struct cutroom_libav_log {
    uint32_t struct_size; /* [H] */
    uint32_t reserved;    /* [H] 0 */
    /* The last error lines of this thread, oldest first, with a line feed after each; at most size
     * − 1 bytes and a zero byte. They are forgotten with this call. */
    void (*take)(char *lines, size_t size);
} cutroom_libav_log;

#endif
