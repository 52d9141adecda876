import Draft
import Media
import Values

/// Still pictures as they lie on the canvas, the last few: a photo may be a hundred times as large
/// as that, so it is decoded once, put on the canvas and forgotten, whatever the number of segments
/// that show it.
final class StillCache {
    struct Name: Hashable {
        var path: String
        var identity: FileIdentity
        var width: Int
        var height: Int
        var mode: ContentMode
        var background: Color
        var color: ColorSystem
    }

    /// Two are shown together in a transition, and the next segment mostly begins with the second.
    private static let limit = 2
    private var pictures: [(name: Name, picture: Picture)] = []

    /// The picture of this name, made where it is not there. Shared: do not write to it.
    func picture(_ name: Name, make: () throws -> Picture) throws -> Picture {
        if let index = pictures.firstIndex(where: { $0.name == name }) {
            pictures.append(pictures.remove(at: index))
        } else {
            pictures.append((name, try make()))
            if pictures.count > Self.limit { pictures.removeFirst() }
        }
        return pictures[pictures.count - 1].picture
    }
}
