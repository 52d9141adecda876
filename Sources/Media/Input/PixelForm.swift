import CFFmpeg

/// How a picture's pixels lie in a slot: plane after plane, each row from a multiple of 64 bytes
/// on.
struct PixelForm: Equatable {
    struct Plane: Equatable {
        var offset: Int
        /// Up to the last row's last pixel.
        var bytes: Int
        var stride: Int32
    }

    static let alignment: Int32 = 64

    let format: AVPixelFormat
    let width: Int32
    let height: Int32
    let planes: [Plane]
    /// Up to the last plane's last pixel.
    let bytes: Int
    /// With the end of the last plane's last row.
    let wholeBytes: Int

    /// - Returns: nil for kinds of pictures that are more than planes of pixels.
    init?(_ frame: AVFrame) {
        let (format, width, height) = (AVPixelFormat(frame.format), frame.width, frame.height)
        guard let description = av_pix_fmt_desc_get(format) else { return nil }
        let others = UInt64(AV_PIX_FMT_FLAG_PAL | AV_PIX_FMT_FLAG_HWACCEL | AV_PIX_FMT_FLAG_BITSTREAM)
        guard description.pointee.flags & others == 0 else { return nil }
        let whole = av_image_get_buffer_size(format, width, height, Self.alignment)
        guard whole > 0 else { return nil }
        var starts: [UnsafeMutablePointer<UInt8>?] = [nil, nil, nil, nil]
        var strides: [Int32] = [0, 0, 0, 0]
        // The address is counted from, and not read at.
        let base = UnsafeMutablePointer<UInt8>(bitPattern: 64)!
        guard av_image_fill_arrays(&starts, &strides, base, format, width, height, Self.alignment) == whole else {
            return nil
        }
        let offsets = starts.compactMap { $0.map { $0 - base } }
        let planes = offsets.indices.map { index in
            let end = index + 1 < offsets.count ? offsets[index + 1] : Int(whole)
            let gap = strides[index] - av_image_get_linesize(format, width, Int32(index))
            return Plane(offset: offsets[index], bytes: end - offsets[index] - Int(gap), stride: strides[index])
        }
        guard let last = planes.last, planes.allSatisfy({ $0.bytes > 0 }) else { return nil }
        (self.format, self.width, self.height, self.planes) = (format, width, height, planes)
        (bytes, wholeBytes) = (last.offset + last.bytes, Int(whole))
    }

    func hasStrides(of frame: Frame) -> Bool { zip(planes, frame.strides).allSatisfy { $0.stride == $1 } }

    /// Points a frame's planes into memory for a slot's content.
    func place(_ frame: Frame, at start: UnsafeMutablePointer<UInt8>) -> Bool {
        var starts: [UnsafeMutablePointer<UInt8>?] = [nil, nil, nil, nil]
        var strides: [Int32] = [0, 0, 0, 0]
        guard av_image_fill_arrays(&starts, &strides, start, format, width, height, Self.alignment) > 0 else {
            return false
        }
        (frame.raw.pointee.data.0, frame.raw.pointee.data.1) = (starts[0], starts[1])
        (frame.raw.pointee.data.2, frame.raw.pointee.data.3) = (starts[2], starts[3])
        (frame.raw.pointee.linesize.0, frame.raw.pointee.linesize.1) = (strides[0], strides[1])
        (frame.raw.pointee.linesize.2, frame.raw.pointee.linesize.3) = (strides[2], strides[3])
        return true
    }
}
