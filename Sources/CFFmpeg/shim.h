/* FFmpeg 5.1, as far as Media uses it, and what Swift's importer cannot see of it: function-like
 * macros, and constants that are built with them. A name here is the macro's own with the prefix
 * `cutroom_`. */
#ifndef CUTROOM_CFFMPEG_SHIM_H
#define CUTROOM_CFFMPEG_SHIM_H

#include <libavcodec/avcodec.h>
#include <libavcodec/bsf.h>
#include <libavformat/avformat.h>
#include <libavutil/avutil.h>
#include <libavutil/channel_layout.h>
#include <libavutil/display.h>
#include <libavutil/imgutils.h>
#include <libavutil/log.h>
#include <libavutil/mastering_display_metadata.h>
#include <libavutil/mathematics.h>
#include <libavutil/opt.h>
#include <libavutil/pixdesc.h>
#include <libswresample/swresample.h>
#include <libswscale/swscale.h>

static const int cutroom_AVERROR_EAGAIN = AVERROR(EAGAIN);
static const int cutroom_AVERROR_EINVAL = AVERROR(EINVAL);
static const int cutroom_AVERROR_EIO = AVERROR(EIO);
static const int cutroom_AVERROR_ENOMEM = AVERROR(ENOMEM);
static const int cutroom_AVERROR_ENOSPC = AVERROR(ENOSPC);
static const int cutroom_AVERROR_EDQUOT = AVERROR(EDQUOT);
static const int cutroom_AVERROR_EFBIG = AVERROR(EFBIG);
static const int cutroom_AVERROR_ENOENT = AVERROR(ENOENT);
static const int cutroom_AVERROR_EACCES = AVERROR(EACCES);
static const int cutroom_AVERROR_EISDIR = AVERROR(EISDIR);
static const int cutroom_AVERROR_EPERM = AVERROR(EPERM);
static const int cutroom_AVERROR_EOF = AVERROR_EOF;
static const int cutroom_AVERROR_EXIT = AVERROR_EXIT;
static const int cutroom_AVERROR_INVALIDDATA = AVERROR_INVALIDDATA;

static const int cutroom_AV_FRAME_FLAG_CORRUPT = AV_FRAME_FLAG_CORRUPT;

static const int64_t cutroom_AV_NOPTS_VALUE = AV_NOPTS_VALUE;

#endif
