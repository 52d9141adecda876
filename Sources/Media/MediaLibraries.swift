import CFFmpeg
import CWebP

/// The media libraries that this process runs with.
public enum MediaLibraries {
    /// Their versions, which may change what is decoded and encoded: part of every cache key.
    public static var versions: String {
        let libraries: [(String, UInt32)] = [
            ("avcodec", avcodec_version()), ("avformat", avformat_version()), ("avutil", avutil_version()),
            ("swscale", swscale_version()), ("swresample", swresample_version()),
        ]
        let webp = [("webp", UInt32(WebPGetDecoderVersion())), ("webpdemux", UInt32(WebPGetDemuxVersion()))]
        return (libraries + webp).map { "\($0) \($1 >> 16).\($1 >> 8 & 255).\($1 & 255)" }.joined(separator: ", ")
    }
}
