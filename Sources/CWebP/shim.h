/* libwebp's decoder of animations, which FFmpeg 5.1 does not have. */
#ifndef CUTROOM_CWEBP_SHIM_H
#define CUTROOM_CWEBP_SHIM_H

#include <webp/decode.h>
#include <webp/demux.h>

#endif
