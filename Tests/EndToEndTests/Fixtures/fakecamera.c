/* A camera for tests, which is loaded before the C library: /dev/video9 is a V4L2 device that
 * delivers numbered pictures. The rest of the system stays as it is.
 *
 * Each picture carries its number: ten bars over the upper half, white for one, the lowest bit on
 * the left. MJPEG pictures are those of the file $FAKE_CAMERA_JPEG, one after the other, and again
 * from the first.
 *
 * $FAKE_CAMERA_FAULT is one of
 *   gone      the device is unplugged after 45 pictures
 *   busy      another program has it open
 *   taken     another program records from it
 *   locked    it may not be opened
 *   stall     no picture comes after 45
 *   silent    it never answers
 *   broken    the first picture is cut off
 *   resize    the driver takes 320x240 whatever is asked
 *   none      there is none
 * $FAKE_CAMERA_HUNG: /dev/video8 is there as well, and never opens.
 * $FAKE_CAMERA_WALL: pictures have the time of day, not the monotonic one.
 * $FAKE_CAMERA_LATENCY: microseconds from the moment of a picture to its delivery.
 * $FAKE_CAMERA_LOG: a file that gets a line for each picture: its number and its monotonic time. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/videodev2.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#define SHOWN __attribute__((visibility("default")))

enum { BUFFERS = 4, ROOM = 1 << 22, PICTURES = 45 };

static const char PATH[] = "/dev/video9", HUNG[] = "/dev/video8";
static int camera = -1;
static uint8_t *memory;
static uint32_t format = V4L2_PIX_FMT_YUYV, width = 640, height = 480;
static struct v4l2_fract period = {1, 30};
static uint32_t queue[BUFFERS], queued, number;
static int64_t start; /* nanoseconds */
static uint8_t *jpeg;
static size_t jpeg_size;

static bool has_fault(const char *name)
{
    const char *fault = getenv("FAKE_CAMERA_FAULT");
    return fault && strcmp(fault, name) == 0;
}

static int failed(int code)
{
    errno = code;
    return -1;
}

static int64_t now(clockid_t clock)
{
    struct timespec time;
    clock_gettime(clock, &time);
    return time.tv_sec * 1000000000LL + time.tv_nsec;
}

/* What the camera can do. MJPEG has a size of its own. */
static const struct {
    uint32_t format, width, height;
    uint32_t rates[3];
} modes[] = {
    {V4L2_PIX_FMT_YUYV, 640, 480, {30, 15}},
    {V4L2_PIX_FMT_YUYV, 320, 240, {60, 30, 15}},
    {V4L2_PIX_FMT_YUYV, 1280, 720, {5}},
    {V4L2_PIX_FMT_MJPEG, 640, 480, {30}},
    {V4L2_PIX_FMT_MJPEG, 1280, 720, {30, 15}},
};
enum { MODES = sizeof modes / sizeof *modes };

static int find_size(struct v4l2_frmsizeenum *size)
{
    uint32_t index = size->index;
    for (int mode = 0; mode < MODES; mode++)
        if (modes[mode].format == size->pixel_format && index-- == 0) {
            size->type = V4L2_FRMSIZE_TYPE_DISCRETE;
            size->discrete.width = modes[mode].width;
            size->discrete.height = modes[mode].height;
            return 0;
        }
    return failed(EINVAL);
}

static int find_rate(struct v4l2_frmivalenum *rate)
{
    for (int mode = 0; mode < MODES; mode++)
        if (modes[mode].format == rate->pixel_format && modes[mode].width == rate->width
            && modes[mode].height == rate->height) {
            if (rate->index > 2 || modes[mode].rates[rate->index] == 0)
                return failed(EINVAL);
            rate->type = V4L2_FRMIVAL_TYPE_DISCRETE;
            rate->discrete = (struct v4l2_fract){1, modes[mode].rates[rate->index]};
            return 0;
        }
    return failed(EINVAL);
}

/* Takes the nearest size of the format, as drivers do. */
static int set_format(struct v4l2_format *wanted)
{
    if (has_fault("taken"))
        return failed(EBUSY);
    struct v4l2_pix_format *pixels = &wanted->fmt.pix;
    int best = -1;
    int64_t least = INT64_MAX;
    for (int mode = 0; mode < MODES; mode++) {
        int64_t dx = (int64_t)modes[mode].width - pixels->width, dy = (int64_t)modes[mode].height - pixels->height;
        if (modes[mode].format == pixels->pixelformat && dx * dx + dy * dy < least)
            best = mode, least = dx * dx + dy * dy;
    }
    if (best < 0)
        return failed(EINVAL);
    format = pixels->pixelformat;
    width = has_fault("resize") ? 320 : modes[best].width;
    height = has_fault("resize") ? 240 : modes[best].height;
    pixels->width = width;
    pixels->height = height;
    pixels->field = V4L2_FIELD_NONE;
    pixels->bytesperline = 2 * width;
    pixels->sizeimage = ROOM;
    return 0;
}

static uint32_t draw(uint8_t *target)
{
    if (format == V4L2_PIX_FMT_MJPEG) {
        /* A JPEG picture begins with FF D8 FF. */
        size_t begin = 0, end = jpeg_size;
        uint32_t found = 0, wanted = number;
        for (int round = 0; round < 2 && found <= wanted; round++) {
            for (size_t place = 0; place + 2 < jpeg_size; place++) {
                if (jpeg[place] != 0xff || jpeg[place + 1] != 0xd8 || jpeg[place + 2] != 0xff)
                    continue;
                if (found == wanted)
                    begin = place;
                if (found++ == wanted + 1) {
                    end = place;
                    break;
                }
            }
            if (found > 0 && found <= wanted)
                wanted %= found, found = 0;
        }
        memcpy(target, jpeg + begin, end - begin);
        return (uint32_t)(end - begin);
    }
    for (uint32_t row = 0; row < height; row++)
        for (uint32_t column = 0; column < width; column++) {
            bool is_white = row < height / 2 && (number >> (column * 10 / width) & 1);
            target[2 * (row * width + column)] = is_white ? 235 : 16;
            target[2 * (row * width + column) + 1] = 128;
        }
    return 2 * width * height;
}

static void rest_until(int64_t moment)
{
    struct timespec time = {moment / 1000000000, moment % 1000000000};
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &time, NULL) == EINTR)
        ;
}

static int take(struct v4l2_buffer *buffer)
{
    if (number == PICTURES && has_fault("gone"))
        return failed(ENODEV);
    while (number == PICTURES && has_fault("stall"))
        pause();
    if (queued == 0)
        return failed(EIO);
    int64_t length = 1000000000LL * period.numerator / period.denominator;
    int64_t moment = start + number * length;
    const char *latency = getenv("FAKE_CAMERA_LATENCY");
    rest_until(moment + (latency ? atoll(latency) * 1000 : 0));
    uint32_t index = queue[0];
    memmove(queue, queue + 1, --queued * sizeof *queue);
    buffer->index = index;
    buffer->bytesused = draw(memory + (size_t)index * ROOM);
    if (number == 0 && has_fault("broken"))
        buffer->bytesused /= 2;
    buffer->sequence = number;
    int64_t stated = moment + (getenv("FAKE_CAMERA_WALL") ? now(CLOCK_REALTIME) - now(CLOCK_MONOTONIC) : 0);
    buffer->timestamp.tv_sec = stated / 1000000000;
    buffer->timestamp.tv_usec = stated % 1000000000 / 1000;
    buffer->flags = V4L2_BUF_FLAG_TIMESTAMP_MONOTONIC;
    if (getenv("FAKE_CAMERA_LOG")) {
        FILE *log = fopen(getenv("FAKE_CAMERA_LOG"), "a");
        if (log) {
            fprintf(log, "%u %lld\n", number, (long long)moment);
            fclose(log);
        }
    }
    number++;
    return 0;
}

static int answer(unsigned long request, void *argument)
{
    while (has_fault("silent"))
        pause();
    switch (request) {
    case VIDIOC_QUERYCAP: {
        struct v4l2_capability *found = argument;
        memset(found, 0, sizeof *found);
        strcpy((char *)found->driver, "fake");
        strcpy((char *)found->card, "Fake Camera");
        found->device_caps = V4L2_CAP_VIDEO_CAPTURE | V4L2_CAP_STREAMING;
        found->capabilities = found->device_caps | V4L2_CAP_DEVICE_CAPS;
        return 0;
    }
    case VIDIOC_ENUM_FMT: {
        struct v4l2_fmtdesc *found = argument;
        if (found->index > 1)
            return failed(EINVAL);
        found->pixelformat = found->index == 0 ? V4L2_PIX_FMT_YUYV : V4L2_PIX_FMT_MJPEG;
        found->flags = found->index == 0 ? 0 : V4L2_FMT_FLAG_COMPRESSED;
        return 0;
    }
    case VIDIOC_ENUM_FRAMESIZES: return find_size(argument);
    case VIDIOC_ENUM_FRAMEINTERVALS: return find_rate(argument);
    case VIDIOC_G_INPUT: *(int *)argument = 0; return 0;
    case VIDIOC_ENUMINPUT: return 0;
    case VIDIOC_S_FMT: return set_format(argument);
    case VIDIOC_G_FMT: {
        struct v4l2_pix_format *pixels = &((struct v4l2_format *)argument)->fmt.pix;
        pixels->width = width;
        pixels->height = height;
        pixels->pixelformat = format;
        return 0;
    }
    case VIDIOC_S_PARM: period = ((struct v4l2_streamparm *)argument)->parm.capture.timeperframe; /* fallthrough */
    case VIDIOC_G_PARM: {
        struct v4l2_captureparm *found = &((struct v4l2_streamparm *)argument)->parm.capture;
        found->capability = V4L2_CAP_TIMEPERFRAME;
        found->timeperframe = period;
        return 0;
    }
    case VIDIOC_REQBUFS: ((struct v4l2_requestbuffers *)argument)->count = BUFFERS; return 0;
    case VIDIOC_QUERYBUF: {
        struct v4l2_buffer *buffer = argument;
        buffer->length = ROOM;
        buffer->m.offset = buffer->index * (uint32_t)ROOM;
        return 0;
    }
    case VIDIOC_QBUF:
        if (queued == BUFFERS)
            return failed(EINVAL);
        queue[queued++] = ((struct v4l2_buffer *)argument)->index;
        return 0;
    case VIDIOC_STREAMON:
        start = now(CLOCK_MONOTONIC);
        number = 0;
        return 0;
    case VIDIOC_STREAMOFF: queued = 0; return 0;
    case VIDIOC_DQBUF: return take(argument);
    default: return failed(ENOTTY);
    }
}

static bool is_fake(const char *path)
{
    return strcmp(path, PATH) == 0 || (strcmp(path, HUNG) == 0 && getenv("FAKE_CAMERA_HUNG"));
}

static int open_camera(const char *path)
{
    while (strcmp(path, HUNG) == 0)
        pause();
    if (has_fault("none"))
        return failed(ENOENT);
    if (has_fault("busy"))
        return failed(EBUSY);
    if (has_fault("locked"))
        return failed(EACCES);
    int made = memfd_create("camera", MFD_CLOEXEC);
    if (made < 0 || ftruncate(made, (off_t)BUFFERS * ROOM) != 0)
        return -1;
    memory = mmap(NULL, (size_t)BUFFERS * ROOM, PROT_READ | PROT_WRITE, MAP_SHARED, made, 0);
    const char *pictures = getenv("FAKE_CAMERA_JPEG");
    FILE *file = pictures ? fopen(pictures, "rb") : NULL;
    if (file) {
        fseek(file, 0, SEEK_END);
        jpeg_size = (size_t)ftell(file);
        rewind(file);
        jpeg = malloc(jpeg_size);
        if (!jpeg || fread(jpeg, 1, jpeg_size, file) != jpeg_size)
            abort();
        fclose(file);
    }
    camera = made;
    queued = 0;
    return made;
}

/* The C library's function of this name. ISO C has no conversion from a pointer to an object. */
#define NEXT(name)                             \
    static __typeof__(name) *next;             \
    if (!next) {                               \
        void *found = dlsym(RTLD_NEXT, #name); \
        memcpy(&next, &found, sizeof next);    \
    }

SHOWN int open(const char *path, int flags, ...)
{
    NEXT(open)
    va_list more;
    va_start(more, flags);
    mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(more, mode_t) : 0;
    va_end(more);
    return is_fake(path) ? open_camera(path) : next(path, flags, mode);
}

SHOWN int open64(const char *path, int flags, ...)
{
    NEXT(open64)
    va_list more;
    va_start(more, flags);
    mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(more, mode_t) : 0;
    va_end(more);
    return is_fake(path) ? open_camera(path) : next(path, flags, mode);
}

SHOWN int access(const char *path, int mode)
{
    NEXT(access)
    if (is_fake(path))
        return has_fault("none") ? failed(ENOENT) : 0;
    return next(path, mode);
}

SHOWN int ioctl(int descriptor, unsigned long request, ...)
{
    NEXT(ioctl)
    va_list more;
    va_start(more, request);
    void *argument = va_arg(more, void *);
    va_end(more);
    if (camera >= 0 && descriptor == camera)
        return answer(request & 0xffffffff, argument);
    return next(descriptor, request, argument);
}

SHOWN int close(int descriptor)
{
    NEXT(close)
    if (descriptor == camera && camera >= 0) {
        camera = -1;
        munmap(memory, (size_t)BUFFERS * ROOM);
    }
    return next(descriptor);
}
