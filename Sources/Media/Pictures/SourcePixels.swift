import CFFmpeg

/// A decoded frame's pixels as the scaler takes them: format, range and matrix made plain, and a
/// centred part of it.
struct SourcePixels {
    let frame: Frame
    let width: Int
    /// Rows; of the one field where only that is used.
    let height: Int
    /// Bytes from one row to the next, for each plane.
    let strides: [Int32]
    /// The first row of the frame that is used, of every second one: the field that was taken
    /// first. nil: all rows.
    private let field: Int?
    /// Never one of the deprecated `yuvj` formats: those are named by ``isFullRange``.
    let format: Int32
    let isFullRange: Bool
    let matrix: ColorMatrix
    /// The same, as swscale names it.
    let scalerMatrix: Int32

    init(_ frame: Frame) {
        self.frame = frame
        width = Int(frame.raw.pointee.width)
        field = Interlacing.fieldToShow(frame)
        let lines = Int(frame.raw.pointee.height)
        height = field.map { (lines - $0 + 1) / 2 } ?? lines
        strides = field == nil ? frame.strides : frame.strides.map { 2 * $0 }
        let (plain, isFull) = Self.plain(frame.pixelFormat)
        format = plain.rawValue
        isFullRange = isFull || frame.raw.pointee.color_range == AVCOL_RANGE_JPEG
        matrix = ColorMatrix(tag: frame.raw.pointee.colorspace, lines: lines)
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
    /// Where chroma lies, if there is less of it than of luma.
    var siting: ChromaSiting { ChromaSiting(tag: frame.raw.pointee.chroma_location) }
    var isPaletted: Bool { flags & UInt64(AV_PIX_FMT_FLAG_PAL) != 0 }
    /// The bits of the finest component.
    var bits: Int {
        guard let description = av_pix_fmt_desc_get(AVPixelFormat(format)) else { return 8 }
        let parts = description.pointee.comp
        return Int(max(parts.0.depth, parts.1.depth, parts.2.depth))
    }
    var hasAlpha: Bool { flags & UInt64(AV_PIX_FMT_FLAG_ALPHA) != 0 }
    /// Chroma has fewer rows than luma.
    var hasHalvedRows: Bool { av_pix_fmt_desc_get(AVPixelFormat(format)).map { $0.pointee.log2_chroma_h > 0 } ?? false }
    /// More than eight bits for some component.
    var isDeep: Bool { av_pix_fmt_desc_get(AVPixelFormat(format)).map { $0.pointee.comp.0.depth > 8 } ?? false }
    private var flags: UInt64 { av_pix_fmt_desc_get(AVPixelFormat(format))?.pointee.flags ?? 0 }

    /// The planes' addresses from the top left corner of a centred part on, or from its row `row`
    /// on; whole chroma samples are stepped over.
    func planes(croppedTo size: (width: Int, height: Int), from row: Int = 0) -> [UnsafePointer<UInt8>?] {
        let planes = frame.planes
        guard let description = av_pix_fmt_desc_get(AVPixelFormat(format)) else {
            return planes.map { UnsafePointer($0) }
        }
        let isBitstream = description.pointee.flags & UInt64(AV_PIX_FMT_FLAG_BITSTREAM) != 0
        let stepX = isBitstream ? 8 : 1 << Int(description.pointee.log2_chroma_w)
        let stepY = 1 << Int(description.pointee.log2_chroma_h)
        let x = (width - size.width) / 2 / stepX * stepX
        let y = (height - size.height) / 2 / stepY * stepY + row
        return planes.indices.map { index in
            guard let plane = planes[index] else { return nil }
            if isPaletted && index == 1 { return UnsafePointer(plane) }
            let rows = index == 1 || index == 2 ? y / stepY : y
            let bytes = max(0, av_image_get_linesize(AVPixelFormat(format), Int32(x), Int32(index)))
            return UnsafePointer(plane) + (field ?? 0) * Int(frame.strides[index]) + rows * Int(strides[index])
                + Int(bytes)
        }
    }
}
