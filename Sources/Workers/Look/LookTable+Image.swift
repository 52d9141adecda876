extension LookTable {
    /// Reads a look-up image, which is one of
    /// - 512×512 pixels in 8×8 tiles of 64×64: red runs across a tile, green down it, blue from
    ///   tile to tile in reading order (the layout of GPUImage's `lookup.png`);
    /// - a Hald image of level L = 2…16: a square of side L³ whose pixels in reading order are the
    ///   L²-sided table, red fastest (https://www.quelsolaar.com/technology/clut.html). A Hald
    ///   image of level 8 has 512×512 pixels too; the two are told apart by which of both readings
    ///   is the smoother table.
    /// - Parameters:
    ///   - pixels: red, green, blue, alpha of 8 bits each, rows from the top; alpha is not used.
    ///   - stride: bytes from row to row.
    init(pixels: UnsafeRawBufferPointer, width: Int, height: Int, stride: Int) throws(Defect) {
        guard width == height, let level = (2...16).first(where: { $0 * $0 * $0 == width }) else {
            throw Defect(
                reason:
                    "it has \(width)×\(height) pixels; a look-up image has 512×512 (8×8 tiles of 64×64), or is a Hald image "
                    + "with a side of 8, 27, 64, 125, 216, 343, 512 …")
        }
        guard stride >= 4 * width, pixels.count >= stride * (height - 1) + 4 * width else {
            throw Defect(reason: "its pixels are not all there")
        }
        let hald = Self.read(pixels, stride: stride, size: level * level) { index in
            (index % width, index / width)
        }
        guard level == 8 else {
            self = hald
            return
        }
        let tiles = Self.read(pixels, stride: stride, size: 64) { index in
            let (red, green, blue) = (index & 63, index >> 6 & 63, index >> 12)
            return (blue % 8 * 64 + red, blue / 8 * 64 + green)
        }
        self = hald.roughness < tiles.roughness ? hald : tiles
    }

    /// - Parameter place: the pixel (x, y) of each entry, in the table's order.
    private static func read(
        _ pixels: UnsafeRawBufferPointer, stride: Int, size: Int, place: (Int) -> (Int, Int)
    ) -> LookTable {
        let count = size * size * size
        let rgb = [Float](unsafeUninitializedCapacity: 3 * count) { buffer, initialized in
            for index in 0..<count {
                let (x, y) = place(index)
                for channel in 0..<3 {
                    buffer.initializeElement(
                        at: 3 * index + channel, to: Float(pixels[y * stride + 4 * x + channel]) / 255)
                }
            }
            initialized = 3 * count
        }
        return LookTable(size: size, rgb: rgb)
    }

    /// Sum of the differences between neighbours over a coarse grid: a look changes colours
    /// smoothly, so the wrong reading of an image, which tears neighbours apart, is far rougher.
    private var roughness: Float {
        var sum: Float = 0
        for blue in Swift.stride(from: 0, to: size - 1, by: 3) {
            for green in Swift.stride(from: 0, to: size - 1, by: 3) {
                for red in Swift.stride(from: 0, to: size - 1, by: 3) {
                    let entry = 3 * (red + size * (green + size * blue))
                    for neighbour in [3, 3 * size, 3 * size * size] {
                        for channel in 0..<3 { sum += abs(rgb[entry + channel] - rgb[entry + neighbour + channel]) }
                    }
                }
            }
        }
        return sum
    }
}
