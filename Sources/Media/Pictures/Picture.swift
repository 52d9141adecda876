import CFFmpeg
import Values

/// Owns one video frame (an `AVFrame`).
///
/// **Ownership.** A picture from ``init(width:height:format:)``, ``copy()`` or
/// ``ImageFile/rgba(path:width:height:)`` belongs to the caller alone, who may write to its planes.
/// A picture from ``VideoReader``, ``ImageFile/load(path:)`` or ``CanvasConverter`` is shared with
/// the decoder's references or a cache: read it, or `copy()` it first.
public final class Picture {
    public enum Format: Hashable, Sendable {
        /// 8 bits, planes Y, U and V, chroma halved both ways. On the canvas: BT.709, limited
        /// range.
        case yuv420p
        /// ``yuv420p`` and a plane of straight alpha.
        case yuva420p
        /// ``yuv420p`` with 10 bits in samples of 16, in the machine's order. On an HDR canvas:
        /// BT.2100, limited range.
        case yuv420p10
        /// ``yuv420p10`` and a plane of straight alpha.
        case yuva420p10
        /// 8 bits each, one plane, straight alpha, full range.
        case rgba
        /// Whatever the decoder gave; only ``CanvasConverter`` reads it.
        case native
    }

    let frame: Frame
    public let format: Format
    /// Presentation time in source time; zero for stills and new pictures.
    public let time: Time
    /// Shown mirrored left to right, after the rotation that its stream's metadata asks for.
    let isMirrored: Bool

    /// A new picture whose content is undefined. Rows start at multiples of 64 bytes. The memory
    /// comes from a pool and goes back to it with this object.
    public init(width: Int, height: Int, format: Format) throws(MediaError) {
        precondition(format != .native, "only decoders make native pictures")
        frame = try Frame()
        self.format = format
        time = .zero
        isMirrored = false
        try PicturePool.fill(frame, width: width, height: height, format: format)
    }

    /// Takes over a decoder's frame.
    init(decoded frame: Frame, time: Time, isMirrored: Bool = false) {
        self.frame = frame
        self.time = time
        self.isMirrored = isMirrored
        format =
            switch frame.pixelFormat {
            case AV_PIX_FMT_YUV420P: .yuv420p
            case AV_PIX_FMT_YUVA420P: .yuva420p
            case AV_PIX_FMT_YUV420P10LE: .yuv420p10
            case AV_PIX_FMT_YUVA420P10LE: .yuva420p10
            case AV_PIX_FMT_RGBA: .rgba
            default: .native
            }
    }

    /// Pixels; before rotation and pixel aspect.
    public var width: Int { Int(frame.raw.pointee.width) }
    public var height: Int { Int(frame.raw.pointee.height) }

    public var planeCount: Int {
        switch format {
        case .rgba: 1
        case .yuv420p, .yuv420p10: 3
        case .yuva420p, .yuva420p10: 4
        case .native: Int(max(0, av_pix_fmt_count_planes(frame.pixelFormat)))
        }
    }

    /// The first byte of plane `index`; valid while this picture lives.
    public func plane(_ index: Int) -> UnsafeMutablePointer<UInt8> {
        precondition(index >= 0 && index < planeCount, "no such plane")
        let data = frame.raw.pointee.data
        let pointer =
            switch index {
            case 0: data.0
            case 1: data.1
            case 2: data.2
            default: data.3
            }
        guard let pointer else { preconditionFailure("a picture without its plane \(index)") }
        return pointer
    }

    /// Bytes from one row of plane `index` to the next.
    public func stride(_ index: Int) -> Int {
        precondition(index >= 0 && index < planeCount, "no such plane")
        let lines = frame.raw.pointee.linesize
        return switch index {
        case 0: Int(lines.0)
        case 1: Int(lines.1)
        case 2: Int(lines.2)
        default: Int(lines.3)
        }
    }

    /// Samples in a row and rows of plane `index` (an RGBA row counts pixels).
    public func size(ofPlane index: Int) -> (width: Int, height: Int) {
        guard index == 1 || index == 2, let description = av_pix_fmt_desc_get(frame.pixelFormat) else {
            return (width, height)
        }
        let (x, y) = (Int(description.pointee.log2_chroma_w), Int(description.pointee.log2_chroma_h))
        return ((width + (1 << x) - 1) >> x, (height + (1 << y) - 1) >> y)
    }

    /// A picture of the same content, format and time that the caller alone owns.
    /// - Precondition: not a native picture.
    public func copy() throws(MediaError) -> Picture {
        precondition(format != .native, "native pictures are read only")
        let copy = try Frame()
        try PicturePool.fill(copy, width: width, height: height, format: format)
        try check(av_frame_copy(copy.raw, frame.raw), "copy a picture", path: nil, .convert)
        try check(av_frame_copy_props(copy.raw, frame.raw), "copy a picture", path: nil, .convert)
        return Picture(decoded: copy, time: time, isMirrored: isMirrored)
    }
}
