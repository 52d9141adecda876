/// Turns planes of bytes by quarter turns.
enum Turn {
    /// Writes `source` turned clockwise by `degrees` (0, 90, 180, 270), and then mirrored left to right where asked.
    /// `width` and `height` are the source's; the target is its own memory with the sides swapped for 90 and 270.
    static func copy(
        _ source: UnsafePointer<UInt8>, stride: Int, width: Int, height: Int, degrees: Int, isMirrored: Bool,
        to target: UnsafeMutablePointer<UInt8>, targetStride: Int
    ) {
        // The address of source (x, y) moves by `across` for each target column and by `down` for each target row.
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
