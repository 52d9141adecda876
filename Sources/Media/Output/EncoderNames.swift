import CFFmpeg
import Delivery

extension VideoCodec {
    /// libavcodec's encoder.
    var encoderName: String {
        switch self {
        case .h264: "libx264"
        case .hevc: "libx265"
        case .vp9: "libvpx-vp9"
        case .av1: "libsvtav1"
        case .prores: "prores_ks"
        case .png: "png"
        case .jpeg: "mjpeg"
        }
    }
}

extension AudioCodec {
    /// libavcodec's encoder.
    var encoderName: String {
        switch self {
        case .aac: "aac"
        case .opus: "libopus"
        case .mp3: "libmp3lame"
        case .flac: "flac"
        case .pcm_s16: "pcm_s16le"
        case .pcm_s24: "pcm_s24le"
        }
    }
}

/// What the installed media libraries can encode.
public enum Encoders {
    /// Codecs of Cutroom's that they cannot, by name, each with what is missing and what to do: the
    /// second half of a sentence.
    public static var missing: [String: String] {
        missing { avcodec_find_encoder_by_name($0) != nil }
    }

    static func missing(where isThere: (String) -> Bool) -> [String: String] {
        let all =
            VideoCodec.allCases.map { ($0.rawValue, $0.encoderName) }
            + AudioCodec.allCases.map { ($0.rawValue, $0.encoderName) }
        var result: [String: String] = [:]
        for (codec, encoder) in all where !isThere(encoder) { result[codec] = explanation(codec, encoder) }
        return result
    }

    private static func explanation(_ codec: String, _ encoder: String) -> String {
        // libavcodec's own encoders are in every build that was not cut down.
        let remedy =
            encoder.hasPrefix("lib")
            ? "install an FFmpeg that was built with ‘--enable-\(encoder.replacing("-vp9", with: ""))’ (Debian's libavcodec59 was)"
            : "install a complete build of FFmpeg (Debian: libavcodec59)"
        return "\(codec) needs FFmpeg's encoder ‘\(encoder)’, which the installed libavcodec does not have; \(remedy), "
            + "or choose another codec"
    }
}
