import CFFmpeg

/// Which containers are read, and what to say of a file that is none of them.
enum Formats {
    /// libavformat's demuxers for files of one piece. Left out are those that lead to other files
    /// or devices (playlists, `concat`, `image2`, capture), and text.
    static let whitelist = [
        "mov,mp4,m4a,3gp,3g2,mj2", "matroska,webm", "avi", "mpegts", "mpeg", "mpegvideo", "flv", "ogg", "asf", "mxf",
        "nut", "ivf", "h264", "hevc", "m4v", "obu", "av1", "dv", "gxf", "rm", "wtv", "y4m", "yuv4mpegpipe",
        "mp3", "aac", "wav", "w64", "rf64", "aiff", "au", "caf", "flac", "ac3", "eac3", "dts", "amr", "amrnb", "amrwb",
        "ape", "wv", "tta", "tak", "mpc", "mpc8", "gif", "apng",
        "png_pipe", "jpeg_pipe", "jpegls_pipe", "webp_pipe", "bmp_pipe", "tiff_pipe", "pam_pipe", "pbm_pipe",
        "pgm_pipe",
        "ppm_pipe", "qoi_pipe", "sgi_pipe", "exr_pipe", "dpx_pipe", "psd_pipe", "j2k_pipe", "jpegxl_pipe",
        "sunrast_pipe", "pcx_pipe", "dds_pipe", "hdr_pipe",
    ].joined(separator: ",")

    /// True for the demuxers that read one still picture.
    static func isStill(_ name: String) -> Bool { name.hasSuffix("_pipe") && name != "yuv4mpegpipe" }

    /// What opening `file` failed with, told by its first bytes.
    static func openError(_ result: Int32, file: InputFile) -> MediaError {
        let head = (try? file.bytes(at: 0, count: 4096)) ?? []
        if let refusal = unreadImage(file) { return refusal }
        if head.dropFirst(4).starts(with: Array("ftyp".utf8)) {
            return MediaError(
                .truncated, "read", path: file.path,
                reason: "it is an MP4 or QuickTime file without its index; the recording or the download was cut off",
                libav: result)
        }
        if isText(head), String(decoding: head, as: UTF8.self).contains("<svg") {
            return MediaError(
                .unsupported, "read", path: file.path,
                reason: "it is an SVG, which has shapes and no pixels; export it as a PNG of the size that you need",
                libav: result)
        }
        if isText(head) {
            return MediaError(
                .notMedia, "read", path: file.path,
                reason: "it holds text, and no video, sound, picture or subtitles, whatever its name says",
                libav: result)
        }
        return .libav(
            result, "read", path: file.path, fallback: .notMedia,
            reason: "it is not a video, sound or picture file of a known format, or its beginning is damaged")
    }

    /// An AVIF image, which libav reads as an MP4 with one frame.
    static func isAVIF(_ file: InputFile) -> Bool {
        (try? file.bytes(at: 4, count: 8))?.elementsEqual("ftypavif".utf8) ?? false
    }

    /// HEIC and the AVIF of several parts, which look like MP4 and which libav reads only from
    /// version 7 on.
    static func unreadImage(_ file: InputFile) -> MediaError? {
        let head = (try? file.bytes(at: 0, count: 12)) ?? []
        guard head.count == 12, head[4..<8].elementsEqual("ftyp".utf8) else { return nil }
        let brands = [
            "avif": "AVIF", "avis": "AVIF", "heic": "HEIC", "heix": "HEIC", "heim": "HEIC", "heis": "HEIC",
            "mif1": "HEIC",
            "msf1": "HEIC",
        ]
        guard let name = brands[String(decoding: head[8..<12], as: UTF8.self)] else { return nil }
        return MediaError(
            .unsupported, "read", path: file.path,
            reason: "\(name) images are not known to this version of FFmpeg; convert it to JPEG, PNG or WebP")
    }

    private static func isText(_ bytes: [UInt8]) -> Bool {
        !bytes.contains { $0 < 9 || ($0 > 13 && $0 < 32 && $0 != 27) || $0 == 127 }
            && String(validating: bytes.dropLast(4), as: UTF8.self) != nil
    }
}
