/* Pictures for OpenCV, and sentences for the host. */
#include "vision.h"

cv::Mat vision::luma(const cutroom_frame &frame) {
    cv::Mat gray(frame.height, frame.width, CV_8U);
    for (int y = 0; y < frame.height; y++) {
        const uint8_t *from = frame.plane[0] + y * frame.stride[0];
        uint8_t *to = gray.ptr(y);
        if (frame.format == CUTROOM_FORMAT_YUV420P8) {
            memcpy(to, from, (size_t)frame.width);
            continue;
        }
        /* BT.709's weights with 16 bits of fraction. */
        for (int x = 0; x < frame.width; x++, from += 4) to[x] = (uint8_t)((13933 * from[0] + 46871 * from[1] + 4732 * from[2] + 32768) >> 16);
    }
    return gray;
}

cutroom_status vision::fail(const cutroom_host *host, void *handle, cutroom_status status, const char *why) {
    host->error(host->context, handle, why);
    return status;
}
