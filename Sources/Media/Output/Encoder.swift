import CFFmpeg
import Glibc

/// Owns an `AVCodecContext` for encoding, with one thread: more than one changes what encoders
/// write.
final class Encoder {
    let context: UnsafeMutablePointer<AVCodecContext>
    private let path: String
    private let packet: Packet

    /// - Parameter name: libavcodec's encoder: `libx264`, `aac`.
    /// - Parameter configure: sets the context's fields before it is opened.
    init(
        _ name: String, path: String, options: [String: String],
        configure: (UnsafeMutablePointer<AVCodecContext>) -> Void
    ) throws(MediaError) {
        LibavLog.install()
        guard let codec = avcodec_find_encoder_by_name(name) else {
            throw MediaError(
                .unsupported, "encode", path: path,
                reason: "the installed libavcodec has no encoder ‘\(name)’; install an FFmpeg that has")
        }
        guard let context = avcodec_alloc_context3(codec) else { throw .outOfMemory("encode", path: path) }
        self.context = context
        self.path = path
        packet = try Packet()
        context.pointee.thread_count = 1
        // The container holds the parameter sets; no version strings in the stream.
        context.pointee.flags |= AV_CODEC_FLAG_GLOBAL_HEADER | AV_CODEC_FLAG_BITEXACT
        configure(context)
        var dictionary: OpaquePointer?
        defer { av_dict_free(&dictionary) }
        for (key, value) in options { av_dict_set(&dictionary, key, value, 0) }
        try check(
            Self.keepingPriority { avcodec_open2(context, codec, &dictionary) }, "encode", path: path, .unsupported)
        if let unused = av_dict_get(dictionary, "", nil, AV_DICT_IGNORE_SUFFIX) {
            throw MediaError(
                .encode, "encode", path: path,
                reason: "the encoder ‘\(name)’ does not know the option ‘\(String(cString: unused.pointee.key))’")
        }
    }

    /// SVT-AV1 gives the thread that opens it real-time priority where it runs as root; threads
    /// made later would inherit that.
    private static func keepingPriority(_ open: () -> Int32) -> Int32 {
        var policy: Int32 = 0
        var parameters = sched_param()
        let isKnown = pthread_getschedparam(pthread_self(), &policy, &parameters) == 0
        defer { if isKnown { pthread_setschedparam(pthread_self(), policy, &parameters) } }
        return open()
    }

    deinit {
        var context: UnsafeMutablePointer<AVCodecContext>? = context
        avcodec_free_context(&context)
    }

    /// Encodes a frame, or what is left (nil), and hands every finished packet to `write`, which
    /// may empty it.
    func encode(_ frame: Frame?, _ write: (Packet) throws(MediaError) -> Void) throws(MediaError) {
        try check(avcodec_send_frame(context, frame?.raw), "encode", path: path, .encode)
        while true {
            let result = avcodec_receive_packet(context, packet.raw)
            if result == cutroom_AVERROR_EAGAIN || result == cutroom_AVERROR_EOF { return }
            try check(result, "encode", path: path, .encode)
            try write(packet)
        }
    }
}
