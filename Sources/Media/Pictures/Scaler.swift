import CFFmpeg

/// Owns an `SwsContext` and makes a new one only when the task changes.
final class Scaler {
    /// One scaling: everything that decides the context.
    struct Task: Hashable {
        var sourceWidth: Int
        var sourceHeight: Int
        /// `AVPixelFormat`'s number; none of the deprecated full-range `yuvj` formats.
        var sourceFormat: Int32
        var sourceIsFullRange: Bool
        /// The matrix of a Y′CbCr source that becomes RGB, as `SWS_CS_…`. From Y′CbCr to Y′CbCr
        /// none is changed here.
        var sourceMatrix: Int32 = SWS_CS_ITU709
        var width: Int
        var height: Int
        var format: Int32
        /// Whether a Y′CbCr target has the full range.
        var isFullRange = false
        /// The matrix of a Y′CbCr target that comes from RGB.
        var matrix: Int32 = SWS_CS_ITU709
        /// Where chroma lies in a source and a target that have fewer samples of it; swscale's own
        /// idea is between the columns.
        var sourceSiting = ChromaSiting.canvas
        var siting = ChromaSiting.canvas
    }

    /// Source samples for one of the target, in each direction. Greater reductions take several
    /// steps: filters of more than 170 taps, of which the bicubic one has four for each source
    /// sample and chroma may have eight, make swscale go through 8-bit 4:2:0, with whole pictures
    /// only: it crashes with bands.
    static let steepest = 16

    private var context: OpaquePointer?
    private var task: Task?
    /// Does the steps after the first one.
    private var next: Scaler?

    deinit { sws_freeContext(context) }

    /// Scales planes into planes. Both belong to the caller, who keeps them alive during the call.
    func scale(
        _ task: Task, from source: [UnsafePointer<UInt8>?], strides: [Int32],
        to target: [UnsafeMutablePointer<UInt8>?], strides targetStrides: [Int32]
    ) throws(MediaError) {
        if let step = task.firstStep {
            let between = try step.makeFrame()
            try scale(step.task, from: source, strides: strides, to: between.planes, strides: between.strides)
            let planes = between.planes.map { UnsafePointer($0) }
            return try follower().scale(
                step.rest, from: planes, strides: between.strides, to: target, strides: targetStrides)
        }
        if task != self.task { try prepare(task) }
        let rows = sws_scale(
            context, source, strides, 0, Int32(task.sourceHeight), target, targetStrides)
        guard rows == Int32(task.height) else {
            throw MediaError(
                .convert, "convert a picture", path: nil, reason: "the scaler wrote \(rows) of \(task.height) rows")
        }
    }

    /// Scales a picture that comes by bands.
    func scale(
        _ task: Task, from source: FlattenedRows, to target: [UnsafeMutablePointer<UInt8>?], strides: [Int32]
    ) throws(MediaError) {
        try scale(task, to: target, strides: strides, source.rows)
    }

    /// - Parameter band: gives the planes and strides of the rows asked for, which follow one
    ///   another from the top.
    func scale(
        _ task: Task, to target: [UnsafeMutablePointer<UInt8>?], strides: [Int32],
        _ band: (Range<Int>) throws(MediaError) -> (planes: [UnsafePointer<UInt8>?], strides: [Int32])
    ) throws(MediaError) {
        if let step = task.firstStep {
            let between = try step.makeFrame()
            try scale(step.task, to: between.planes, strides: between.strides, band)
            let planes = between.planes.map { UnsafePointer($0) }
            return try follower().scale(step.rest, from: planes, strides: between.strides, to: target, strides: strides)
        }
        if task != self.task { try prepare(task) }
        var written: Int32 = 0
        for top in stride(from: 0, to: task.sourceHeight, by: FlattenedRows.bandHeight) {
            let rows = top..<min(top + FlattenedRows.bandHeight, task.sourceHeight)
            let source = try band(rows)
            written += sws_scale(
                context, source.planes, source.strides, Int32(top), Int32(rows.count), target, strides)
        }
        guard written == Int32(task.height) else {
            throw MediaError(
                .convert, "convert a picture", path: nil, reason: "the scaler wrote \(written) of \(task.height) rows")
        }
    }

    private func follower() -> Scaler {
        let scaler = next ?? Scaler()
        next = scaler
        return scaler
    }

    private func prepare(_ task: Task) throws(MediaError) {
        LibavLog.install()
        sws_freeContext(context)
        self.task = nil
        let isRGB = Self.isRGB(task.sourceFormat) || Self.isRGB(task.format)
        var flags = SWS_BICUBIC | SWS_ACCURATE_RND
        // Without these, RGB is subsampled or interpolated by taking every second sample.
        if isRGB { flags |= SWS_FULL_CHR_H_INT | SWS_FULL_CHR_H_INP }
        context = sws_alloc_context()
        guard let context else { throw .outOfMemory("convert a picture") }
        // The ranges must be known before the context is made: for equal sizes it chooses a plain
        // copy otherwise.
        var settings: [(String, Int)] = [
            ("srcw", task.sourceWidth), ("srch", task.sourceHeight), ("src_format", Int(task.sourceFormat)),
            ("src_range", task.sourceIsFullRange ? 1 : 0), ("dstw", task.width), ("dsth", task.height),
            ("dst_format", Int(task.format)), ("dst_range", Self.isRGB(task.format) || task.isFullRange ? 1 : 0),
            ("sws_flags", Int(flags)),
            ("threads", 1),
        ]
        settings += Self.positions("src", task.sourceSiting, task.sourceFormat)
        settings += Self.positions("dst", task.siting, task.format)
        for (name, value) in settings {
            let result = av_opt_set_int(UnsafeMutableRawPointer(context), name, Int64(value), 0)
            guard result >= 0 else { throw unsupported(task, result) }
        }
        let result = sws_init_context(context, nil, nil)
        guard result >= 0 else { throw unsupported(task, result) }
        sws_setColorspaceDetails(
            context, sws_getCoefficients(task.sourceMatrix), task.sourceIsFullRange ? 1 : 0,
            sws_getCoefficients(Self.isRGB(task.format) ? task.sourceMatrix : task.matrix),
            Self.isRGB(task.format) || task.isFullRange ? 1 : 0, 0, 1 << 16, 1 << 16)
        self.task = task
    }

    private func unsupported(_ task: Task, _ result: Int32) -> MediaError {
        MediaError(
            .unsupported, "convert a picture", path: nil,
            reason: "no conversion from \(Self.name(task.sourceFormat)) at \(task.sourceWidth)×\(task.sourceHeight)",
            libav: result)
    }

    /// Where chroma lies, as swscale is told: in parts of 256 of the distance between two luma
    /// samples.
    private static func positions(_ side: String, _ siting: ChromaSiting, _ format: Int32) -> [(String, Int)] {
        guard let description = av_pix_fmt_desc_get(AVPixelFormat(format)), !isRGB(format) else { return [] }
        func position(_ name: String, _ siting: Double, _ log2: UInt8) -> [(String, Int)] {
            log2 == 0 ? [] : [("\(side)_\(name)_chr_pos", Int(siting * Double(256 * ((1 << Int(log2)) - 1))))]
        }
        return position("h", siting.x, description.pointee.log2_chroma_w)
            + position("v", siting.y, description.pointee.log2_chroma_h)
    }

    static func isRGB(_ format: Int32) -> Bool {
        guard let description = av_pix_fmt_desc_get(AVPixelFormat(format)) else { return false }
        return description.pointee.flags & UInt64(AV_PIX_FMT_FLAG_RGB | AV_PIX_FMT_FLAG_PAL) != 0
    }

    private static func name(_ format: Int32) -> String {
        av_get_pix_fmt_name(AVPixelFormat(format)).map { String(cString: $0) } ?? "an unknown pixel format"
    }
}

extension Scaler.Task {
    /// The first of several steps, and what is left to do.
    fileprivate struct Step {
        var task: Scaler.Task
        var rest: Scaler.Task

        /// The picture between the two.
        func makeFrame() throws(MediaError) -> Frame {
            let frame = try Frame()
            (frame.raw.pointee.width, frame.raw.pointee.height) = (Int32(task.width), Int32(task.height))
            frame.raw.pointee.format = task.format
            guard av_frame_get_buffer(frame.raw, 0) >= 0 else { throw .outOfMemory("convert a picture") }
            return frame
        }
    }

    /// Nil where one step does.
    fileprivate var firstStep: Step? {
        func reduced(_ source: Int, _ target: Int) -> Int {
            source <= Scaler.steepest * target ? source : (source + Scaler.steepest - 1) / Scaler.steepest
        }
        let size = (width: reduced(sourceWidth, width), height: reduced(sourceHeight, height))
        guard size != (sourceWidth, sourceHeight) else { return nil }
        var (first, rest) = (self, self)
        (first.width, first.height) = size
        (rest.sourceWidth, rest.sourceHeight) = size
        // The source's own kind of picture, or what a palette's is.
        let isMade = sws_isSupportedOutput(AVPixelFormat(sourceFormat)) != 0
        first.format = isMade ? sourceFormat : AV_PIX_FMT_RGBA64LE.rawValue
        (first.isFullRange, first.matrix, first.siting) = (sourceIsFullRange, sourceMatrix, sourceSiting)
        rest.sourceFormat = first.format
        return Step(task: first, rest: rest)
    }
}
