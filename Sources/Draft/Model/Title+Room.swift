/// The space that a canvas leaves for a title's text.
extension Title {
    /// The pixels by which the background reaches beyond the text.
    public var padding: (side: Int, edge: Int) {
        (Int((backgroundPadding?.x ?? size / 4).rounded()), Int((backgroundPadding?.y ?? size / 8).rounded()))
    }

    /// The pixels between the text and the edges of the canvas that its position names: a
    /// background keeps the margin itself.
    public var marginOfText: Pair {
        guard background.alpha > 0 else { return margin }
        return Pair(x: margin.x + Double(padding.side), y: margin.y + Double(padding.edge))
    }

    /// Returns the width at which lines are wrapped, in pixels: ``width``, else the room between
    /// the point that the box is placed at and the edges of the canvas.
    ///
    /// A point that leaves less than the font's size, or lies outside the canvas, leaves no room
    /// for any text: lines are wrapped at the canvas' width then. A position that changes with time
    /// says nothing, so the canvas' width counts there too.
    public func wrapWidth(on canvas: Canvas.Size) -> Int {
        if let width { return width }
        guard path?.position == nil else { return canvas.width }
        let (share, point) = (anchorShares.x, x.point(in: canvas.width, margin: marginOfText.x))
        let side = background.alpha > 0 ? Double(padding.side) : 0
        let before = share > 0 ? (point - side) / share : .infinity
        let after = share < 1 ? (Double(canvas.width) - side - point) / (1 - share) : .infinity
        let room = min(before, after, Double(canvas.width)).rounded(.down)
        return room >= max(1, size) ? Int(room) : canvas.width
    }
}

extension Title.Coordinate {
    /// Returns the coordinate in pixels of the canvas.
    /// - Parameter whole: the canvas' width or height.
    public func point(in whole: Int, margin: Double) -> Double {
        switch self {
        case .pixels(let pixels): Double(pixels)
        case .center: Double(whole) / 2
        case .share(let share): share * Double(whole)
        case .start: margin
        case .end: Double(whole) - margin
        }
    }
}
