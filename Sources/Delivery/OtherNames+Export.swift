import Values

extension OtherNames {
    /// Kinds of file that are not written, by the one that does what they would have done.
    public static let containers = OtherNames([
        "mp4":
            "avi m4v mpg mpeg wmv flv f4v 3gp 3g2 ts m2ts mts vob asf divx h264 264 avc hevc h265 265 mpe qt4",
        "mov": "mxf qt quicktime", "webm": "ogv ivf av1 vp9 vp8", "mkv": "mka mk3d matroska",
        "opus": "ogg oga ogx spx", "m4a": "aac m4b m4r wma alac ac3 eac3 amr",
        "wav": "aif aiff aifc au caf pcm raw w64 wave", "mp3": "mp2", "flac": "ape wv tta", "gif": "apng mng",
        "png": "tif tiff bmp webp tga exr dpx ppm", "jpg": "jpe jpeg jfif jp2 heic avif",
    ])

    package static let codecs = OtherNames([
        "h264": "avc x264 libx264 264", "hevc": "x265 libx265 265", "vp9": "libvpx libvpx_vp9",
        "av1": "libaom svtav1 libsvtav1 aom",
        "prores": "prores_ks", "aac": "mp4a m4a", "mp3": "libmp3lame lame", "opus": "libopus",
        "pcm_s16": "wav pcm_s16le",
        "pcm_s24": "pcm_s24le",
    ])

    package static let export = ExportSettings.options.otherNames(
        saying: [
            "it belongs in ‘video’: video = { … }":
                "codec vcodec quality bit_rate bitrate preset profile key_frame_interval",
            "it is the ‘quality’ in ‘video’: video = { quality = … }": "crf qp cq cqp q qscale",
            "it belongs in ‘audio’: audio = { … }": "audio_codec acodec channels sample_rate",
            "it is the draft's: draft.size, draft.fps": "size resolution width height fps frame_rate",
        ])
    package static let exportedPicture = ExportSettings.Video.options.otherNames(
        saying: ["it is the draft's: draft.size, draft.fps": "size resolution width height fps frame_rate framerate"])
    package static let presets = OtherNames(["ultrafast": "fastest quickest draft", "veryslow": "slowest best placebo"])
    package static let exportedSound = ExportSettings.Audio.options.otherNames()
}
