import Composition
import Media

/// The pictures of a file that moves on the canvas: converted, and laid over the background where
/// they have alpha.
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
