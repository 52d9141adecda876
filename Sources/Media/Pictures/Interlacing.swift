import CFFmpeg

/// What to do with pictures whose rows were taken at two moments.
///
/// Where something moved between the two, the picture is combed, and only the field that was taken
/// first is used, at half the rows; where nothing moved (much that is marked as interlaced never
/// was), all rows are. Both are decided from the one frame alone, so that a frame stays a pure
/// function of its index whatever was read before it; methods that look at its neighbours do not
/// have that property after a seek.
enum Interlacing {
    /// Blocks of this many pixels are judged one by one.
    private static let (blockWidth, blockHeight) = (32, 16)
    /// Combing in a block must be this much stronger than what the same block's single fields show,
    /// and this strong at all (8-bit code values for a pixel). Measured: blocks of progressive
    /// footage with real edges reach 1.0 and mostly stay below 0.7; blocks that moved between the
    /// fields begin at 1.4 and mostly have 4 and more.
    private static let (ratio, floor) = (1.2, 6.0)
    /// The share of all blocks that makes the picture combed.
    private static let share = 1.0 / 200

    /// 0 where only the top field is to be used, 1 for the bottom field, nil for all rows.
    static func fieldToShow(_ frame: Frame) -> Int? {
        let raw = frame.raw.pointee
        guard raw.interlaced_frame != 0, raw.height >= 4 * blockHeight, raw.width >= blockWidth, isCombed(frame) else {
            return nil
        }
        return raw.top_field_first != 0 ? 0 : 1
    }

    private static func isCombed(_ frame: Frame) -> Bool {
        guard let description = av_pix_fmt_desc_get(frame.pixelFormat)?.pointee, let luma = frame.planes[0],
            description.flags
                & UInt64(AV_PIX_FMT_FLAG_RGB | AV_PIX_FMT_FLAG_PAL | AV_PIX_FMT_FLAG_BE | AV_PIX_FMT_FLAG_FLOAT) == 0,
            description.comp.0.shift == 0
        else { return false }
        let (width, height) = (Int(frame.raw.pointee.width), Int(frame.raw.pointee.height))
        let (stride, step) = (Int(frame.strides[0]), Int(description.comp.0.step))
        let scale = Double(1 << max(0, Int(description.comp.0.depth) - 8))
        var (combed, total) = (0, 0)
        for top in Swift.stride(from: 2, to: height - 2 - blockHeight, by: blockHeight) {
            for left in Swift.stride(from: 0, through: width - blockWidth, by: blockWidth) {
                let block = luma + top * stride + left * step
                let (across, within) =
                    description.comp.0.depth > 8
                    ? energies(UInt16.self, block, stride, step) : energies(UInt8.self, block, stride, step)
                total += 1
                let strength = Double(across) / Double(blockWidth * blockHeight) / scale
                if strength > floor, Double(across) > ratio * Double(within) { combed += 1 }
            }
        }
        return Double(combed) > share * Double(total)
    }

    /// The block's second differences from row to row (across the fields), and from one row of a
    /// field to its next.
    private static func energies<Sample: FixedWidthInteger & UnsignedInteger>(
        _: Sample.Type, _ block: UnsafeMutablePointer<UInt8>, _ stride: Int, _ step: Int
    ) -> (across: Int, within: Int) {
        var (across, within) = (0, 0)
        for y in 0..<blockHeight {
            let row = UnsafeRawPointer(block + y * stride)
            for x in Swift.stride(from: 0, to: blockWidth * step, by: step) {
                func at(_ line: Int) -> Int { Int(row.load(fromByteOffset: line * stride + x, as: Sample.self)) }
                let twice = 2 &* at(0)
                across &+= abs(at(-1) &+ at(1) &- twice)
                within &+= abs(at(-2) &+ at(2) &- twice)
            }
        }
        return (across, within)
    }
}
