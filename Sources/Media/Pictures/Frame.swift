import CFFmpeg

/// Owns one `AVFrame` and the references it holds.
final class Frame {
    let raw: UnsafeMutablePointer<AVFrame>

    init() throws(MediaError) {
        guard let frame = av_frame_alloc() else { throw .outOfMemory("hold a frame") }
        raw = frame
    }

    deinit {
        var frame: UnsafeMutablePointer<AVFrame>? = raw
        av_frame_free(&frame)
    }

    func clear() { av_frame_unref(raw) }

    /// The planes' first bytes; valid while this frame lives and is not cleared.
    var planes: [UnsafeMutablePointer<UInt8>?] {
        let data = raw.pointee.data
        return [data.0, data.1, data.2, data.3]
    }

    /// Bytes from one row to the next, for each plane.
    var strides: [Int32] {
        let lines = raw.pointee.linesize
        return [lines.0, lines.1, lines.2, lines.3]
    }

    /// The decoder has concealed something in it.
    var isDamaged: Bool {
        raw.pointee.flags & cutroom_AV_FRAME_FLAG_CORRUPT != 0 || raw.pointee.decode_error_flags != 0
    }

    var pixelFormat: AVPixelFormat { AVPixelFormat(raw.pointee.format) }
}
