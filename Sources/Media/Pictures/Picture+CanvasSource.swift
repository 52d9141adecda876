import CFFmpeg
import Values

/// Canvas pictures as sources of other canvases.
extension Picture {
    /// The same picture, which shares the memory, with what its numbers mean.
    /// - Parameter color: of the canvas that it was made on.
    public func tagged(as color: ColorSystem) throws(MediaError) -> Picture {
        guard color.isHDR else { return self }
        return Picture(decoded: try shared(color), time: time)
    }

    /// The picture with alpha that this one is over black, and `white` over white. It shares this
    /// one's memory, and what it holds is multiplied with its alpha.
    /// - Parameters:
    ///   - white: of the same size and format.
    ///   - color: of the canvas that both were made on.
    public func withAlpha(white: Picture, _ color: ColorSystem) throws(MediaError) -> Picture {
        precondition(format == color.pictureFormat && white.format == format, "canvas pictures")
        precondition((width, height) == (white.width, white.height), "pictures of one size")
        let (low, high) = (try BackgroundFill(.black, color).luma, try BackgroundFill(.white, color).luma)
        let shared = try shared(color)
        let stride = stride(0)
        guard let alpha = av_buffer_alloc(stride * height + 64) else { throw .outOfMemory("make a picture") }
        shared.hold(alpha)
        (shared.raw.pointee.data.3, shared.raw.pointee.linesize.3) = (alpha.pointee.data, Int32(stride))
        shared.raw.pointee.format = (color.isHDR ? AV_PIX_FMT_YUVA420P10LE : AV_PIX_FMT_YUVA420P).rawValue
        for row in 0..<height {
            let rows = (
                UnsafeRawPointer(plane(0) + row * stride), UnsafeRawPointer(white.plane(0) + row * white.stride(0)),
                UnsafeMutableRawPointer(alpha.pointee.data + row * stride)
            )
            if color.isHDR {
                Self.alpha(UInt16.self, rows.0, rows.1, rows.2, width, opaque: 1023, reach: high - low)
            } else {
                Self.alpha(UInt8.self, rows.0, rows.1, rows.2, width, opaque: 255, reach: high - low)
            }
        }
        return Picture(decoded: shared, time: time)
    }

    /// What the picture holds beside its alpha; it shares the memory.
    /// - Precondition: one of ``withAlpha(white:_:)``.
    public func withoutAlpha() throws(MediaError) -> Picture {
        let shared = try Frame()
        try check(av_frame_ref(shared.raw, frame.raw), "share a picture", path: nil, .convert)
        shared.raw.pointee.format = (format == .yuva420p ? AV_PIX_FMT_YUV420P : AV_PIX_FMT_YUV420P10LE).rawValue
        (shared.raw.pointee.data.3, shared.raw.pointee.linesize.3) = (nil, 0)
        return Picture(decoded: shared, time: time)
    }

    /// A row of alpha: `opaque` where luma is the same over both, nothing where it differs by
    /// `reach` or more.
    private static func alpha<Sample: FixedWidthInteger & UnsignedInteger>(
        _: Sample.Type, _ black: UnsafeRawPointer, _ white: UnsafeRawPointer, _ result: UnsafeMutableRawPointer,
        _ count: Int, opaque: Int32, reach: Int32
    ) {
        let black = black.assumingMemoryBound(to: Sample.self)
        let white = white.assumingMemoryBound(to: Sample.self)
        let result = result.assumingMemoryBound(to: Sample.self)
        for column in 0..<count {
            let free = min(reach, max(0, Int32(white[column]) &- Int32(black[column])))
            result[column] = Sample(truncatingIfNeeded: opaque &- (free &* opaque &+ reach / 2) / reach)
        }
    }

    private func shared(_ color: ColorSystem) throws(MediaError) -> Frame {
        let shared = try Frame()
        try check(av_frame_ref(shared.raw, frame.raw), "share a picture", path: nil, .convert)
        ColorTags.canvas(color).apply(to: shared)
        return shared
    }
}

extension Frame {
    /// Takes over a buffer that one of its planes lies in.
    fileprivate func hold(_ buffer: UnsafeMutablePointer<AVBufferRef>) {
        withUnsafeMutablePointer(to: &raw.pointee.buf) { buffers in
            buffers.withMemoryRebound(to: UnsafeMutablePointer<AVBufferRef>?.self, capacity: 8) { buffers in
                // A picture with three planes gives at most three.
                guard let free = (0..<8).first(where: { buffers[$0] == nil }) else { preconditionFailure("no room") }
                buffers[free] = buffer
            }
        }
    }
}
