import CFFmpeg

/// Owns an `AVCodecContext` for decoding, with one thread: workers are parallel across segments,
/// and threads inside one would multiply the frames held in memory.
final class Decoder {
    let context: UnsafeMutablePointer<AVCodecContext>
    private let path: String
    private var hasComplained = false
    /// It has logged an error, harmless or not.
    private(set) var isSpoiled = false
    /// The decoder conceals without marking its frames: what it logs counts, too.
    private let logsDamage: Bool
    private let isPNG: Bool

    /// Pictures larger than this are refused: 128 megapixels, 16384×8192.
    static let pixelLimit: Int64 = 16_384 * 8_192

    /// No side of a picture may be longer: libswscale 6 reads beyond its rows or refuses to scale
    /// where one is.
    private static let sideLimit = 32767

    /// - Throws: `unsupported` for a picture with a side that is too long, or with too many pixels.
    static func checkSize(_ width: Int, _ height: Int, path: String) throws(MediaError) {
        let rule: String
        if max(width, height) > sideLimit {
            rule = "neither side may be longer than \(sideLimit)"
        } else if Int64(width) * Int64(height) > pixelLimit {
            rule = "it may have \(pixelLimit >> 20) megapixels"
        } else {
            return
        }
        throw MediaError(
            .unsupported, "read", path: path,
            reason: "its picture is \(width)×\(height) pixels, and \(rule); make it smaller")
    }

    init(_ stream: Demuxer.Stream, path: String) throws(MediaError) {
        guard let context = avcodec_alloc_context3(stream.decoder) else { throw .outOfMemory("decode", path: path) }
        self.context = context
        self.path = path
        logsDamage = Self.logsDamage(stream.parameters.pointee)
        isPNG = PNGChunks.areIn(stream.parameters.pointee.codec_id)
        // Everything is initialised: what is thrown from here on runs `deinit`.
        let parameters = stream.parameters.pointee
        try Self.checkSize(Int(parameters.width), Int(parameters.height), path: path)
        try check(avcodec_parameters_to_context(context, stream.parameters), "decode", path: path, .decode)
        context.pointee.thread_count = 1
        context.pointee.pkt_timebase = stream.timeBase
        context.pointee.max_pixels = Self.pixelLimit
        // Checksums in the stream are compared, and a wrong one is reported; it changes nothing in
        // what is decoded. With other codecs it would.
        let checked: [AVCodecID] = [
            AV_CODEC_ID_HEVC, AV_CODEC_ID_MP2, AV_CODEC_ID_FLAC, AV_CODEC_ID_AC3, AV_CODEC_ID_EAC3,
        ]
        if checked.contains(stream.parameters.pointee.codec_id) {
            context.pointee.err_recognition |= AV_EF_CRCCHECK
        }
        var options: OpaquePointer?
        defer { av_dict_free(&options) }
        // The noise that fills empty bands is then drawn from the packet itself, not from all
        // packets before it.
        if [AV_CODEC_ID_AC3, AV_CODEC_ID_EAC3].contains(stream.parameters.pointee.codec_id) {
            av_dict_set(&options, "cons_noisegen", "1", 0)
        }
        // OpenEXR holds linear light; everything after the decoder wants it as it is displayed.
        if stream.parameters.pointee.codec_id == AV_CODEC_ID_EXR {
            av_dict_set(&options, "apply_trc", "iec61966_2_1", 0)
        }
        try check(avcodec_open2(context, stream.decoder, &options), "decode", path: path, .unsupported)
    }

    deinit {
        var context: UnsafeMutablePointer<AVCodecContext>? = context
        avcodec_free_context(&context)
    }

    /// Whether the decoder found damage in what it was fed since the last call: it refused a
    /// packet, or logged an error and concealed what it lacked.
    func takeComplaint() -> Bool {
        defer { hasComplained = false }
        return hasComplained
    }

    /// Whether errors that a decoder logs are damage. Those of H.264, H.263 and MPEG-4 mark what
    /// they conceal, and also log what is harmless, such as references that a seek has left behind.
    private static func logsDamage(_ parameters: AVCodecParameters) -> Bool {
        ![AV_CODEC_ID_H264, AV_CODEC_ID_H263, AV_CODEC_ID_H263P, AV_CODEC_ID_MPEG4].contains(parameters.codec_id)
    }

    /// Runs a call of libav and notes whether it found damage.
    private func listening(_ call: () -> Int32) -> Int32 {
        let errors = LibavLog.errorCount
        let result = DecoderCalls.current.during(path, call)
        let isOrdinary =
            result >= 0 || [cutroom_AVERROR_EAGAIN, cutroom_AVERROR_EOF, cutroom_AVERROR_ENOMEM].contains(result)
        if LibavLog.errorCount != errors { isSpoiled = true }
        if !isOrdinary || logsDamage && LibavLog.errorCount != errors { hasComplained = true }
        return result
    }

    /// Feeds a packet, or the end of the stream (nil). A packet that the decoder cannot use is
    /// dropped; see ``takeComplaint()``. To be called only when ``receive(into:)`` wanted more.
    /// - Parameter onlyReferences: a frame on which no other leans is left out.
    func send(_ packet: Packet?, onlyReferences: Bool = false) {
        context.pointee.skip_frame = onlyReferences ? AVDISCARD_NONREF : AVDISCARD_DEFAULT
        if let packet, isPNG, !PNGChunks.disarm(packet) {
            hasComplained = true
            return
        }
        _ = listening { avcodec_send_packet(context, packet?.raw) }
    }

    /// Decodes the stream's first packet and drops the result, so that the decoder knows what
    /// streams say at their beginning only: the version of x264, the quirks of DivX and Xvid,
    /// tables, palettes, a channel configuration. Everything that leads from one frame to the next
    /// is forgotten again.
    func prime(with first: Packet) throws(MediaError) {
        let frame = try Frame()
        send(first)
        send(nil)
        // The bound is for a decoder that never ends.
        for _ in 0..<1000 {
            guard avcodec_receive_frame(context, frame.raw) == 0 else { break }
            frame.clear()
        }
        flush()
        hasComplained = false
    }

    enum Answer { case frame, wantsPacket, ended }

    /// Fills `frame` with the next decoded frame. Errors within the stream are stepped over.
    func receive(into frame: Frame) throws(MediaError) -> Answer {
        // Each error consumes something of the decoder's queue; the bound is for a decoder that
        // does not keep to that.
        for _ in 0..<1000 {
            switch listening({ avcodec_receive_frame(context, frame.raw) }) {
            case 0:
                try Self.checkSize(Int(frame.raw.pointee.width), Int(frame.raw.pointee.height), path: path)
                return .frame
            case cutroom_AVERROR_EAGAIN: return .wantsPacket
            case cutroom_AVERROR_EOF: return .ended
            case cutroom_AVERROR_ENOMEM: throw .outOfMemory("decode", path: path)
            default: continue
            }
        }
        return .ended
    }

    /// Forgets everything fed, before a seek.
    func flush() { avcodec_flush_buffers(context) }
}
