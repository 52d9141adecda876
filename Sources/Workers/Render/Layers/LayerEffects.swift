import CKernels
import Media
import Values

/// A layer's picture as a surface in the canvas' colours, with its alpha, for the layer's own
/// effects.
final class LayerColors: Node {
    private let source: any Node<LayerPicture>
    private let color: ColorSystem
    private var last: (number: Int, source: LayerPicture, picture: LayerPicture)?

    /// - Parameter color: the canvas's.
    init(_ source: any Node<LayerPicture>, _ color: ColorSystem) {
        self.source = source
        self.color = color
    }

    func frame(_ number: Int) throws -> Surface? {
        guard let picture = try picture(number), case .canvas(let colors) = picture.pixels else { return nil }
        return Surface(colors, isOwned: false)
    }

    /// The picture of a frame, in the canvas' colours.
    func picture(_ number: Int) throws -> LayerPicture? {
        if let last, last.number == number { return last.picture }
        guard let source = try source.frame(number) else { return nil }
        // A still is converted once.
        let known = last.flatMap {
            source.isKept && $0.source.identity == source.identity ? $0.picture : nil
        }
        let made = try known ?? source.inCanvasColors(color)
        last = (number, source, made)
        return made
    }

    func close() { last = nil }
}

/// A layer's picture after its own effects, with the alpha that they leave.
final class LayerAfterEffects: Node {
    let effects = Switch<Surface>()
    private let before: LayerColors

    init(_ before: LayerColors) { self.before = before }

    func frame(_ number: Int) throws -> LayerPicture? {
        guard var picture = try before.picture(number), let surface = try effects.frame(number) else { return nil }
        picture.pixels = .canvas(surface.picture)
        return picture
    }
}

extension LayerPicture {
    /// The same with colours as the canvas has them. A picture that is neither even in its sides
    /// nor that small may lose its last row or column.
    func inCanvasColors(_ color: ColorSystem) throws -> LayerPicture {
        let (even, format) = ((width: width & ~1, height: height & ~1), color.formatWithAlpha)
        switch pixels {
        case .canvas: return self
        case .floats(let floats):
            let colors = try Picture(width: even.width, height: even.height, format: format)
            try PluginPicture.floats(floats).write(to: colors, CK_CHROMA_MEAN)
            return LayerPicture(pixels: .canvas(colors), pixelAspect: pixelAspect)
        case .rgba(let rgba):
            let colors = try Picture(width: even.width, height: even.height, format: format)
            if color.isHDR {
                let floats = FloatPicture(width: colors.width, height: colors.height)
                try floats.read(rgba: rgba, color)
                try PluginPicture.floats(floats).write(to: colors, CK_CHROMA_MEAN)
            } else {
                // The picture itself is shared with others.
                try PluginPicture.bytes(try rgba.copy()).write(to: colors, CK_CHROMA_MEAN)
            }
            return LayerPicture(pixels: .canvas(colors), pixelAspect: pixelAspect)
        }
    }
}
