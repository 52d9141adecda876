import CPango
import Draft

/// A title as it was laid out, to be drawn part by part. Pango's objects are touched in turn with those of other titles only.
final class LaidTitle {
    let title: Title
    private(set) var box: TitleArea
    private(set) var counts: TitleMotion.Counts
    /// Where the pieces lie, shadows included, as they are read.
    private(set) var areas: [Piece]
    /// Something lies below the letters.
    let hasUnder: Bool
    private var pango: Pango?

    struct Piece {
        var area: TitleArea
        var line: Int
        var word: Int
        var letter: Int
        var offset: Int
    }

    /// What a part's surface shows.
    enum Content { case under, fill, lit }

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
        hasUnder = title.shadow != nil || title.outlineWidth > 0 && title.outlineColor.alpha > 0
        let reach = title.shadow?.reach
        box = laid?.layout.box ?? .nothing
        areas =
            laid?.pieces.pieces.map {
                Piece(
                    area: reach.map($0.area.grown) ?? $0.area, line: $0.line, word: $0.word, letter: $0.letter,
                    offset: $0.offset)
            } ?? []
        counts = .init(
            lines: laid?.pieces.lineCount ?? 0, words: laid?.pieces.wordCount ?? 0,
            letters: laid?.pieces.letterCount ?? 0)
    }

    deinit { TitleRasterizer.inTurn { pango = nil } }

    func surface(_ pieces: Range<Int>, _ area: TitleArea, _ content: Content) throws(TitleError) -> TitleSurface {
        try TitleRasterizer.inTurn { () throws(TitleError) in
            try TitleSurface(area, of: title) { cairo in
                guard let pango else { return CAIRO_STATUS_SUCCESS }
                let runs = pango.pieces.pieces[pieces].map(\.run)
                return TitlePainter.draw(title, runs, box, area, content, on: cairo)
            }
        }
    }
}
