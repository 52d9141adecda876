import Media

/// A canvas picture on its way through the effects. It may show a picture that others see too (a
/// decoder's, a cache's); who wants to write into it asks for ``writable()``, which copies only
/// then.
struct Surface {
    private(set) var picture: Picture
    private var isOwned: Bool

    /// Nothing else uses the picture.
    var isWritable: Bool { isOwned }

    /// - Parameter isOwned: nothing else uses `picture`.
    init(_ picture: Picture, isOwned: Bool) {
        self.picture = picture
        self.isOwned = isOwned
    }

    mutating func writable() throws(MediaError) -> Picture {
        if !isOwned {
            picture = try picture.copy()
            isOwned = true
        }
        return picture
    }

    mutating func replace(with picture: Picture) {
        self.picture = picture
        isOwned = true
    }
}
