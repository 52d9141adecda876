#ifndef CDEVICES_H
#define CDEVICES_H

/* What V4L2, PulseAudio, ALSA and X11 say of their devices. libavdevice opens devices, but does not
 * tell what they can do.
 *
 * Each function calls a visitor with what it finds, valid during the call, and returns 0 or a
 * negative errno. Each may wait for a device or a server for ever: they belong into a process that
 * can be killed. */

#include <stdbool.h>
#include <stdint.h>

/* A pixel format of a camera, with sizes and frame rates. A size is every step from the least to
 * the most; where these are equal it is one. The time of a frame in seconds is from the shortest to
 * the longest; where these are equal it is one, and where both are 0 the driver does not tell. */
struct cdevices_mode {
    uint32_t format; /* V4L2's four characters, the first in the lowest byte */
    uint32_t least_width, most_width, width_step;
    uint32_t least_height, most_height, height_step;
    uint32_t shortest_numerator, shortest_denominator;
    uint32_t longest_numerator, longest_denominator;
};

typedef void (*cdevices_mode_visitor)(void *context, const struct cdevices_mode *mode);

/* Asks a camera, by its path. The name is at most 63 bytes. -ENODEV: the device is no camera;
 * -ENOTTY: it is not of V4L2. Otherwise the error is that of open(2). */
int32_t cdevices_camera(const char *path, char name[64], cdevices_mode_visitor visit, void *context);

/* A source of PulseAudio, or of a server with its protocol. */
struct cdevices_source {
    const char *name;
    const char *description;
    uint32_t sample_rate;
    uint32_t channels;
    bool is_default;
    bool is_monitor; /* it delivers what a sink plays */
};

typedef void (*cdevices_source_visitor)(void *context, const struct cdevices_source *source);

/* -ECONNREFUSED: there is no server. */
int32_t cdevices_pulse(cdevices_source_visitor visit, void *context);

typedef void (*cdevices_name_visitor)(void *context, const char *name, const char *description);

/* Visits the names of ALSA's capture devices, without those that only convert for others. */
int32_t cdevices_alsa(cdevices_name_visitor visit, void *context);

/* What an ALSA device can do: which of some sample rates, and of 1 to 32 channels (bit 0: one). */
int32_t cdevices_alsa_device(
    const char *name, const uint32_t *rates, uint32_t count, bool *has_rate, uint32_t *channels);

/* A window, or the screen itself, whose id is 0. */
struct cdevices_window {
    uint32_t id;
    uint32_t width, height;
    const char *title; /* "" where it has none */
};

typedef void (*cdevices_window_visitor)(void *context, const struct cdevices_window *window);

/* Visits the screen of an X11 display, and then its windows. -ECONNREFUSED: there is no display. */
int32_t cdevices_screen(const char *display, cdevices_window_visitor visit, void *context);

#endif
