import Composition
import Media
import Values

/// The frames of a draft as pictures that say what their numbers mean.
///
/// Where something of its background may be seen, the draft is made over black and over white: a
/// pixel is as opaque as the two are alike. The picture over black is then the premultiplied one.
final class DraftPictures {
    private let color: ColorSystem
    private let black: PictureGraph
    /// nil where nothing of the background can be seen.
    private let white: PictureGraph?
    /// All pictures have alpha where some of the draft may, so that each is taken on alike wherever
    /// its part begins.
    private let hasAlpha: Bool

    init(_ slice: Slice, hasAlpha: Bool, _ clock: SliceClock, _ supplies: PictureSupplies) throws {
        (color, self.hasAlpha) = (slice.color, hasAlpha)
        guard !slice.isOpaque else {
            var builder = GraphBuilder(nested: slice, clock, supplies)
            black = PictureGraph(try builder.build(), builder.lifetimes)
            white = nil
            return
        }
        var below = slice
        below.background = slice.background.over(.black)
        var first = GraphBuilder(nested: below, clock, supplies, isShared: true)
        black = PictureGraph(try first.build(), first.lifetimes)
        below.background = slice.background.over(.white)
        var second = GraphBuilder(nested: below, clock, supplies, taking: first.shared)
        white = PictureGraph(try second.build(), second.lifetimes)
    }

    func picture(_ index: Int) throws -> Picture {
        let picture = try black.frame(index)
        guard hasAlpha else { return try picture.tagged(as: color) }
        return try picture.withAlpha(white: try white?.frame(index) ?? picture, color)
    }

    func close() {
        black.close()
        white?.close()
    }
}
