import CKernels
import Draft
import Media

/// A layer's picture as a surface in the canvas' colours, for the layer's own effects. Its alpha is kept beside.
final class LayerColors: Node {
    private let source: any Node<LayerPicture>
    private let color: ColorSystem
    private var last: (number: Int, picture: LayerPicture)?

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
        guard let made = try source.frame(number).map({ try $0.inCanvasColors(color) }) else { return nil }
        last = (number, made)
        return made
    }

    func close() { last = nil }
}

/// A layer's picture after its own effects, with the alpha that it had before.
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
    /// The same with colours as the canvas has them. A picture that is neither even in its sides nor that small may lose its last row or
    /// column.
    func inCanvasColors(_ color: ColorSystem) throws -> LayerPicture {
        let rgba: Picture
        switch pixels {
        case .canvas: return self
        case .rgba(let picture): rgba = picture
        case .floats(let floats):
            let colors = try Picture(width: floats.width & ~1, height: floats.height & ~1, format: color.pictureFormat)
            let alpha = try Picture(width: colors.width, height: colors.height, format: .rgba)
            floats.write(to: colors)
            floats.writeAlpha(to: alpha)
            return LayerPicture(pixels: .canvas(colors), alpha: alpha, pixelAspect: pixelAspect)
        }
        let colors = try Picture(width: rgba.width & ~1, height: rgba.height & ~1, format: color.pictureFormat)
        if color.isHDR {
            let floats = FloatPicture(width: colors.width, height: colors.height)
            try floats.read(rgba: rgba, color)
            floats.write(to: colors)
        } else {
            ck_yuv_from_rgba(colors.kernel, rgba.plane(0), rgba.stride(0))
        }
        return LayerPicture(pixels: .canvas(colors), alpha: rgba, pixelAspect: pixelAspect)
    }
}
