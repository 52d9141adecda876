import Draft

/// Where a picture of one shape goes on a canvas of another: which part of the stored picture is
/// used, and which rectangle of the canvas it fills.
struct FittedRect: Hashable {
    /// In the stored picture, before rotation; its position is centred.
    var crop: (width: Int, height: Int)
    /// On the canvas; even, so that chroma samples stay whole.
    var x: Int
    var y: Int
    var width: Int
    var height: Int

    static func == (a: FittedRect, b: FittedRect) -> Bool {
        a.crop == b.crop && a.x == b.x && a.y == b.y && a.width == b.width && a.height == b.height
    }

    func hash(into hasher: inout Hasher) {
        for value in [crop.width, crop.height, x, y, width, height] { hasher.combine(value) }
    }

    /// - Parameters:
    ///   - stored: the decoded picture's size.
    ///   - shown: its size in square pixels after rotation; only the shape counts.
    ///   - isTurned: the rotation is by 90 or 270 degrees.
    init(
        stored: (width: Int, height: Int), shown: (width: Int, height: Int), isTurned: Bool,
        canvas: (width: Int, height: Int), mode: ContentMode
    ) {
        crop = stored
        (x, y, width, height) = (0, 0, canvas.width, canvas.height)
        let (sw, sh) = (Double(max(1, shown.width)), Double(max(1, shown.height)))
        let (cw, ch) = (Double(canvas.width), Double(canvas.height))
        switch mode {
        case .stretch: break
        case .fit:
            let scale = min(cw / sw, ch / sh)
            width = Self.even(sw * scale, atMost: canvas.width)
            height = Self.even(sh * scale, atMost: canvas.height)
            x = (canvas.width - width) / 4 * 2
            y = (canvas.height - height) / 4 * 2
        case .fill:
            let scale = max(cw / sw, ch / sh)
            let (usedX, usedY) = (min(1, cw / (sw * scale)), min(1, ch / (sh * scale)))
            crop.width = Self.part(isTurned ? usedY : usedX, of: stored.width)
            crop.height = Self.part(isTurned ? usedX : usedY, of: stored.height)
        }
    }

    /// The nearest even length; the full one where it is within a pixel of that.
    private static func even(_ length: Double, atMost limit: Int) -> Int {
        let rounded = max(2, Int((length / 2).rounded()) * 2)
        return rounded >= limit - 1 ? limit : rounded
    }

    private static func part(_ fraction: Double, of length: Int) -> Int {
        min(length, max(1, Int((Double(length) * fraction).rounded())))
    }
}
