import CFFmpeg
import CPosix
import CWebP
import Hashing

/// The media libraries that this process runs with.
public enum MediaLibraries {
    /// Their versions, and a digest of the builds of everything that the process has loaded when
    /// this is asked first: encoders, the C library's mathematics and the text layout have no part
    /// in libav's versions, and decide bytes as well. Part of every cache key, so it is to be asked
    /// before a plugin is loaded.
    public static let versions = describe()

    private static func describe() -> String {
        let libraries: [(String, UInt32)] = [
            ("avcodec", avcodec_version()), ("avformat", avformat_version()), ("avutil", avutil_version()),
            ("swscale", swscale_version()), ("swresample", swresample_version()),
        ]
        let webp = [("webp", UInt32(WebPGetDecoderVersion())), ("webpdemux", UInt32(WebPGetDemuxVersion()))]
        let numbers = (libraries + webp).map { "\($0) \($1 >> 16).\($1 >> 8 & 255).\($1 & 255)" }
        return (numbers + ["builds \(builds().prefix(16))"]).joined(separator: ", ")
    }

    /// SHA-256 over the loaded libraries' build ids, in order of the ids.
    private static func builds() -> String {
        final class Found { var ids: [[UInt8]] = [] }
        let found = Found()
        cposix_visit_build_ids(
            { context, id, size in
                let found = Unmanaged<Found>.fromOpaque(context!).takeUnretainedValue()
                found.ids.append(Array(UnsafeBufferPointer(start: id, count: size)))
            }, Unmanaged.passUnretained(found).toOpaque())
        var hasher = SHA256()
        for id in found.ids.sorted(by: { $0.lexicographicallyPrecedes($1) }) { hasher.update(id) }
        return hasher.finish()
    }
}
