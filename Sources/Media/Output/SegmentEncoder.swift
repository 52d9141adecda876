import CFFmpeg
import Delivery
import Values

/// Encodes a run of canvas pictures to one *segment*: a fragmented MP4 that begins with a key frame
/// and refers to nothing before it, whose times count from its own first frame, and whose parameter
/// sets equal those of every other segment of the same plan. It may stand anywhere: ``Assembler``
/// gives it its place.
///
/// The same pictures and settings give the same bytes: see ``EncoderSetup``.
public final class SegmentEncoder {
    private let encoder: Encoder
    private let input: EncoderInput
    private let muxer: Muxer
    private let stream: UnsafeMutablePointer<AVStream>
    private let timeBase: AVRational
    private let size: (width: Int, height: Int)
    private let format: Picture.Format
    private var count = 0
    /// Bytes of the encoded frames so far.
    public private(set) var payload: Int64 = 0

    /// Creates the file, replacing one that is there. It is removed again where this object goes
    /// away unfinished.
    /// - Parameters:
    ///   - width: pixels, even, as is `height`.
    /// - Throws: `unsupported` for a codec that the installed libraries lack, a setting that the
    ///   codec does not have or an odd size; `encode`, `mux`, `notFound`, `permissionDenied`,
    ///   `diskFull`.
    public init(
        path: String, encoding: VideoEncoding, width: Int, height: Int, frameRate: Rational
    ) throws(MediaError) {
        let setup = try EncoderSetup(encoding, path: path)
        guard width % 2 == 0, height % 2 == 0, width > 0, height > 0 else {
            throw MediaError(.unsupported, "encode", path: path, reason: "\(width)×\(height) is not an even size")
        }
        guard let rate = AVRational(exactly: frameRate) else {
            throw MediaError(
                .unsupported, "encode", path: path, reason: "\(frameRate) frames per second is not a usable rate")
        }
        let timeBase = AVRational(num: rate.den, den: rate.num)
        (self.timeBase, size) = (timeBase, (width, height))
        format = encoding.color.pictureFormat
        input = EncoderInput(setup)
        encoder = try Encoder(setup.name, path: path, options: setup.options) { context in
            context.pointee.width = Int32(width)
            context.pointee.height = Int32(height)
            context.pointee.pix_fmt = setup.pixelFormat
            context.pointee.sample_aspect_ratio = AVRational(num: 1, den: 1)
            context.pointee.time_base = timeBase
            context.pointee.framerate = rate
            setup.colors.apply(to: context)
            encoding.apply(to: context)
        }
        muxer = try Muxer(path: path, format: setup.segmentFormat)
        stream = try muxer.addStream()
        try check(
            avcodec_parameters_from_context(stream.pointee.codecpar, encoder.context), "encode", path: path, .encode)
        stream.pointee.time_base = timeBase
        stream.pointee.avg_frame_rate = rate
        stream.pointee.r_frame_rate = rate
        // `frag_discont` makes the fragment's decoding time (tfdt) what it is given as; with
        // negative composition offsets it is the first picture's own time, so no edit list is
        // needed and who rewrites the tfdt moves the whole segment.
        try muxer.begin(options: [
            "movflags": "+empty_moov+default_base_moof+frag_discont+negative_cts_offsets",
            "avoid_negative_ts": "disabled",
        ])
    }

    /// Encodes the next picture, whose time is the number of those before it. The picture stays the
    /// caller's, who must not write to it before this returns.
    public func append(_ picture: Picture) throws(MediaError) {
        guard picture.format == format, (picture.width, picture.height) == size else {
            throw MediaError(
                .encode, "encode", path: muxer.path,
                reason: "frame \(count) is \(picture.width)×\(picture.height) \(picture.format), "
                    + "not \(size.width)×\(size.height) \(format)")
        }
        let frame = try input.frame(picture)
        frame.raw.pointee.pts = Int64(count)
        count += 1
        try encoder.encode(frame, write)
    }

    /// Ends the segment; the file is complete, closed and on the disk when this returns.
    /// - Parameter pulse: called for each frame that the encoder still held; a slow one may hold
    ///   seconds of them.
    /// - Returns: frames written.
    public func finish(pulse: @escaping Pulse = { _ in }) throws(MediaError) -> Int {
        let interrupter = Interrupter(pulse)
        try encoder.encode(nil) { packet throws(MediaError) in
            try interrupter.check("encode", path: muxer.path)
            try write(packet)
        }
        try muxer.finish()
        return count
    }

    private func write(_ packet: Packet) throws(MediaError) {
        // Without a duration the last frame has none, and is lost to some players.
        packet.raw.pointee.duration = 1
        payload += Int64(packet.raw.pointee.size)
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
