#ifndef CSOURCEWATCH_H
#define CSOURCEWATCH_H

/* What X11 and PulseAudio say of a source while it is recorded. libavdevice does not tell: a window
 * that cannot be read may be hidden or closed, and a stream moves to another source silently. */

#include <stdbool.h>
#include <stdint.h>

/* A connection to an X11 display, for one thread. */
struct csourcewatch_display;

/* NULL: there is no such display. */
struct csourcewatch_display *csourcewatch_display_open(const char *name);
void csourcewatch_display_close(struct csourcewatch_display *display);

struct csourcewatch_window {
    bool is_gone;    /* it was closed */
    bool is_visible; /* it and those that it is in are mapped */
    bool is_inside;  /* no part of it is off the screen */
    uint32_t width, height;
};

/* Returns false where the display is gone. */
bool csourcewatch_window_state(struct csourcewatch_display *display, uint32_t id, struct csourcewatch_window *state);

/* `source`: what users call the source to which a stream of this process was moved. */
typedef void (*csourcewatch_visitor)(void *context, const char *source);

/* Watches the streams that this process records from PulseAudio, until the server is gone. */
void csourcewatch_pulse(csourcewatch_visitor moved, void *context);

#endif
