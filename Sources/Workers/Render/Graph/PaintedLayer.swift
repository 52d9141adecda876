import Draft

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

    /// Bytes that are let go with the layer. An overlay is its node's.
    var ownBytes: Int {
        switch content {
        case .overlay: 0
        case .floats(let floats): floats.stride * floats.height
        case .placed(let picture, _): picture.floats.stride * picture.floats.height
        }
    }

    /// Paints the layer; what lies outside the canvas is cut off.
    func paint(onto canvas: LayerCanvas) {
        switch content {
        case .overlay(let overlay): canvas.paint(overlay, x: x, y: y, opacity: opacity)
        case .floats(let floats): canvas.paint(straight: floats, x: x, y: y, opacity: opacity)
        case .placed(let picture, let mode): canvas.paint(picture, x: x, y: y, opacity: opacity, mode)
        }
    }
}
