/* What shipped plugins that read media have alike: hostile files get no other files, no endless
 * memory. */
#ifndef KIT_LIBAV_INPUT_H
#define KIT_LIBAV_INPUT_H

#include <libavformat/avformat.h>
#include <libavutil/mem.h>

/* Containers in one piece, by libavformat's names. */
#define KIT_CONTAINERS \
    "mov,mp4,m4a,3gp,3g2,mj2,matroska,webm,avi,mpegts,mpeg,mpegvideo,flv,ogg,asf,mxf,nut,ivf,h264,hevc,m4v,obu,dv,gxf,rm,wtv,yuv4mpegpipe,gif,apng"
#define KIT_SOUND_CONTAINERS KIT_CONTAINERS ",wav,w64,aiff,caf,mp3,aac,flac,ac3,eac3,dts,amr,au,tta,wv,ape"

/* The largest picture that is decoded: 16384×8192, as everywhere in Cutroom. */
#define KIT_MOST_PIXELS "134217728"

/* For AVFormatContext.io_open: a file that leads to others (a playlist) does not get them. */
static inline int kit_refuse_others(AVFormatContext *format, AVIOContext **io, const char *url, int flags, AVDictionary **options) {
    return (void)format, (void)io, (void)url, (void)flags, (void)options, AVERROR(EPERM);
}

/* avformat_open_input on a context that has its input, for `containers` only. */
static inline int kit_open_input(AVFormatContext **format, const char *containers) {
    AVDictionary *options = NULL;
    av_dict_set(&options, "format_whitelist", containers, 0);
    const int status = avformat_open_input(format, NULL, NULL, &options);
    av_dict_free(&options);
    return status;
}

/* avformat_find_stream_info, whose own decoders keep to KIT_MOST_PIXELS too. */
static inline int kit_find_streams(AVFormatContext *format) {
    const unsigned count = format->nb_streams;
    AVDictionary **options = av_calloc(count ? count : 1, sizeof *options);
    if (!options) return AVERROR(ENOMEM);
    for (unsigned i = 0; i < count; i++) av_dict_set(&options[i], "max_pixels", KIT_MOST_PIXELS, 0);
    const int status = avformat_find_stream_info(format, options);
    for (unsigned i = 0; i < count; i++) av_dict_free(&options[i]);
    av_free(options);
    return status;
}

#endif
