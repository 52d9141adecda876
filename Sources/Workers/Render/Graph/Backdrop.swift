import Composition
import Media

/// The draft's background, the same picture in every frame: what a clip shows whose content is left out.
final class Backdrop: Node {
    private let slice: Slice
    private var picture: Picture?

    init(_ slice: Slice) { self.slice = slice }

    func frame(_ number: Int) throws -> Surface? {
        let shown =
            try picture
            ?? .background(slice.background, width: slice.size.width, height: slice.size.height, slice.color)
        picture = shown
        return Surface(shown, isOwned: false)
    }

    func close() { picture = nil }
}
