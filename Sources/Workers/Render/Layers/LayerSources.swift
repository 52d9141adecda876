import Composition
import Draft
import Media
import Values

/// A still image as a layer's picture, kept while the node is open.
final class LayerStill: Node {
    private let source: any Node<StoredPicture>
    private let file: MediaFile
    private let size: Canvas.Size?
    private let stills: LayerStills
    private var picture: LayerPicture?

    /// - Parameters:
    ///   - source: the picture of `file`.
    ///   - size: of the picture; nil: its own.
    ///   - stills: where other layers may have it.
    init(_ source: any Node<StoredPicture>, of file: MediaFile, _ size: Canvas.Size?, _ stills: LayerStills) {
        (self.source, self.file, self.size, self.stills) = (source, file, size, stills)
    }

    func frame(_ number: Int) throws -> LayerPicture? {
        if let picture { return picture }
        let name = LayerStills.Name(path: file.path, identity: file.info.identity, size: size)
        let rgba = try stills.picture(name) {
            guard let stored = try source.frame(number) else { throw file.hasNoPicture }
            return try stored.rgba(width: size?.width, height: size?.height)
        }
        picture = LayerPicture(pixels: .rgba(rgba))
        return picture
    }

    func close() { picture = nil }
}

/// The pictures of a file that moves and has alpha as a layer's.
final class LayerVideo: Node {
    private let source: any Node<StoredPicture>
    private let info: VideoStreamInfo
    private let size: Canvas.Size
    /// The picture that was made last, which several frames may show.
    private var last: (stored: Picture, made: LayerPicture)?

    /// - Parameter size: of the pictures.
    init(_ source: any Node<StoredPicture>, _ info: VideoStreamInfo, _ size: Canvas.Size) {
        (self.source, self.info, self.size) = (source, info, size)
    }

    func frame(_ number: Int) throws -> LayerPicture? {
        guard let stored = try source.frame(number) else { return nil }
        if let last, last.stored === stored.picture { return last.made }
        let made = LayerPicture(
            pixels: .rgba(try stored.rgba(width: size.width, height: size.height)),
            pixelAspect: info.pixelAspect(width: size.width, height: size.height))
        last = (stored.picture, made)
        return made
    }

    func close() { last = nil }
}

/// Opaque pictures in the canvas' own colours, but at their own size, as a layer's.
final class LayerSurface: Node {
    private let source: any Node<Surface>
    private let pixelAspect: Double

    init(_ source: any Node<Surface>, _ pixelAspect: Double) { (self.source, self.pixelAspect) = (source, pixelAspect) }

    func frame(_ number: Int) throws -> LayerPicture? {
        try source.frame(number).map { LayerPicture(pixels: .canvas($0.picture), pixelAspect: pixelAspect) }
    }
}

/// One colour as a layer's picture, of the canvas' shape.
final class LayerColor: Node {
    private let color: Color?
    private let canvas: Canvas.Size
    private let size: Canvas.Size
    private var picture: LayerPicture?

    /// - Parameters:
    ///   - color: nil: there is nothing to see.
    ///   - size: of the picture; nil: as small as may be.
    init(_ color: Color?, _ canvas: Canvas.Size, within size: Canvas.Size?) {
        (self.color, self.canvas) = (color, canvas)
        self.size = size ?? Canvas.Size(width: 2, height: 2)
    }

    func frame(_ number: Int) throws -> LayerPicture? {
        if let picture { return picture }
        guard let color else { return nil }
        let rgba = try Picture(width: size.width, height: size.height, format: .rgba)
        for y in 0..<size.height {
            let row = rgba.plane(0) + y * rgba.stride(0)
            for x in 0..<size.width {
                (row[4 * x], row[4 * x + 1]) = (color.red, color.green)
                (row[4 * x + 2], row[4 * x + 3]) = (color.blue, color.alpha)
            }
        }
        let shape = Double(canvas.width) / Double(canvas.height)
        picture = LayerPicture(
            pixels: .rgba(rgba), pixelAspect: shape * Double(size.height) / Double(size.width))
        return picture
    }

    func close() { picture = nil }
}

/// What a plugin's source makes, as a layer's picture.
final class LayerMade: Node {
    private let source: any Node<PluginPicture>

    init(_ source: any Node<PluginPicture>) { self.source = source }

    func frame(_ number: Int) throws -> LayerPicture? {
        try source.frame(number).map { made in
            switch made {
            case .canvas(let picture): LayerPicture(pixels: .canvas(picture))
            case .bytes(let rgba): LayerPicture(pixels: .rgba(rgba), isReused: true)
            case .floats(let floats): LayerPicture(pixels: .floats(floats))
            }
        }
    }
}

/// The nodes of a layer's clip.
struct LayerContent {
    var output: any Node<LayerPicture>
    /// The same in the canvas' colours, for effects.
    var colors: LayerColors
    /// Every node that opens or keeps something.
    var parts: [any Node]
    /// The size of the pictures where effects act on them.
    var size: Canvas.Size
    /// See ``GraphBuilder/makeLayerContent(_:_:within:)``.
    var limit: Canvas.Size?

    init(
        _ output: any Node<LayerPicture>, _ parts: [any Node], _ size: Canvas.Size, _ limit: Canvas.Size?,
        _ color: ColorSystem
    ) {
        (self.output, self.parts, self.size, self.limit) = (output, parts, size, limit)
        colors = LayerColors(output, color)
    }
}
