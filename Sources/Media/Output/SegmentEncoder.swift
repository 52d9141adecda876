import CFFmpeg
import Draft

/// Encodes a run of canvas pictures to one *segment*: a fragmented MP4 that begins with an IDR frame, whose decoding
/// times lie on the timeline, and whose parameter sets equal those of every other segment of the same plan.
///
/// The same pictures and settings give the same bytes: one thread, x264's `stitchable`, no dates.
public final class SegmentEncoder {
    private let encoder: Encoder
    private let muxer: Muxer
    private let stream: UnsafeMutablePointer<AVStream>
    private let timeBase: AVRational
    private let size: (width: Int, height: Int)
    private let firstFrame: Int
    private var count = 0

    /// Creates the file, replacing one that is there. It is removed again where this object goes away unfinished.
    /// - Parameters:
    ///   - width: pixels, even, as is `height`.
    ///   - firstFrame: the index on the timeline of the first picture to come.
    /// - Throws: `unsupported` for another codec than `h264` or an odd size, `encode`, `mux`, `notFound`,
    ///   `permissionDenied`, `diskFull`.
    public init(
        path: String, encoding: VideoEncoding, width: Int, height: Int, frameRate: Rational, firstFrame: Int
    ) throws(MediaError) {
        guard encoding.codec == "h264" else {
            throw MediaError(.unsupported, "encode", path: path, reason: "the codec ‘\(encoding.codec)’ is not h264")
        }
        try Self.checkNames(encoding, path: path)
        guard width % 2 == 0, height % 2 == 0, width > 0, height > 0 else {
            throw MediaError(.unsupported, "encode", path: path, reason: "\(width)×\(height) is not an even size")
        }
        guard let rate = AVRational(exactly: frameRate) else {
            throw MediaError(.unsupported, "encode", path: path, reason: "\(frameRate) frames per second is not a usable rate")
        }
        let timeBase = AVRational(num: rate.den, den: rate.num)
        (self.timeBase, size, self.firstFrame) = (timeBase, (width, height), firstFrame)
        encoder = try Encoder("libx264", path: path, options: Self.options(encoding)) { context in
            context.pointee.width = Int32(width)
            context.pointee.height = Int32(height)
            context.pointee.pix_fmt = AV_PIX_FMT_YUV420P
            context.pointee.sample_aspect_ratio = AVRational(num: 1, den: 1)
            context.pointee.time_base = timeBase
            context.pointee.framerate = rate
            context.pointee.gop_size = Int32(clamping: encoding.keyFrameInterval)
            context.pointee.color_range = AVCOL_RANGE_MPEG
            context.pointee.colorspace = AVCOL_SPC_BT709
            context.pointee.color_primaries = AVCOL_PRI_BT709
            context.pointee.color_trc = AVCOL_TRC_BT709
            if let bitRate = encoding.bitRate { context.pointee.bit_rate = Int64(bitRate) }
            if let maximum = encoding.maximumBitRate {
                context.pointee.rc_max_rate = Int64(maximum)
                context.pointee.rc_buffer_size = Int32(clamping: maximum)
            }
        }
        muxer = try Muxer(path: path, format: "mp4")
        stream = try muxer.addStream()
        try check(avcodec_parameters_from_context(stream.pointee.codecpar, encoder.context), "encode", path: path, .encode)
        stream.pointee.time_base = timeBase
        stream.pointee.avg_frame_rate = rate
        stream.pointee.r_frame_rate = rate
        // `frag_discont` puts the fragment's decoding time (tfdt) on the timeline; with negative composition offsets it is
        // the first picture's own time, so no edit list is needed and a browser can append segments in any order.
        try muxer.begin(options: [
            "movflags": "+empty_moov+default_base_moof+frag_discont+negative_cts_offsets",
            "avoid_negative_ts": "disabled",
        ])
    }

    /// x264 would print what it thinks of an unknown name.
    private static func checkNames(_ encoding: VideoEncoding, path: String) throws(MediaError) {
        let presets = [
            "ultrafast", "superfast", "veryfast", "faster", "fast", "medium", "slow", "slower", "veryslow", "placebo",
        ]
        let profiles = ["baseline", "main", "high", "high444"]
        for (name, value, known) in [("preset", encoding.preset, presets), ("profile", encoding.profile, profiles)]
        where !known.contains(value) {
            throw MediaError(
                .unsupported, "encode", path: path,
                reason: "‘\(value)’ is not a \(name) of x264; it is one of \(known.joined(separator: ", "))")
        }
    }

    private static func options(_ encoding: VideoEncoding) -> [String: String] {
        var options = [
            "preset": encoding.preset, "profile": encoding.profile, "x264-params": "stitchable=1:open-gop=0",
        ]
        if let quality = encoding.quality { options["crf"] = "\(quality)" }
        return options
    }

    /// Encodes the next picture, whose time is `firstFrame` plus the number of those before it. The picture stays the
    /// caller's, who must not write to it before this returns.
    public func append(_ picture: Picture) throws(MediaError) {
        guard picture.format == .yuv420p, (picture.width, picture.height) == size else {
            throw MediaError(
                .encode, "encode", path: muxer.path,
                reason: "frame \(firstFrame + count) is \(picture.width)×\(picture.height) \(picture.format), "
                    + "not \(size.width)×\(size.height) yuv420p")
        }
        let frame = try picture.forEncoding()
        frame.raw.pointee.pts = Int64(firstFrame + count)
        count += 1
        try encoder.encode(frame, write)
    }

    /// Ends the segment; the file is complete, closed and on the disk when this returns.
    /// - Returns: frames written.
    public func finish() throws(MediaError) -> Int {
        try encoder.encode(nil, write)
        try muxer.finish()
        return count
    }

    private func write(_ packet: Packet) throws(MediaError) {
        // Without a duration the last frame has none, and is lost to some players.
        packet.raw.pointee.duration = 1
        try muxer.write(packet, to: stream, timeBase: timeBase)
    }
}

extension AVRational {
    /// nil where a side does not fit 32 bits or is not positive.
    init?(exactly value: Rational) {
        guard let num = Int32(exactly: value.numerator), let den = Int32(exactly: value.denominator), num > 0 else {
            return nil
        }
        self.init(num: num, den: den)
    }
}

extension Picture {
    /// A frame that shares this picture's memory and carries nothing that a decoder left on it: the frame type and
    /// captions of a source would steer the encoder.
    fileprivate func forEncoding() throws(MediaError) -> Frame {
        let shared = try Frame()
        let (from, to) = (frame.raw, shared.raw)
        to.pointee.width = from.pointee.width
        to.pointee.height = from.pointee.height
        to.pointee.format = from.pointee.format
        to.pointee.data = from.pointee.data
        to.pointee.linesize = from.pointee.linesize
        to.pointee.buf.0 = from.pointee.buf.0.flatMap { av_buffer_ref($0) }
        to.pointee.buf.1 = from.pointee.buf.1.flatMap { av_buffer_ref($0) }
        to.pointee.buf.2 = from.pointee.buf.2.flatMap { av_buffer_ref($0) }
        return shared
    }
}
