import CFFmpeg

/// A decoded frame's pixels as the scaler takes them: format, range and matrix made plain, and a centred part of it.
struct SourcePixels {
    let frame: Frame
    let width: Int
    let height: Int
    /// Never one of the deprecated `yuvj` formats: those are named by ``isFullRange``.
    let format: Int32
    let isFullRange: Bool
    let matrix: ColorMatrix
    /// The same, as swscale names it.
    let scalerMatrix: Int32

    init(_ frame: Frame) {
        self.frame = frame
        width = Int(frame.raw.pointee.width)
        height = Int(frame.raw.pointee.height)
        let (plain, isFull) = Self.plain(frame.pixelFormat)
        format = plain.rawValue
        isFullRange = isFull || frame.raw.pointee.color_range == AVCOL_RANGE_JPEG
        matrix = ColorMatrix(tag: frame.raw.pointee.colorspace, lines: height)
        scalerMatrix =
            switch matrix {
            case .bt601: SWS_CS_ITU601
            case .fcc: SWS_CS_FCC
            case .smpte240: SWS_CS_SMPTE240M
            case .bt2020: SWS_CS_BT2020
            default: SWS_CS_ITU709
            }
    }

    private static func plain(_ format: AVPixelFormat) -> (AVPixelFormat, isFullRange: Bool) {
        switch format {
        case AV_PIX_FMT_YUVJ420P: (AV_PIX_FMT_YUV420P, true)
        case AV_PIX_FMT_YUVJ422P: (AV_PIX_FMT_YUV422P, true)
        case AV_PIX_FMT_YUVJ444P: (AV_PIX_FMT_YUV444P, true)
        case AV_PIX_FMT_YUVJ440P: (AV_PIX_FMT_YUV440P, true)
        case AV_PIX_FMT_YUVJ411P: (AV_PIX_FMT_YUV411P, true)
        // Grey has no video range of its own in still pictures.
        case AV_PIX_FMT_GRAY8, AV_PIX_FMT_YA8, AV_PIX_FMT_GRAY16BE, AV_PIX_FMT_GRAY16LE: (format, true)
        default: (format, false)
        }
    }

    var isRGB: Bool { Scaler.isRGB(format) }
    var isPaletted: Bool { flags & UInt64(AV_PIX_FMT_FLAG_PAL) != 0 }
    /// Of the finest component.
    var bits: Int {
        guard let description = av_pix_fmt_desc_get(AVPixelFormat(format)) else { return 8 }
        let parts = description.pointee.comp
        return Int(max(parts.0.depth, parts.1.depth, parts.2.depth))
    }
    var hasAlpha: Bool { flags & UInt64(AV_PIX_FMT_FLAG_ALPHA) != 0 }
    private var flags: UInt64 { av_pix_fmt_desc_get(AVPixelFormat(format))?.pointee.flags ?? 0 }

    /// The planes' addresses from the top left corner of a centred part on; whole chroma samples are stepped over.
    func planes(croppedTo size: (width: Int, height: Int)) -> [UnsafePointer<UInt8>?] {
        let planes = frame.planes
        guard size != (width, height), !isPaletted, let description = av_pix_fmt_desc_get(AVPixelFormat(format)) else {
            return planes.map { UnsafePointer($0) }
        }
        let isBitstream = description.pointee.flags & UInt64(AV_PIX_FMT_FLAG_BITSTREAM) != 0
        let stepX = isBitstream ? 8 : 1 << Int(description.pointee.log2_chroma_w)
        let stepY = 1 << Int(description.pointee.log2_chroma_h)
        let x = (width - size.width) / 2 / stepX * stepX
        let y = (height - size.height) / 2 / stepY * stepY
        return planes.indices.map { index in
            guard let plane = planes[index] else { return nil }
            let rows = index == 1 || index == 2 ? y / stepY : y
            let bytes = max(0, av_image_get_linesize(AVPixelFormat(format), Int32(x), Int32(index)))
            return UnsafePointer(plane) + rows * Int(frame.strides[index]) + Int(bytes)
        }
    }
}
