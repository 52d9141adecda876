import CKernels
import Draft
import Media
import Values

/// The colour of a layer's shadow as the canvas encodes it.
struct ShadowColor {
    /// Red, green, blue and alpha, premultiplied.
    let components: [Float]

    /// - Parameter canvas: the canvas's.
    init(_ color: Color, _ canvas: ColorSystem) throws {
        let alpha = Float(color.alpha) / 255
        var encoded = [color.red, color.green, color.blue].map { Float($0) / 255 }
        if canvas.isHDR {
            let rgba = try Picture(width: 1, height: 1, format: .rgba)
            for (index, part) in [color.red, color.green, color.blue, 255].enumerated() {
                rgba.plane(0)[index] = part
            }
            let floats = FloatPicture(width: 1, height: 1)
            try floats.read(rgba: rgba, canvas)
            encoded = (0..<3).map { floats.floats[$0] }
        }
        components = encoded.map { $0 * alpha } + [alpha]
    }
}

extension PremultipliedPicture {
    /// The picture above its shadow, as far as either is on the canvas.
    /// - Parameters:
    ///   - x, y: the picture's top left pixel on the canvas.
    ///   - canvas: the canvas' size.
    /// - Returns: the picture and its own top left pixel; nil where nothing of it is on the canvas.
    func casting(
        _ shadow: LayerShadow.Cast, _ color: ShadowColor, at x: Int, _ y: Int, on canvas: Canvas.Size
    ) throws -> (picture: PremultipliedPicture, x: Int, y: Int)? {
        // A pixel for the part of one by which it is moved.
        let soft = Int((3 * shadow.sigma).rounded(.up)) + 1
        var cast = PremultipliedPicture(width: width + 2 * soft, height: height + 2 * soft)
        cast.clear()
        ck_tint_rgba(
            cast.pixel(soft, soft), cast.floats.stride, floats.floats, floats.stride, Int32(width),
            Int32(height),
            color.components)
        if shadow.sigma > 0 { try cast.blur(shadow.sigma) }
        let (right, down) = (shadow.x.rounded(.down), shadow.y.rounded(.down))
        if shadow.x != right || shadow.y != down {
            let map = ck_affine(a: 1, b: 0, c: right - shadow.x, d: 0, e: 1, f: down - shadow.y)
            cast = cast.turned(width: cast.width, height: cast.height, map)
        }
        let (castX, castY) = (x - soft + Int(right), y - soft + Int(down))
        let columns =
            max(0, min(x, castX))..<max(0, min(canvas.width, max(x + width, castX + cast.width)))
        let rows =
            max(0, min(y, castY))..<max(0, min(canvas.height, max(y + height, castY + cast.height)))
        guard !columns.isEmpty, !rows.isEmpty else { return nil }
        let result = PremultipliedPicture(width: columns.count, height: rows.count)
        result.clear()
        result.lay(cast, at: castX - columns.lowerBound, castY - rows.lowerBound)
        result.lay(self, at: x - columns.lowerBound, y - rows.lowerBound)
        return (result, columns.lowerBound, rows.lowerBound)
    }

    private func clear() {
        for y in 0..<height { pixel(0, y).update(repeating: 0, count: 4 * width) }
    }

    private func pixel(_ x: Int, _ y: Int) -> UnsafeMutablePointer<Float> {
        floats.floats + y * floats.stride / MemoryLayout<Float>.stride + 4 * x
    }

    /// Lays another one over this one; what lies outside is cut off.
    private func lay(_ other: PremultipliedPicture, at x: Int, _ y: Int) {
        let columns = max(0, x)..<max(max(0, x), min(width, x + other.width))
        let rows = max(0, y)..<max(max(0, y), min(height, y + other.height))
        guard !columns.isEmpty, !rows.isEmpty else { return }
        ck_blend_rgba(
            pixel(columns.lowerBound, rows.lowerBound), floats.stride,
            other.pixel(columns.lowerBound - x, rows.lowerBound - y), other.floats.stride,
            Int32(columns.count),
            Int32(rows.count), 1, CK_BLEND_NORMAL)
    }
}
