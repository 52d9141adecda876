import CPango
import Draft

/// Glyphs of a title that always move together, and the drawings of them.
struct TitlePart {
    var pieces: Range<Int>
    var area: TitleArea
    var line: Int
    var word: Int
    var letter: Int
    var offset: Int
    /// Drawn where the part was laid out, and kept while it is seen there.
    private var plain: Drawing?
    private var lit: Drawing?

    /// The letters, and what is seen of the part around them.
    struct Drawing {
        /// Outlines, shadow and backgrounds of parts of the text as far as the letters leave them
        /// free; nil: there is nothing. The letters over it make the part as it is at rest.
        var under: TitleSurface?
        var letters: TitleSurface
    }

    init(_ pieces: Range<Int>, _ piece: LaidTitle.Piece) {
        self.pieces = pieces
        (area, line, word, letter, offset) = (piece.area, piece.line, piece.word, piece.letter, piece.offset)
    }

    /// The part's number among those of a sort.
    func number(_ unit: Entrance.Unit) -> Int {
        switch unit {
        case .whole: 0
        case .line: line
        case .word: word
        case .letter: letter
        }
    }

    mutating func forget() { (plain, lit) = (nil, nil) }

    /// Returns the part drawn for a pose, and the pose that leads from the drawing to the canvas.
    ///
    /// A part that is only moved is drawn once and lies between pixels. One that is turned or
    /// scaled is drawn anew as it is shown, so that it is as sharp as text of that size; so is one
    /// of which two drawings have to fit to the pixel.
    /// - Parameter frame: the pixels that are wanted.
    mutating func drawing(
        _ laid: LaidTitle, isLit: Bool, _ pose: TitlePose, within frame: TitleArea
    ) throws(TitleError) -> (drawing: Drawing, pose: TitlePose) {
        let isExact = pose.matrix.isIntegral || !laid.hasUnder || laid.hasOpaqueLetters && pose.opacity == 1
        guard pose.matrix.isMovement, isExact else {
            forget()
            let shown = pose.unblurred.bounds(of: area).intersection(frame.grown(by: .around(pose.spread)))
            return (try Self.draw(laid, pieces, area, isLit, on: shown, under: pose.matrix), pose.drawnInPlace)
        }
        if let known = isLit ? lit : plain { return (known, pose) }
        let drawn = try Self.draw(laid, pieces, area, isLit, on: area, under: .identity)
        if isLit { lit = drawn } else { plain = drawn }
        return (drawn, pose)
    }

    private static func draw(
        _ laid: LaidTitle, _ pieces: Range<Int>, _ ink: TitleArea, _ isLit: Bool, on area: TitleArea,
        under matrix: cairo_matrix_t
    ) throws(TitleError) -> Drawing {
        let letters = try laid.surface(pieces, ink: ink, isLit: isLit, .letters, on: area, under: matrix)
        guard laid.hasUnder else { return Drawing(under: nil, letters: letters) }
        // Under opaque letters it does not matter what lies there, and what goes on below them
        // leaves no seam between pixels.
        let content: TitlePainter.Content = laid.hasOpaqueLetters ? .under : .whole
        let under = try laid.surface(pieces, ink: ink, isLit: isLit, content, on: area, under: matrix)
        if !laid.hasOpaqueLetters { under.removeLetters(letters) }
        return Drawing(under: under, letters: letters)
    }
}
