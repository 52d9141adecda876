import Composition
import Draft
import Media
import Messaging

/// How files' pictures come to lie on a canvas: in its colours, at its size, over its background.
struct CanvasFit {
    var size: Canvas.Size
    var mode: ContentMode
    var background: Color = .black
    var color: ColorSystem = .sdr

    func makeConverter() -> CanvasConverter {
        CanvasConverter(width: size.width, height: size.height, mode: mode, background: background, color: color)
    }
}

/// The pictures of a file that moves on the canvas: converted, and laid over the background where they have alpha.
final class CanvasPlacement: Node {
    private let source: any Node<StoredPicture>
    private let file: MediaFile
    private let fit: CanvasFit
    /// It keeps the picture that it made last, which several frames may show.
    private var converter: CanvasConverter?

    init(_ source: any Node<StoredPicture>, of file: MediaFile, _ fit: CanvasFit) {
        self.source = source
        self.file = file
        self.fit = fit
    }

    func frame(_ number: Int) throws -> Surface? {
        guard let stored = try source.frame(number) else { return nil }
        guard let info = file.info.video else { throw file.hasNoPicture }
        let converter = converter ?? fit.makeConverter()
        self.converter = converter
        return Surface(try converter.convert(stored.picture, info: info), isOwned: false)
    }

    func close() { converter = nil }
}

/// A still image on the canvas: converted once, and kept on the shelf for other slices.
final class StillPlacement: Node {
    private let source: any Node<StoredPicture>
    private let file: MediaFile
    private let fit: CanvasFit
    private let shelf: StillShelf
    private var picture: Picture?

    init(_ source: any Node<StoredPicture>, of file: MediaFile, _ fit: CanvasFit, _ shelf: StillShelf) {
        self.source = source
        self.file = file
        self.fit = fit
        self.shelf = shelf
    }

    func frame(_ number: Int) throws -> Surface? {
        if let picture { return Surface(picture, isOwned: false) }
        try file.checkUnchanged()
        guard let info = file.info.video else { throw file.hasNoPicture }
        let name = StillShelf.Name(
            path: file.path, identity: file.info.identity, width: fit.size.width, height: fit.size.height,
            mode: fit.mode, background: fit.background, color: fit.color)
        let placed = try shelf.picture(name) {
            guard let stored = try source.frame(number) else { throw file.hasNoPicture }
            return try fit.makeConverter().convert(stored.picture, info: info)
        }
        picture = placed
        return Surface(placed, isOwned: false)
    }

    func close() { picture = nil }
}

extension MediaFile {
    var hasNoPicture: JobFailure { JobFailure(.input, "‘\(path)’ has no picture.") }
}
