#include "CDevices.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/videodev2.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

/* A driver that never ends a list is broken. */
enum { MOST_FORMATS = 64, MOST_SIZES = 256, MOST_RATES = 64 };

static int ask(int device, unsigned long request, void *argument)
{
    int result;
    do
        result = ioctl(device, request, argument);
    while (result < 0 && errno == EINTR);
    return result;
}

static void visit_rates(int device, struct cdevices_mode mode, cdevices_mode_visitor visit, void *context)
{
    bool found = false;
    for (uint32_t index = 0; index < MOST_RATES; index++) {
        struct v4l2_frmivalenum interval = {
            .index = index, .pixel_format = mode.format, .width = mode.most_width, .height = mode.most_height,
        };
        if (ask(device, VIDIOC_ENUM_FRAMEINTERVALS, &interval) < 0)
            break;
        struct v4l2_fract shortest = interval.stepwise.min, longest = interval.stepwise.max;
        if (interval.type == V4L2_FRMIVAL_TYPE_DISCRETE)
            shortest = longest = interval.discrete;
        mode.shortest_numerator = shortest.numerator;
        mode.shortest_denominator = shortest.denominator;
        mode.longest_numerator = longest.numerator;
        mode.longest_denominator = longest.denominator;
        visit(context, &mode);
        found = true;
        if (interval.type != V4L2_FRMIVAL_TYPE_DISCRETE)
            break;
    }
    if (!found)
        visit(context, &mode);
}

static void visit_sizes(int device, uint32_t format, cdevices_mode_visitor visit, void *context)
{
    for (uint32_t index = 0; index < MOST_SIZES; index++) {
        struct v4l2_frmsizeenum size = {.index = index, .pixel_format = format};
        if (ask(device, VIDIOC_ENUM_FRAMESIZES, &size) < 0)
            return;
        struct cdevices_mode mode = {.format = format, .width_step = 1, .height_step = 1};
        if (size.type == V4L2_FRMSIZE_TYPE_DISCRETE) {
            mode.least_width = mode.most_width = size.discrete.width;
            mode.least_height = mode.most_height = size.discrete.height;
        } else {
            mode.least_width = size.stepwise.min_width;
            mode.most_width = size.stepwise.max_width;
            mode.width_step = size.stepwise.step_width;
            mode.least_height = size.stepwise.min_height;
            mode.most_height = size.stepwise.max_height;
            mode.height_step = size.stepwise.step_height;
        }
        visit_rates(device, mode, visit, context);
        if (size.type != V4L2_FRMSIZE_TYPE_DISCRETE)
            return;
    }
}

int32_t cdevices_camera(const char *path, char name[64], cdevices_mode_visitor visit, void *context)
{
    int device = open(path, O_RDWR | O_CLOEXEC | O_NONBLOCK);
    if (device < 0)
        return -errno;
    struct v4l2_capability capability = {0};
    int32_t result = 0;
    if (ask(device, VIDIOC_QUERYCAP, &capability) < 0) {
        result = errno == EINVAL ? -ENOTTY : -errno;
    } else {
        bool has_own = capability.capabilities & V4L2_CAP_DEVICE_CAPS;
        uint32_t can = has_own ? capability.device_caps : capability.capabilities;
        if (!(can & V4L2_CAP_VIDEO_CAPTURE) || !(can & V4L2_CAP_STREAMING))
            result = -ENODEV;
    }
    if (result == 0) {
        memcpy(name, capability.card, sizeof capability.card);
        name[sizeof capability.card] = 0;
        for (uint32_t index = 0; index < MOST_FORMATS; index++) {
            struct v4l2_fmtdesc format = {.index = index, .type = V4L2_BUF_TYPE_VIDEO_CAPTURE};
            if (ask(device, VIDIOC_ENUM_FMT, &format) < 0)
                break;
            visit_sizes(device, format.pixelformat, visit, context);
        }
    }
    close(device);
    return result;
}
