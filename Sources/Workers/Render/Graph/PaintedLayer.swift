import CKernels
import Draft
import Media

/// A picture with alpha and where it lies on the canvas: what a composition paints over its base.
struct PaintedLayer {
    enum Content {
        /// Prepared for the canvas' own format.
        case overlay(Overlay)
        /// In floats, which a plugin's source made.
        case floats(FloatPicture)
        /// In floats, sampled for the canvas' pixels.
        case placed(PremultipliedPicture, BlendMode)
    }

    var content: Content
    /// The top left pixel on the canvas; may be negative.
    var x: Int
    var y: Int
    /// Above 0; a factor on the content's own alpha.
    var opacity: Double

    /// - Parameter canvas: a canvas picture that nobody else sees. What lies outside of it is cut off.
    func paint(onto canvas: Picture) {
        switch content {
        case .overlay(let overlay): overlay.blend(onto: canvas, x: x, y: y, opacity: opacity)
        case .floats(let floats): paint(floats, onto: canvas)
        case .placed(let picture, let blend): picture.paint(onto: canvas, x: x, y: y, opacity: opacity, blend)
        }
    }

    /// In floats, and only in the part of the canvas that the layer touches: whole blocks of pixels that share their chroma.
    private func paint(_ floats: FloatPicture, onto canvas: Picture) {
        let (left, top) = (max(0, x) & ~1, max(0, y) & ~1)
        let right = min(canvas.width, x + floats.width + 1) & ~1
        let bottom = min(canvas.height, y + floats.height + 1) & ~1
        guard left < right, top < bottom else { return }
        let part = canvas.part(x: left, y: top, width: right - left, height: bottom - top)
        let under = FloatPicture(width: right - left, height: bottom - top)
        under.read(canvas, part: part)
        under.blend(floats, x: x - left, y: y - top, opacity: min(1, opacity))
        under.write(to: canvas, part: part)
    }
}
