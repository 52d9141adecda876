import CPango
import Draft

/// A title's glyphs in place: where each run of them has its pen on the canvas, and what of the canvas the title covers.
///
/// Pango breaks and shapes the lines; where they lie is decided here. Pango's own alignment swaps left and right in
/// right-to-left paragraphs, while a title's is the picture's left and right; and its integers, 1/1024 of a pixel, do not
/// reach over a hundred thousand lines.
struct TitleLayout: ~Copyable {
    /// Glyphs of one font.
    struct Run {
        /// Borrowed from the layout, as is the font.
        var glyphs: UnsafeMutablePointer<PangoGlyphString>
        var font: UnsafeMutablePointer<PangoFont>
        /// The pen's place on the canvas, in pixels.
        var x: Double
        var y: Double
        /// Emoji and the like: drawn as they are, not in the title's colour.
        var hasColors: Bool
    }

    /// The lines that may be seen, from top to bottom and left to right.
    private(set) var runs: [Run] = []
    /// The text's box on the canvas: as wide as the title says, else as its longest line, and as high as its lines.
    private(set) var box: TitleArea
    /// Everything that is drawn and on the canvas: outline and background too.
    private(set) var visible = TitleArea.nothing
    /// Lines in all, also those outside the canvas.
    var lineCount: Int { lines.lines.count }

    private let lines: TitleLines

    /// The box lies on whole pixels and so do every line's start and baseline, which keeps stems and bars as sharp as can be.
    init(_ title: Title, _ text: TitleText, fonts: borrowing TitleFonts, canvas: Canvas.Size) {
        let wrapWidth = title.width ?? canvas.width
        // Enough for about four lines of narrow letters.
        lines = TitleLines(
            text.text, width: wrapWidth, fonts: fonts, portion: 64 + Int(16 * Double(wrapWidth) / title.size))
        let width = title.width ?? Int((lines.lines.map(\.width).max() ?? 0).rounded(.up))
        let height = Int(lines.lines.reduce(0) { $0 + $1.height }.rounded(.up))
        let left = title.x.placing(width, in: canvas.width)
        let top = title.y.placing(height, in: canvas.height)
        box = TitleArea(left: left, top: top, right: left + width, bottom: top + height)

        let frame = TitleArea(left: 0, top: 0, right: canvas.width, bottom: canvas.height)
        var y = Double(top)
        for line in lines.lines {
            let free = Double(width) - line.width
            let x: Double =
                switch title.alignment {
                case .left: Double(left)
                case .center: (Double(left) + free / 2).rounded()
                case .right: (Double(left) + free).rounded()
                }
            // Ink may leave its line's box; no font's reaches further than a few lines' height.
            let reach = line.height * 4 + title.outlineWidth
            if y + line.height + reach > 0, y - reach < Double(canvas.height) {
                add(line.line, x: x, y: (y + line.ascent).rounded(), title.outlineWidth, frame)
            }
            y += line.height
        }
        if title.background.alpha > 0 { visible = visible.union(Self.panel(behind: box, title)) }
        visible = visible.intersection(frame)
    }

    /// The background reaches beyond the text's box by a quarter of the font's size at the sides, an eighth above and below.
    static func panel(behind box: TitleArea, _ title: Title) -> TitleArea {
        let (side, edge) = (Int((title.size / 4).rounded()), Int((title.size / 8).rounded()))
        return TitleArea(left: box.left - side, top: box.top - edge, right: box.right + side, bottom: box.bottom + edge)
    }

    private mutating func add(
        _ line: UnsafeMutablePointer<PangoLayoutLine>, x: Double, y: Double, _ outline: Double, _ frame: TitleArea
    ) {
        var pen = x
        var node = line.pointee.runs
        while let current = node {
            node = current.pointee.next
            guard let run = cutroom_run(current), let glyphs = run.pointee.glyphs,
                let font = run.pointee.item.pointee.analysis.font
            else { continue }
            var ink = PangoRectangle()
            var logical = PangoRectangle()
            pango_glyph_string_extents(glyphs, font, &ink, &logical)
            defer { pen += pixels(logical.width) }
            guard ink.width > 0, ink.height > 0 else { continue }
            let hasColors = cutroom_font_has_colors(font) != 0
            // A pixel more on each side: anti-aliasing, and what rounding took from the font's box.
            let margin = 1 + (hasColors ? 0 : outline)
            let baseline = y - pixels(run.pointee.y_offset)
            let (left, top) = (pen + pixels(ink.x), baseline + pixels(ink.y))
            let area = TitleArea(
                left: Int((left - margin).rounded(.down)), top: Int((top - margin).rounded(.down)),
                right: Int((left + pixels(ink.width) + margin).rounded(.up)),
                bottom: Int((top + pixels(ink.height) + margin).rounded(.up)))
            guard !area.intersection(frame).isEmpty else { continue }
            visible = visible.union(area)
            runs.append(Run(glyphs: glyphs, font: font, x: pen, y: baseline, hasColors: hasColors))
        }
    }
}

/// An upright rectangle of whole pixels; half open.
struct TitleArea: Hashable {
    var left: Int
    var top: Int
    var right: Int
    var bottom: Int

    static let nothing = TitleArea(left: .max, top: .max, right: .min, bottom: .min)
    var isEmpty: Bool { left >= right || top >= bottom }

    func union(_ other: TitleArea) -> TitleArea {
        TitleArea(
            left: min(left, other.left), top: min(top, other.top), right: max(right, other.right),
            bottom: max(bottom, other.bottom))
    }

    func intersection(_ other: TitleArea) -> TitleArea {
        let area = TitleArea(
            left: max(left, other.left), top: max(top, other.top), right: min(right, other.right),
            bottom: min(bottom, other.bottom))
        return area.isEmpty ? .nothing : area
    }
}

extension Title.Coordinate {
    /// Where a length of pixels begins within a whole.
    fileprivate func placing(_ length: Int, in whole: Int) -> Int {
        switch self {
        case .pixels(let pixels): pixels
        case .center: (whole - length) >> 1
        }
    }
}
