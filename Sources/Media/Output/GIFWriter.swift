import CFFmpeg
import CKernels
import Values

/// A GIF from losslessly encoded segments, with one palette over all of them.
///
/// Two passes over the segments: the first counts colours, the second gives each pixel its nearest
/// and hands the error on to its neighbours. Memory holds a histogram of a fixed size and two
/// frames, however long the animation is.
public enum GIFWriter {
    /// One index is kept for "as before", which makes what does not change cost next to nothing.
    private static let colorLimit: Int32 = 255

    /// - Parameters:
    ///   - segments: of h264 without loss, in order, without gaps, from frame 0.
    ///   - output: is replaced where it exists. It is complete and on the disk when this returns,
    ///     and removed where it throws.
    ///   - frameRate: each frame is shown from the hundredth of a second that is nearest to its
    ///     time.
    ///   - progress: called for every frame with the share that is done, 0…1; what it throws ends
    ///     the work.
    /// - Throws: `wrongContent` naming the segment that is not as planned, `mux`, `diskFull`,
    ///   `cancelled` and others.
    public static func write(
        segments: [Assembler.Segment], output: String, width: Int, height: Int, frameRate: Rational,
        progress: @escaping (Double) throws -> Void = { _ in }
    ) throws(MediaError) {
        guard let histogram = ck_histogram_create() else { throw .outOfMemory("write", path: output) }
        defer { ck_histogram_free(histogram) }
        let frames = LosslessFrames(segments, width: width, height: height)
        try frames.forEach({ try progress(0.4 * $0) }) { _, frame throws(MediaError) in
            guard
                ck_histogram_add(histogram, frame.planes[0], Int(frame.strides[0]), Int32(width), Int32(height)) == 0
            else { throw .outOfMemory("write", path: output) }
        }
        var colors = [UInt32](repeating: 0, count: 256)
        let count = ck_palette_choose(histogram, colorLimit, &colors)
        guard count > 0, let palette = ck_palette_create(colors, count) else {
            throw .outOfMemory("write", path: output)
        }
        defer { ck_palette_free(palette) }

        let clock = AVRational(num: 1, den: 100)
        let encoder = try Encoder("gif", path: output, options: [:]) { context in
            context.pointee.width = Int32(width)
            context.pointee.height = Int32(height)
            context.pointee.pix_fmt = AV_PIX_FMT_PAL8
            context.pointee.time_base = clock
        }
        let setup = MuxerSetup(.gif, indexFirst: false, clock: clock.den)
        let muxer = try Muxer(path: output, format: setup.format)
        let stream = try muxer.addStream()
        try check(
            avcodec_parameters_from_context(stream.pointee.codecpar, encoder.context), "write", path: output, .mux)
        stream.pointee.time_base = clock
        func time(_ frame: Int) -> Int64 { Int64(Time(frame: frame, rate: frameRate).rounded(rate: Rational(100))) }
        let total = segments.reduce(0) { $0 + $1.frameCount }
        try muxer.begin(options: setup.options.merging(["final_delay": "\(time(total) - time(total - 1))"]) { $1 })
        func write(_ packet: Packet) throws(MediaError) {
            try muxer.write(packet, to: stream, timeBase: clock)
        }
        var before: Frame?
        try frames.forEach({ try progress(0.4 + 0.6 * $0) }) { index, frame throws(MediaError) in
            let paletted = try blank(width, height, colors: colors.prefix(Int(count)))
            guard
                ck_palette_dither(
                    palette, frame.planes[0], Int(frame.strides[0]), Int32(width), Int32(height), before?.planes[0],
                    paletted.planes[0], Int(paletted.strides[0])) == 0
            else { throw .outOfMemory("write", path: output) }
            before = paletted
            paletted.raw.pointee.pts = time(index)
            paletted.raw.pointee.pkt_duration = time(index + 1) - time(index)
            try encoder.encode(paletted, write)
        }
        try encoder.encode(nil, write)
        try muxer.finish()
    }

    /// A frame of indices with the palette; what follows its colours is transparent.
    private static func blank(_ width: Int, _ height: Int, colors: ArraySlice<UInt32>) throws(MediaError) -> Frame {
        let frame = try Frame()
        frame.raw.pointee.width = Int32(width)
        frame.raw.pointee.height = Int32(height)
        frame.raw.pointee.format = AV_PIX_FMT_PAL8.rawValue
        try check(av_frame_get_buffer(frame.raw, 0), "make a picture", path: nil, .outOfMemory)
        guard let entries = frame.planes[1] else { throw .outOfMemory("make a picture") }
        UnsafeMutableRawPointer(entries).withMemoryRebound(to: UInt32.self, capacity: 256) { entries in
            entries.update(repeating: 0, count: 256)
            for (index, color) in colors.enumerated() { entries[index] = 0xff00_0000 | color }
        }
        return frame
    }
}

/// The frames of losslessly encoded segments in order, as packed RGB.
struct LosslessFrames {
    private let segments: [Assembler.Segment]
    private let (width, height): (Int, Int)

    init(_ segments: [Assembler.Segment], width: Int, height: Int) {
        (self.segments, self.width, self.height) = (segments, width, height)
    }

    /// Calls `body` with each frame's index and the frame, which is used again after the call.
    func forEach(
        _ progress: @escaping (Double) throws -> Void, _ body: (Int, Frame) throws(MediaError) -> Void
    ) throws(MediaError) {
        let total = max(1, segments.reduce(0) { $0 + $1.frameCount })
        let (packet, decoded, rgb, scaler) = (try Packet(), try Frame(), try Frame(), Scaler())
        rgb.raw.pointee.width = Int32(width)
        rgb.raw.pointee.height = Int32(height)
        rgb.raw.pointee.format = AV_PIX_FMT_RGB24.rawValue
        try check(av_frame_get_buffer(rgb.raw, 0), "make a picture", path: nil, .outOfMemory)
        var index = 0
        for segment in segments {
            func wrong(_ reason: String) -> MediaError {
                MediaError(.wrongContent, "join", path: segment.path, reason: "\(reason); render it again")
            }
            let place = index
            let demuxer = try Demuxer(path: segment.path) { _ in try progress(Double(index) / Double(total)) }
            guard let stream = demuxer.video else { throw wrong("the segment has no picture") }
            let decoder = try Decoder(stream, path: segment.path)
            decoding: while true {
                switch try decoder.receive(into: decoded) {
                case .ended: break decoding
                case .wantsPacket:
                    var found = false
                    while !found, try demuxer.read(into: packet) { found = packet.streamIndex == stream.index }
                    decoder.send(found ? packet : nil)
                case .frame:
                    let pixels = SourcePixels(decoded)
                    guard pixels.width == width, pixels.height == height else {
                        throw wrong("its frames have another size")
                    }
                    try scaler.scale(
                        Scaler.Task(
                            sourceWidth: width, sourceHeight: height, sourceFormat: pixels.format,
                            sourceIsFullRange: pixels.isFullRange, sourceMatrix: pixels.scalerMatrix, width: width,
                            height: height, format: AV_PIX_FMT_RGB24.rawValue),
                        from: decoded.planes.map { UnsafePointer($0) }, strides: decoded.strides, to: rgb.planes,
                        strides: rgb.strides)
                    try body(index, rgb)
                    index += 1
                }
            }
            guard index == place + segment.frameCount else {
                throw wrong("it has \(index - place) frames instead of \(segment.frameCount)")
            }
        }
    }
}
