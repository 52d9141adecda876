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
}
