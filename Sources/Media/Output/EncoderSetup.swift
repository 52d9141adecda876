import CFFmpeg
import Delivery

/// How libavcodec is set up for a picture's encoding: the one place that decides its encoder, pixel
/// format, colour tags and options.
///
/// Whatever an encoder's output could depend on besides pictures and settings is switched off:
/// threads, thread pools, the processor count, open groups of pictures, version strings.
struct EncoderSetup {
    /// libavcodec's encoder.
    var name: String
    var pixelFormat = AV_PIX_FMT_YUV420P
    var colors = ColorTags.canvas
    /// libavcodec's own and the encoder's.
    var options: [String: String] = [:]
    /// The muxer of segments, which must know the codec: `mov` where `mp4` does not.
    var segmentFormat = "mp4"

    /// - Throws: `unsupported` for a preset, profile or quality that the codec does not have.
    init(_ encoding: VideoEncoding, path: String) throws(MediaError) {
        try Self.checkNames(encoding, path: path)
        name = encoding.codec.encoderName
        if encoding.color.isHDR { (pixelFormat, colors) = (AV_PIX_FMT_YUV420P10LE, .canvas(encoding.color)) }
        switch encoding.codec {
        case .h264: options = Self.x264(encoding)
        case .hevc: options = Self.x265(encoding)
        case .vp9: options = Self.vpx(encoding)
        case .av1: options = Self.svt(encoding)
        case .prores:
            pixelFormat = encoding.profile == "4444" ? AV_PIX_FMT_YUV444P10LE : AV_PIX_FMT_YUV422P10LE
            // What QuickTime's own writer calls itself; some readers ask for it.
            options = ["profile": encoding.profile, "vendor": "apl0"]
            segmentFormat = "mov"
        case .png:
            (pixelFormat, colors, segmentFormat) = (AV_PIX_FMT_RGB24, .screen, "mov")
            options = ["pred": "mixed"]
        case .jpeg:
            (pixelFormat, colors, segmentFormat) = (AV_PIX_FMT_YUVJ420P, .jfif, "mov")
            // libavcodec's qscale, which it counts in steps of FF_QP2LAMBDA.
            let scale = Int((encoding.quality ?? 2).rounded())
            options = [
                "flags": "+qscale", "global_quality": "\(scale * Int(FF_QP2LAMBDA))", "qmin": "\(scale)",
                "qmax": "\(scale)",
            ]
            options["huffman"] = "optimal"
        }
    }

    /// Encoders would print what they think of an unknown name, or take another.
    private static func checkNames(_ encoding: VideoEncoding, path: String) throws(MediaError) {
        let codec = encoding.codec
        guard codec.carries(encoding.color) else {
            throw MediaError(
                .unsupported, "encode", path: path, reason: "\(codec.rawValue) cannot carry \(encoding.color.name)")
        }
        let known = codec.profiles(for: encoding.color)
        let profiles = codec == .h264 ? known + ["high444"] : known
        for (name, value, known) in [
            ("preset", encoding.preset, codec.presets), ("profile", encoding.profile, profiles),
        ]
        where !known.contains(value) && !(known.isEmpty && value.isEmpty) {
            throw MediaError(
                .unsupported, "encode", path: path,
                reason: "‘\(value)’ is not a \(name) of \(codec.rawValue)"
                    + (known.isEmpty ? ", which has none" : "; it is one of \(known.joined(separator: ", "))"))
        }
        if let quality = encoding.quality, codec.quality?.range.contains(quality) != true {
            throw MediaError(.unsupported, "encode", path: path, reason: "\(codec.rawValue) has no quality \(quality)")
        }
    }

    private static func x264(_ encoding: VideoEncoding) -> [String: String] {
        let scenes = encoding.hasExactKeyFrames == true ? ":scenecut=0" : ""
        return [
            "preset": encoding.preset, "profile": encoding.profile, "x264-params": "stitchable=1:open-gop=0" + scenes,
            "crf": "\(encoding.quality ?? 0)",
        ]
    }

    private static func x265(_ encoding: VideoEncoding) -> [String: String] {
        var parameters = [
            // Its log would go past libav's, to the worker's terminal.
            "log-level=none", "info=0", "pools=none", "frame-threads=1", "wpp=0", "open-gop=0", "opt-qp-pps=0",
            "opt-ref-list-length-pps=0",
        ]
        if encoding.quality == 0 { parameters.append("lossless=1") }
        if encoding.hasExactKeyFrames == true { parameters.append("scenecut=0") }
        return [
            "preset": encoding.preset, "profile": encoding.profile, "crf": "\(encoding.quality ?? 0)",
            "x265-params": parameters.joined(separator: ":"),
        ]
    }

    private static func vpx(_ encoding: VideoEncoding) -> [String: String] {
        // Its slower speeds are 0 … 5; the rest is for live pictures and has no look-ahead.
        let speed = [
            "ultrafast": 5, "superfast": 5, "veryfast": 4, "faster": 3, "fast": 2, "medium": 2, "slow": 1, "slower": 1,
            "veryslow": 0,
        ]
        // With a rate beside it, the quality is a ceiling of its own (libvpx's constrained
        // quality).
        return [
            "crf": "\(Int((encoding.quality ?? 0).rounded()))", "b": "\(encoding.maximumBitRate ?? 0)",
            "lossless": encoding.quality == 0 ? "1" : "0",
            "deadline": "good", "cpu-used": "\(speed[encoding.preset] ?? 4)", "row-mt": "0", "lag-in-frames": "25",
            "auto-alt-ref": "1",
        ]
    }

    private static func svt(_ encoding: VideoEncoding) -> [String: String] {
        let speed = [
            "ultrafast": 12, "superfast": 11, "veryfast": 10, "faster": 9, "fast": 8, "medium": 7, "slow": 6,
            "slower": 5,
            "veryslow": 4,
        ]
        return [
            "preset": "\(speed[encoding.preset] ?? 10)", "crf": "\(Int((encoding.quality ?? 32).rounded()))",
            "svtav1-params": "lp=1",
        ]
    }
}

extension VideoEncoding {
    /// Sets what is not an option by name.
    func apply(to context: UnsafeMutablePointer<AVCodecContext>) {
        context.pointee.gop_size = Int32(clamping: keyFrameInterval)
        // libvpx places key frames itself unless both bounds are equal.
        if hasExactKeyFrames == true, codec == .vp9 { context.pointee.keyint_min = Int32(clamping: keyFrameInterval) }
        // libx264's and libx265's VBV, SVT-AV1's capped quality (mbr).
        if let maximumBitRate {
            context.pointee.rc_max_rate = Int64(maximumBitRate)
            context.pointee.rc_buffer_size = Int32(clamping: maximumBitRate)
        }
    }
}
