import CPango
import Draft

/// A title's glyphs in place: where each run of them has its pen on the canvas, and what of the
/// canvas the title covers.
///
/// Pango breaks and shapes the lines; where they lie is decided here. Pango's own alignment swaps
/// left and right in right-to-left paragraphs, while a title's is the picture's left and right; and
/// its integers, 1/1024 of a pixel, do not reach over a hundred thousand lines.
struct TitleLayout: ~Copyable {
    /// Glyphs of one font.
    struct Run {
        /// Borrowed from the layout, as are item and font.
        var item: UnsafeMutablePointer<PangoGlyphItem>
        var glyphs: UnsafeMutablePointer<PangoGlyphString>
        var font: UnsafeMutablePointer<PangoFont>
        /// The pen's place on the canvas, in pixels.
        var x: Double
        var y: Double
        /// The pen's way.
        var width: Double
        /// Emoji and the like: drawn as they are, not in the title's colour.
        var hasColors: Bool
        var paint: cutroom_run_paint
        /// The line's top and bottom.
        var top: Double
        var bottom: Double
        /// Of the text, from 0.
        var line: Int
        /// What it was laid out by; borrowed.
        var layout: OpaquePointer
        /// See ``TitleLines/Line/textOffset``.
        var textOffset: Int

        /// More of its line is drawn than its glyphs.
        var hasPanel: Bool { paint.has_background != 0 || paint.is_underlined != 0 || paint.is_struck != 0 }
    }

    /// The lines that may be seen, from top to bottom and left to right.
    private(set) var runs: [Run] = []
    /// The box on the canvas that the title's position places: as wide as the title says, else as
    /// its longest line, and as high as its lines.
    private(set) var box: TitleArea
    /// The extent of the lines, which the background surrounds: no wider than the longest one. A
    /// text of spaces alone has the box.
    private(set) var extent: TitleArea
    /// Everything that is drawn and on the canvas: outline and background too.
    private(set) var visible = TitleArea.nothing
    /// What letters and outlines cover, also beyond the canvas as far as their shadow may reach
    /// back.
    private(set) var ink = TitleArea.nothing
    /// Lines in all, also those outside the canvas.
    var lineCount: Int { lines.lines.count }

    private let lines: TitleLines
    /// Includes invisible glyphs.
    private let isWhole: Bool

    /// - Parameter isWhole: what lies outside the canvas is laid out, too.
    ///
    /// The box lies on whole pixels and so do every line's start and baseline, which keeps stems
    /// and bars as sharp as can be.
    init(
        _ title: Title, _ text: TitleText, fonts: borrowing TitleFonts, styles: borrowing TitleStyles = .init(),
        canvas: Canvas.Size, isWhole: Bool = false
    ) {
        self.isWhole = isWhole
        let wrapWidth = title.wrapWidth(on: canvas)
        // Enough for about four lines of narrow letters.
        lines = TitleLines(
            text.text, width: title.isFitted && title.height == nil ? 1 << 20 : wrapWidth, fonts: fonts,
            portion: 64 + Int(16 * Double(wrapWidth) / title.size), styles: styles)
        let width = title.width ?? Int((lines.lines.map(\.width).max() ?? 0).rounded(.up))
        let height = Int(lines.height(spacing: title.lineSpacing).rounded(.up))
        let shares = title.anchorShares
        let margin = title.marginOfText
        let left = title.x.placing(width, at: shares.x, in: canvas.width, margin: margin.x)
        var top = title.y.placing(height, at: shares.y, in: canvas.height, margin: margin.y)
        if shares.y == 1, let last = lines.lines.last {
            // What hangs from its lower edge stands on one base line, whatever its letters and
            // however many lines.
            let bottom = title.y.point(in: canvas.height, margin: margin.y)
            let usual = fonts.usualLine
            let base = (bottom - (usual.height - usual.ascent)).rounded()
            top = Int((base - last.ascent - (Double(height) - last.height)).rounded())
        }
        box = TitleArea(left: left, top: top, right: left + width, bottom: top + height)
        extent = box
        if title.width != nil, text.text.contains(where: { !$0.isWhitespace }) {
            let spans = lines.lines.filter { $0.width > 0 }.map { line -> (left: Double, right: Double) in
                let x = Self.start(of: line, title.alignment, in: box)
                return (x, x + line.width)
            }
            if let left = spans.map(\.left).min(), let right = spans.map(\.right).max() {
                (extent.left, extent.right) = (Int(left.rounded(.down)), Int(right.rounded(.up)))
            }
        }

        let frame = TitleArea(left: 0, top: 0, right: canvas.width, bottom: canvas.height)
        let reach = title.shadow?.reach ?? .nothing
        let near =
            isWhole
            ? TitleArea(left: -1 << 30, top: -1 << 30, right: 1 << 30, bottom: 1 << 30)
            : title.shadow == nil ? frame : frame.grown(by: reach)
        var y = Double(top)
        for (number, line) in lines.lines.enumerated() {
            let x = Self.start(of: line, title.alignment, in: box)
            // Ink may leave its line's box; no font's reaches further than a few lines' height.
            let far = line.height * 4 + title.outlineWidth
            if y + line.height + far > Double(near.top), y - far < Double(near.bottom) {
                add(line, number, x: x, top: y, title.outlineWidth, near)
            }
            y += line.height * title.lineSpacing
        }
        visible = ink
        if title.background.alpha > 0 { visible = visible.union(Self.panel(behind: extent, title)) }
        if title.shadow != nil, !ink.isEmpty { visible = visible.union(ink.grown(by: reach)) }
        visible = visible.intersection(frame)
    }

    /// Returns the background of a text: it reaches beyond the lines by a quarter of the font's
    /// size at the sides, an eighth above and below, unless the title says otherwise.
    /// - Parameter text: the extent of the lines.
    static func panel(behind text: TitleArea, _ title: Title) -> TitleArea {
        let (side, edge) = title.padding
        return text.grown(by: TitleArea(left: side, top: edge, right: side, bottom: edge))
    }

    /// Returns where a line begins.
    private static func start(of line: TitleLines.Line, _ alignment: Title.Alignment, in box: TitleArea) -> Double {
        let free = Double(box.right - box.left) - line.width
        return switch alignment {
        case .left: Double(box.left)
        case .center: (Double(box.left) + free / 2).rounded()
        case .right: (Double(box.left) + free).rounded()
        }
    }

    private mutating func add(
        _ line: TitleLines.Line, _ number: Int, x: Double, top: Double, _ outline: Double, _ frame: TitleArea
    ) {
        let y = (top + line.ascent).rounded()
        var pen = x
        var node = line.line.pointee.runs
        while let current = node {
            node = current.pointee.next
            guard let run = cutroom_run(current), let glyphs = run.pointee.glyphs,
                let font = run.pointee.item.pointee.analysis.font
            else { continue }
            var ink = PangoRectangle()
            var logical = PangoRectangle()
            pango_glyph_string_extents(glyphs, font, &ink, &logical)
            defer { pen += pixels(logical.width) }
            let paint = cutroom_paint_of(run)
            let hasPanel = paint.has_background != 0 || paint.is_underlined != 0 || paint.is_struck != 0
            let hasColors = cutroom_font_has_colors(font) != 0
            let baseline = y - pixels(run.pointee.y_offset)
            let lower = top + line.height
            let next = Run(
                item: run, glyphs: glyphs, font: font, x: pen, y: baseline, width: pixels(logical.width),
                hasColors: hasColors, paint: paint, top: top, bottom: lower, line: number,
                layout: line.line.pointee.layout, textOffset: line.textOffset)
            guard hasPanel || ink.width > 0 && ink.height > 0 else {
                // Nothing to see, but where words part.
                if isWhole { runs.append(next) }
                continue
            }
            // A pixel more on each side: anti-aliasing, and what rounding took from the font's box.
            let margin = 1 + (hasColors ? 0 : outline)
            let (left, upper) = (pen + pixels(ink.x), baseline + pixels(ink.y))
            var area = TitleArea(
                left: Int((left - margin).rounded(.down)), top: Int((upper - margin).rounded(.down)),
                right: Int((left + pixels(ink.width) + margin).rounded(.up)),
                bottom: Int((upper + pixels(ink.height) + margin).rounded(.up)))
            if hasPanel {
                area = area.union(
                    TitleArea(
                        left: Int((pen - margin).rounded(.down)), top: Int((top - margin).rounded(.down)),
                        right: Int((pen + pixels(logical.width) + margin).rounded(.up)),
                        bottom: Int((lower + margin).rounded(.up))))
            }
            guard !area.intersection(frame).isEmpty else { continue }
            self.ink = self.ink.union(area)
            runs.append(next)
        }
    }
}

extension TitleLines {
    /// The size of all lines together.
    /// - Parameter spacing: see ``Draft/Title/lineSpacing``.
    func height(spacing: Double) -> Double {
        lines.dropLast().reduce(0) { $0 + $1.height * spacing } + (lines.last?.height ?? 0)
    }
}

extension TitleFonts {
    /// A line of the title's own font.
    var usualLine: (ascent: Double, height: Double) {
        let lines = TitleLines("x", width: 1 << 20, fonts: self, portion: 2)
        return lines.lines.first.map { ($0.ascent, $0.height) } ?? (0, 0)
    }
}

extension Title.Coordinate {
    /// Where a length of pixels begins within a whole.
    /// - Parameter share: the point of the length that lies at the coordinate.
    fileprivate func placing(_ length: Int, at share: Double, in whole: Int, margin: Double) -> Int {
        switch self {
        case .pixels(let pixels) where share == 0: pixels
        case .center where share == 0.5: (whole - length) >> 1
        default: Int((point(in: whole, margin: margin) - share * Double(length)).rounded())
        }
    }
}
