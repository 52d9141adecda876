#include "CSourceWatch.h"

#include <stdlib.h>
#include <xcb/xcb.h>

struct csourcewatch_display {
    xcb_connection_t *server;
};

struct csourcewatch_display *csourcewatch_display_open(const char *name)
{
    xcb_connection_t *server = xcb_connect(name, NULL);
    struct csourcewatch_display *display = malloc(sizeof *display);
    if (!display || xcb_connection_has_error(server)) {
        xcb_disconnect(server);
        free(display);
        return NULL;
    }
    display->server = server;
    return display;
}

void csourcewatch_display_close(struct csourcewatch_display *display)
{
    xcb_disconnect(display->server);
    free(display);
}

bool csourcewatch_window_state(struct csourcewatch_display *display, uint32_t id, struct csourcewatch_window *state)
{
    xcb_connection_t *server = display->server;
    /* All questions are asked before the first answer is waited for. */
    xcb_get_window_attributes_cookie_t attributes_wanted = xcb_get_window_attributes(server, id);
    xcb_get_geometry_cookie_t size_wanted = xcb_get_geometry(server, id);
    *state = (struct csourcewatch_window){.is_gone = true};
    /* Errors are freed, too: what they say is what is missing. */
    xcb_generic_error_t *failures[4] = {NULL};
    xcb_get_window_attributes_reply_t *attributes =
        xcb_get_window_attributes_reply(server, attributes_wanted, &failures[0]);
    xcb_get_geometry_reply_t *size = xcb_get_geometry_reply(server, size_wanted, &failures[1]);
    xcb_get_geometry_reply_t *screen = NULL;
    xcb_translate_coordinates_reply_t *place = NULL;
    if (attributes && size) {
        xcb_get_geometry_cookie_t screen_wanted = xcb_get_geometry(server, size->root);
        xcb_translate_coordinates_cookie_t place_wanted = xcb_translate_coordinates(server, id, size->root, 0, 0);
        screen = xcb_get_geometry_reply(server, screen_wanted, &failures[2]);
        place = xcb_translate_coordinates_reply(server, place_wanted, &failures[3]);
    }
    if (screen && place) {
        state->is_gone = false;
        state->is_visible = attributes->map_state == XCB_MAP_STATE_VIEWABLE;
        state->is_inside = place->dst_x >= 0 && place->dst_y >= 0 && place->dst_x + size->width <= screen->width
            && place->dst_y + size->height <= screen->height;
        state->width = size->width;
        state->height = size->height;
    }
    free(attributes);
    free(size);
    free(screen);
    free(place);
    for (int index = 0; index < 4; index++)
        free(failures[index]);
    return !xcb_connection_has_error(server);
}
