import Draft
import Media

/// Still images as layers show them, mostly as large as their files: layers that show the same one
/// at the same time have one picture between them. Here nothing is kept; a picture lives as long as
/// a layer has it.
final class LayerStills {
    struct Name: Hashable {
        var path: String
        var identity: FileIdentity
        /// nil: the file's own.
        var size: Canvas.Size?
    }

    private struct Shown {
        weak var picture: Picture?
    }

    private var shown: [Name: Shown] = [:]

    /// The picture of this name, made where no layer has it. Shared: do not write to it.
    func picture(_ name: Name, make: () throws -> Picture) throws -> Picture {
        if let known = shown[name]?.picture { return known }
        let new = try make()
        shown = shown.filter { $0.value.picture != nil }
        shown[name] = Shown(picture: new)
        return new
    }
}
