import Composition
import Media

/// A still image on the canvas: converted once, and kept on the shelf for other slices.
final class StillPlacement: Node {
    private let source: any Node<StoredPicture>
    private let file: MediaFile
    private let fit: CanvasFit
    private let shelf: StillCache
    private var picture: Picture?

    init(_ source: any Node<StoredPicture>, of file: MediaFile, _ fit: CanvasFit, _ shelf: StillCache) {
        self.source = source
        self.file = file
        self.fit = fit
        self.shelf = shelf
    }

    func frame(_ number: Int) throws -> Surface? {
        if let picture { return Surface(picture, isOwned: false) }
        try file.checkUnchanged()
        guard let info = file.info.video else { throw file.hasNoPicture }
        let name = StillCache.Name(
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
