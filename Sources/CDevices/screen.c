#include "CDevices.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <xcb/xcb.h>

enum { MOST_WINDOWS = 4096, MOST_BYTES = 1023 };

static xcb_atom_t atom(xcb_connection_t *server, const char *name)
{
    xcb_intern_atom_reply_t *reply =
        xcb_intern_atom_reply(server, xcb_intern_atom(server, 1, (uint16_t)strlen(name), name), NULL);
    xcb_atom_t found = reply ? reply->atom : XCB_ATOM_NONE;
    free(reply);
    return found;
}

/* The property's bytes are at most `size`; returns their number, 0 where there are none. */
static uint32_t property(xcb_connection_t *server, xcb_window_t window, xcb_atom_t name, void *bytes, uint32_t size)
{
    if (name == XCB_ATOM_NONE)
        return 0;
    xcb_get_property_reply_t *reply = xcb_get_property_reply(
        server, xcb_get_property(server, 0, window, name, XCB_GET_PROPERTY_TYPE_ANY, 0, size / 4), NULL);
    uint32_t count = 0;
    if (reply && xcb_get_property_value_length(reply) > 0) {
        count = (uint32_t)xcb_get_property_value_length(reply);
        count = count < size ? count : size;
        memcpy(bytes, xcb_get_property_value(reply), count);
    }
    free(reply);
    return count;
}

static void visit_window(
    xcb_connection_t *server, xcb_window_t window, xcb_atom_t title, cdevices_window_visitor visit, void *context)
{
    xcb_get_window_attributes_reply_t *state =
        xcb_get_window_attributes_reply(server, xcb_get_window_attributes(server, window), NULL);
    xcb_get_geometry_reply_t *place = xcb_get_geometry_reply(server, xcb_get_geometry(server, window), NULL);
    if (state && place && state->map_state == XCB_MAP_STATE_VIEWABLE && !state->override_redirect
        && state->_class != XCB_WINDOW_CLASS_INPUT_ONLY) {
        char text[MOST_BYTES + 1];
        uint32_t count = property(server, window, title, text, MOST_BYTES);
        if (count == 0)
            count = property(server, window, XCB_ATOM_WM_NAME, text, MOST_BYTES);
        text[count] = 0;
        struct cdevices_window found = {
            .id = window, .width = place->width, .height = place->height, .title = text,
        };
        visit(context, &found);
    }
    free(state);
    free(place);
}

int32_t cdevices_screen(const char *display, cdevices_window_visitor visit, void *context)
{
    int number = 0;
    xcb_connection_t *server = xcb_connect(display, &number);
    if (xcb_connection_has_error(server)) {
        xcb_disconnect(server);
        return -ECONNREFUSED;
    }
    xcb_screen_iterator_t screens = xcb_setup_roots_iterator(xcb_get_setup(server));
    for (; screens.rem > 0 && number > 0; number--)
        xcb_screen_next(&screens);
    if (screens.rem == 0) {
        xcb_disconnect(server);
        return -ENODEV;
    }
    xcb_window_t root = screens.data->root;
    struct cdevices_window whole = {
        .width = screens.data->width_in_pixels, .height = screens.data->height_in_pixels, .title = "",
    };
    xcb_atom_t title = atom(server, "_NET_WM_NAME");
    visit(context, &whole);
    /* A window manager's own list; without one the windows are the root's children. */
    static xcb_window_t windows[MOST_WINDOWS];
    uint32_t count = property(server, root, atom(server, "_NET_CLIENT_LIST"), windows, sizeof windows) / 4;
    if (count > 0) {
        for (uint32_t index = 0; index < count; index++)
            visit_window(server, windows[index], title, visit, context);
    } else {
        xcb_query_tree_reply_t *tree = xcb_query_tree_reply(server, xcb_query_tree(server, root), NULL);
        for (int index = 0; tree && index < xcb_query_tree_children_length(tree); index++)
            visit_window(server, xcb_query_tree_children(tree)[index], title, visit, context);
        free(tree);
    }
    xcb_disconnect(server);
    return 0;
}
