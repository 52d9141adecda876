import CKernels
import Composition
import Draft
import Media

/// The pictures of a plugin's source as a clip on the canvas: laid over the background where they
/// have alpha.
///
/// A source that lists 4:2:0 first says that its pictures have no alpha, and they are the canvas'
/// own.
final class PluginPlacement: Node {
    private let source: any Node<PluginPicture>
    private let fit: CanvasFit
    private let pulse: Pulse

    init(_ source: any Node<PluginPicture>, _ fit: CanvasFit, pulse: @escaping Pulse) {
        self.source = source
        self.fit = fit
        self.pulse = pulse
    }

    func frame(_ number: Int) throws -> Surface? {
        guard let made = try source.frame(number) else { return nil }
        let picture = try placed(made)
        try pulse(true)
        return Surface(picture, isOwned: true)
    }

    private func placed(_ made: PluginPicture) throws -> Picture {
        let (background, size) = (fit.background, fit.size)
        switch made {
        case .canvas(let picture): return picture
        case .bytes(let rgba):
            ck_rgba_over_color(
                rgba.plane(0), rgba.stride(0), Int32(size.width), Int32(size.height),
                [background.red, background.green, background.blue])
            let result = try Picture(width: size.width, height: size.height, format: fit.color.pictureFormat)
            try made.write(to: result, CK_CHROMA_MEAN)
            return result
        case .floats(let floats):
            let result = try Picture.background(background, width: size.width, height: size.height, fit.color)
            let canvas = LayerCanvas(result)
            canvas.paint(straight: floats, x: 0, y: 0, opacity: 1)
            canvas.finish()
            return result
        }
    }
}
