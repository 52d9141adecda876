import Composition
import Media

/// A still image as its file stores it, the same in every frame.
final class StillSource: Node {
    private let file: MediaFile
    private let isKept: Bool
    private let damage: DamageNotes
    private var picture: StoredPicture?

    /// - Parameter isKept: the picture, which is as large as the file's, stays until the node is
    ///   closed. Else each frame decodes it again: for callers that ask once.
    init(_ file: MediaFile, isKept: Bool, _ damage: DamageNotes) {
        self.file = file
        self.damage = damage
        self.isKept = isKept
    }

    func frame(_ number: Int) throws -> StoredPicture? {
        if let picture { return picture }
        try file.checkUnchanged()
        let loaded = try StoredPicture(path: file.path)
        damage.decoded(file, isDamaged: loaded.isDamaged)
        if isKept { picture = loaded }
        return loaded
    }

    func close() { picture = nil }
}
