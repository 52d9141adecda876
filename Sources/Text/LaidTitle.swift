import CPango
import Draft

/// A title as it was laid out, to be drawn part by part or as a whole. Pango's objects are touched
/// in turn with those of other titles only.
final class LaidTitle {
    let title: Title
    /// The box that the title's position places.
    private(set) var box: TitleArea
    /// The extent of the lines: see ``TitleLayout/extent``.
    private(set) var extent: TitleArea
    private(set) var counts: TitleMotion.Counts
    /// Where the pieces lie, shadows included, as they are read.
    private(set) var areas: [Piece]
    /// Something lies below the letters.
    let hasUnder: Bool
    /// Nothing shows through any letter.
    let hasOpaqueLetters: Bool
    private var pango: Pango?

    struct Piece {
        var area: TitleArea
        var line: Int
        var word: Int
        var letter: Int
        var offset: Int
        /// The line of the text, where lines without ink count too.
        var textLine: Int
    }

    private final class Pango {
        let fonts: TitleFonts
        let styles: TitleStyles
        let layout: TitleLayout
        let pieces: TitlePieces

        init(_ title: Title, _ text: TitleText, _ map: OpaquePointer, canvas: Canvas.Size) throws(TitleError) {
            let styles = try TitleStyles(text, letterSpacing: title.letterSpacing, of: title)
            let fonts = TitleFonts(for: title, language: text.language, map: map)
            let layout = TitleLayout(title, text, fonts: fonts, styles: styles, canvas: canvas, isWhole: true)
            pieces = TitlePieces(layout, outline: title.outlineWidth)
            self.fonts = fonts
            self.styles = styles
            self.layout = layout
        }
    }

    init(_ title: Title, canvas: Canvas.Size) throws(TitleError) {
        var laid: Pango?
        (self.title, laid) = try TitleRasterizer.prepared(title, canvas) { title, text, map throws(TitleError) in
            (title, try Pango(title, text, map, canvas: canvas))
        }
        pango = laid
        let hasPanels = laid?.layout.runs.contains { $0.paint.has_background != 0 } ?? false
        hasUnder = title.shadow != nil || hasPanels || title.outlineWidth > 0 && title.outlineColor.alpha > 0
        let fills = [title.color, title.highlight] + (title.gradient?.colors ?? [])
        hasOpaqueLetters =
            fills.allSatisfy { $0.alpha == 255 }
            && laid?.layout.runs.allSatisfy { $0.paint.has_color == 0 || $0.paint.color & 255 == 255 } != false
        let reach = title.shadow?.reach
        box = laid?.layout.box ?? .nothing
        extent = laid?.layout.extent ?? .nothing
        areas =
            laid?.pieces.pieces.map {
                Piece(
                    area: reach.map($0.area.grown) ?? $0.area, line: $0.line, word: $0.word, letter: $0.letter,
                    offset: $0.offset, textLine: $0.run.line)
            } ?? []
        counts = .init(
            lines: laid?.pieces.lineCount ?? 0, words: laid?.pieces.wordCount ?? 0,
            letters: laid?.pieces.letterCount ?? 0)
    }

    deinit { TitleRasterizer.inTurn { pango = nil } }

    /// Draws some of the lines with everything that belongs to their letters, as a title at rest
    /// has them.
    /// - Parameters:
    ///   - lines: numbers of lines as in ``Piece/textLine``.
    ///   - ink: an area that holds their letters and outlines.
    ///   - cairo: its matrix leads from where the title was laid out to where it is drawn.
    func draw(lines: Set<Int>, ink: TitleArea, on cairo: OpaquePointer) throws(TitleError) {
        let status = TitleRasterizer.inTurn { () -> cairo_status_t in
            guard let pango else { return CAIRO_STATUS_SUCCESS }
            let runs = pango.layout.runs.filter { lines.contains($0.line) }
            return TitlePainter.draw(title, runs, extent, ink, .whole, on: cairo)
        }
        guard status == CAIRO_STATUS_SUCCESS else { throw TitleSurface.failure(status, title) }
    }

    /// Draws some of the pieces.
    /// - Parameters:
    ///   - ink: an area that holds them, where they were laid out.
    ///   - isLit: in the colour of what is said.
    ///   - area: the surface's.
    ///   - matrix: from where they were laid out to where they are drawn.
    func surface(
        _ pieces: Range<Int>, ink: TitleArea, isLit: Bool, _ content: TitlePainter.Content, on area: TitleArea,
        under matrix: cairo_matrix_t
    ) throws(TitleError) -> TitleSurface {
        try TitleRasterizer.inTurn { () throws(TitleError) in
            try TitleSurface(area, of: title) { cairo in
                guard let pango else { return CAIRO_STATUS_SUCCESS }
                var matrix = matrix
                cairo_transform(cairo, &matrix)
                var title = title
                if isLit { (title.color, title.gradient) = (title.highlight, nil) }
                let runs = pango.pieces.pieces[pieces].map(\.run)
                return TitlePainter.draw(title, runs, extent, ink, content, on: cairo)
            }
        }
    }
}
