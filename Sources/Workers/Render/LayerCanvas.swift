import CKernels
import Draft
import Media

/// A canvas picture while layers are painted over it.
///
/// Chroma of the canvas is shared by neighbouring pixels. Where layers are painted it is kept at
/// full resolution until ``finish()``, so that layers that meet leave no seam and colours end where
/// luma does (`CKernels/canvas.c`).
///
/// Rows of different chroma samples do not share anything, so a picture may be painted in bands of
/// an even number of rows.
final class LayerCanvas {
    /// A band's chroma stays in the processor's cache while all layers are painted.
    private static let bandHeight = 32

    private var canvas = ck_canvas()
    private let picture: Picture
    private let top: Int
    private let memory: UnsafeMutableRawPointer
    private let bytes: Int

    /// - Parameters:
    ///   - picture: a canvas picture that nothing else sees. Its chroma is complete after
    ///     ``finish()``.
    ///   - rows: those that are painted, from an even one to an even one or the picture's last;
    ///     nil: all.
    init(_ picture: Picture, rows: Range<Int>? = nil) {
        let rows = rows ?? 0..<picture.height
        self.picture = picture
        top = rows.lowerBound
        bytes = ck_canvas_bytes(Int32(picture.width), Int32(rows.count))
        memory = IdleMemory.shared.take(bytes, alignment: FloatPicture.alignment)
        let (red, blue) = picture.lumaWeights
        ck_canvas_begin(&canvas, picture.kernel(rows), picture.isTenBits ? 10 : 8, red, blue, memory)
    }

    /// Paints all layers of a picture, in their order.
    /// - Parameter picture: a canvas picture that nothing else sees.
    static func paint(_ layers: [PaintedLayer], onto picture: Picture) {
        let (height, step) = (picture.height, bandHeight)
        ThreadPool.shared.perform((height + step - 1) / step) { band in
            let rows = band * step..<min(height, (band + 1) * step)
            let canvas = LayerCanvas(picture, rows: rows)
            for layer in layers { layer.paint(onto: canvas) }
            canvas.finish()
        }
    }

    deinit { IdleMemory.shared.give(memory, bytes) }

    /// Writes the painted layers' chroma into the picture.
    func finish() { ck_canvas_end(&canvas) }

    /// Blends an overlay; what lies outside the canvas is cut off.
    /// - Parameter opacity: 0…1 of the overlay's own alpha.
    func paint(_ overlay: Overlay, x: Int, y: Int, opacity: Double) {
        overlay.blend(onto: &canvas, x: Int32(clamping: x), y: Int32(clamping: y - top), opacity: opacity)
    }

    /// Blends floats with straight alpha.
    func paint(straight floats: FloatPicture, x: Int, y: Int, opacity: Double) {
        blend(floats, CK_RGBAF, x, y, opacity, CK_BLEND_NORMAL)
    }

    /// Blends a premultiplied picture by a mode.
    func paint(_ picture: PremultipliedPicture, x: Int, y: Int, opacity: Double, _ mode: BlendMode) {
        blend(picture.floats, CK_RGBAF_PRE, x, y, opacity, mode.kernel)
    }

    private func blend(
        _ floats: FloatPicture, _ samples: ck_samples, _ x: Int, _ y: Int, _ opacity: Double, _ mode: ck_blend_mode
    ) {
        ck_canvas_blend(
            &canvas, floats.floats, floats.stride, samples, Int32(clamping: x), Int32(clamping: y - top),
            Int32(floats.width), Int32(floats.height), Float(opacity), mode)
    }
}

extension BlendMode {
    fileprivate var kernel: ck_blend_mode {
        switch self {
        case .normal: CK_BLEND_NORMAL
        case .multiply: CK_BLEND_MULTIPLY
        case .screen: CK_BLEND_SCREEN
        case .overlay: CK_BLEND_OVERLAY
        case .darken: CK_BLEND_DARKEN
        case .lighten: CK_BLEND_LIGHTEN
        case .colorDodge: CK_BLEND_COLOR_DODGE
        case .colorBurn: CK_BLEND_COLOR_BURN
        case .hardLight: CK_BLEND_HARD_LIGHT
        case .softLight: CK_BLEND_SOFT_LIGHT
        case .difference: CK_BLEND_DIFFERENCE
        case .exclusion: CK_BLEND_EXCLUSION
        case .plusLighter: CK_BLEND_PLUS_LIGHTER
        }
    }
}
