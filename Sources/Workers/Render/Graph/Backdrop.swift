import Composition
import Media
import Values

/// A colour, the same picture in every frame: what a clip shows whose content is left out, and what
/// is behind one that does not fill the canvas.
final class Backdrop: Node {
    private let slice: Slice
    private let background: Color
    private var picture: Picture?

    init(_ slice: Slice, _ background: Color) { (self.slice, self.background) = (slice, background) }

    func frame(_ number: Int) throws -> Surface? {
        let shown =
            try picture
            ?? .background(background, width: slice.size.width, height: slice.size.height, slice.color)
        picture = shown
        return Surface(shown, isOwned: false)
    }

    func close() { picture = nil }
}
