import CKernels
import Draft
import Media

/// A canvas picture while layers are painted over it.
///
/// Chroma of the canvas is shared by neighbouring pixels. Where layers are painted it is kept at full resolution until
/// ``finish()``, so that layers that meet leave no seam and colours end where luma does (`CKernels/canvas.c`).
final class LayerCanvas {
    private var canvas = ck_canvas()
    private let picture: Picture
    private let memory: UnsafeMutableRawPointer
    private let bytes: Int

    /// - Parameter picture: a canvas picture that nothing else sees. Its chroma is complete after ``finish()``.
    init(_ picture: Picture) {
        self.picture = picture
        bytes = ck_canvas_bytes(Int32(picture.width), Int32(picture.height))
        memory = IdleMemory.shared.take(bytes, alignment: FloatPicture.alignment)
        let (red, blue) = picture.lumaWeights
        ck_canvas_begin(&canvas, picture.kernel, picture.isTenBits ? 10 : 8, red, blue, memory)
    }

    deinit { IdleMemory.shared.give(memory, bytes) }

    /// Writes the painted layers' chroma into the picture.
    func finish() { ck_canvas_end(&canvas) }

    /// Blends an overlay; what lies outside the canvas is cut off.
    /// - Parameter opacity: 0…1 of the overlay's own alpha.
    func paint(_ overlay: Overlay, x: Int, y: Int, opacity: Double) {
        overlay.blend(onto: &canvas, x: Int32(clamping: x), y: Int32(clamping: y), opacity: opacity)
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
            &canvas, floats.floats, floats.stride, samples, Int32(clamping: x), Int32(clamping: y),
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
