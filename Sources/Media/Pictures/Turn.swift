/// Turns planes by quarter turns.
enum Turn {
    /// Writes `source` turned clockwise by `degrees` (0, 90, 180, 270), and then mirrored left to
    /// right where asked. `width` and `height` are the source's; the target is its own memory with
    /// the sides swapped for 90 and 270.
    static func copy(
        _ source: UnsafePointer<UInt8>, stride: Int, width: Int, height: Int, degrees: Int, isMirrored: Bool,
        to target: UnsafeMutablePointer<UInt8>, targetStride: Int
    ) {
        turn(source, stride, width, height, degrees, isMirrored, target, targetStride)
    }

    /// The same for samples of 16 bits; strides are in bytes, and even.
    static func copyWide(
        _ source: UnsafePointer<UInt8>, stride: Int, width: Int, height: Int, degrees: Int, isMirrored: Bool,
        to target: UnsafeMutablePointer<UInt8>, targetStride: Int
    ) {
        turn(
            UnsafeRawPointer(source).assumingMemoryBound(to: UInt16.self), stride / 2, width, height, degrees,
            isMirrored,
            UnsafeMutableRawPointer(target).assumingMemoryBound(to: UInt16.self), targetStride / 2)
    }

    /// Strides in samples.
    @inline(__always)
    private static func turn<Sample>(
        _ source: UnsafePointer<Sample>, _ stride: Int, _ width: Int, _ height: Int, _ degrees: Int, _ isMirrored: Bool,
        _ target: UnsafeMutablePointer<Sample>, _ targetStride: Int
    ) {
        // The address of source (x, y) moves by `across` for each target column and by `down` for
        // each target row.
        let (origin, across, down): (Int, Int, Int) =
            switch degrees {
            case 90: ((height - 1) * stride, -stride, 1)
            case 180: ((height - 1) * stride + width - 1, -1, -stride)
            case 270: (width - 1, stride, -1)
            default: (0, 1, stride)
            }
        let (columns, rows) = degrees % 180 == 0 ? (width, height) : (height, width)
        let start = isMirrored ? origin + (columns - 1) * across : origin
        let step = isMirrored ? -across : across
        // Square blocks keep the lines that a quarter turn touches in the cache.
        let block = 32
        for top in Swift.stride(from: 0, to: rows, by: block) {
            for left in Swift.stride(from: 0, to: columns, by: block) {
                let right = min(left + block, columns)
                for row in top..<min(top + block, rows) {
                    var from = source + (start &+ row &* down &+ left &* step)
                    let line = target + row &* targetStride
                    for column in left..<right {
                        line[column] = from.pointee
                        from += step
                    }
                }
            }
        }
    }
}
