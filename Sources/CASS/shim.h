#pragma once
// Subtitles of Advanced SubStation Alpha (libass).
#include <ass/ass.h>
#include <stdarg.h>

static inline void cutroom_ass_ignore(int level, const char *format, va_list arguments, void *data) {
    (void)level, (void)format, (void)arguments, (void)data;
}

/// libass writes to standard error, unless it is told not to.
static inline void cutroom_ass_be_silent(ASS_Library *library) {
    ass_set_message_cb(library, cutroom_ass_ignore, NULL);
}
