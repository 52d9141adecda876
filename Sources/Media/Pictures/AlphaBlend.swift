/// Lays a picture with straight alpha over the canvas.
enum AlphaBlend {
    /// `picture` is ``Picture/Format/yuva420p``, `canvas` ``Picture/Format/yuv420p``; `x` and `y` are even. Chroma takes
    /// the mean alpha of its four luma samples.
    static func lay(_ picture: Picture, over canvas: Picture, x: Int, y: Int) {
        let (alpha, alphaStride) = (picture.plane(3), picture.stride(3))
        let columns = min(picture.width, canvas.width - x)
        let rows = min(picture.height, canvas.height - y)
        for row in 0..<rows {
            let from = picture.plane(0) + row * picture.stride(0)
            let to = canvas.plane(0) + (row + y) * canvas.stride(0) + x
            let mask = alpha + row * alphaStride
            for column in 0..<columns { to[column] = mix(to[column], from[column], UInt32(mask[column])) }
        }
        let (chromaColumns, chromaRows) = ((columns + 1) / 2, (rows + 1) / 2)
        for plane in 1...2 {
            for row in 0..<chromaRows {
                let from = picture.plane(plane) + row * picture.stride(plane)
                let to = canvas.plane(plane) + (row + y / 2) * canvas.stride(plane) + x / 2
                let upper = alpha + 2 * row * alphaStride
                let lower = alpha + min(2 * row + 1, rows - 1) * alphaStride
                for column in 0..<chromaColumns {
                    let (left, right) = (2 * column, min(2 * column + 1, columns - 1))
                    let sum = UInt32(upper[left]) &+ UInt32(upper[right]) &+ UInt32(lower[left]) &+ UInt32(lower[right])
                    to[column] = mix(to[column], from[column], (sum &+ 2) >> 2)
                }
            }
        }
    }

    /// `under + (over − under) · alpha/255`, rounded.
    @inline(__always)
    private static func mix(_ under: UInt8, _ over: UInt8, _ alpha: UInt32) -> UInt8 {
        UInt8(truncatingIfNeeded: (UInt32(over) &* alpha &+ UInt32(under) &* (255 &- alpha) &+ 127) / 255)
    }
}
