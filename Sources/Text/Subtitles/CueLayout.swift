import Draft

/// Places the texts of cues that are shown together so that none lies over another, as WebVTT's
/// processing model does (W3C, *WebVTT: The Web Video Text Tracks Format*, 2019, section 7.2,
/// "adjust the positions of boxes").
///
/// Cues are placed in their order, and one that has been placed stays: the one that began first has
/// the place that it asks for.
package struct CueLayout {
    private let canvas: Canvas.Size
    private var taken: [TitleArea] = []
    private(set) var titles: [Title] = []

    /// Texts that are shown at once; each is compared with all before it.
    private static let mostTexts = 100

    /// Returns the titles that show some cues.
    /// - Parameter cues: in the order of their beginnings.
    package static func titles(
        _ cues: [SubtitleCue], _ look: Subtitles, on canvas: Canvas.Size
    ) throws(TitleError) -> [Title] {
        let texts = CueTexts.texts(cues, look, on: canvas)
        // A text alone lies where it asks to; nothing has to be measured.
        if texts.count == 1, texts[0].place?.line == nil, texts[0].place?.y == nil { return texts.map(\.title) }
        var layout = CueLayout(canvas: canvas)
        for text in texts.prefix(mostTexts) { try layout.add(text.title, text.place) }
        return layout.titles
    }

    private init(canvas: Canvas.Size) { self.canvas = canvas }

    /// A text that lies where its title says, and what moves it.
    private struct Box {
        var area: TitleArea
        /// The first of its lines.
        var top: Int
        /// From line to line of the canvas.
        var step: Int
        /// By how much it is higher than so many lines of the title's own font.
        var depth: Int

        func moved(_ x: Int, _ y: Int) -> TitleArea {
            TitleArea(left: area.left + x, top: area.top + y, right: area.right + x, bottom: area.bottom + y)
        }
    }

    private mutating func add(_ title: Title, _ place: SubtitleCue.Place?) throws(TitleError) {
        var title = title
        let extent = try TitleRasterizer.measure(title, canvas: canvas)
        guard extent.lines > 0 else { return }
        let step = Int((extent.lineHeight * max(1, title.lineSpacing)).rounded(.up)) + 2 * title.edge
        if let line = place?.line { title.y = .pixels(Self.edge(of: line, extent, step, title, canvas)) }
        let shown = place?.line == nil ? extent : try TitleRasterizer.measure(title, canvas: canvas)
        let area = title.background.alpha > 0 ? TitleLayout.panel(behind: shown.text, title) : shown.text
        // Letters of some scripts reach deeper than the lines of the title's own font.
        let usual = extent.lineHeight * (Double(extent.lines - 1) * title.lineSpacing + 1)
        let depth = max(0, extent.text.height - Int(usual.rounded(.up)))
        let box = Box(area: area, top: shown.text.top, step: step, depth: depth)
        let isSnapped = place?.y == nil && [0, 1].contains(title.anchorShares.y)
        let move = isSnapped ? steps(of: box, title) : nearest(to: box)
        guard let move else { return }
        if move != (0, 0) { title.move(by: move, on: canvas) }
        // Texts beside one another keep a part of a letter's width.
        let beside = TitleArea(left: step / 4, top: 0, right: step / 4, bottom: 0)
        taken.append(box.moved(move.x, move.y).grown(by: beside))
        titles.append(title)
    }

    /// Returns the edge of the canvas' line of this number: the upper one of a line counted from
    /// the top, where the text begins; else the lower one of the line in which the text ends.
    private static func edge(
        of line: Int, _ extent: TitleExtent, _ step: Int, _ title: Title, _ canvas: Canvas.Size
    ) -> Int {
        let margin = title.marginOfText.y
        // Farther away than the canvas is as good as far away.
        let line = min(1000, max(-1000, line))
        if line >= 0 { return Int(margin.rounded()) + line * step }
        let end = min(0, line + extent.lines)
        return Int((Double(canvas.height) - margin).rounded()) + end * step
    }

    /// Moves a text line by line, first away from the edge that it hangs from, until it lies alone.
    /// - Returns: nil where there is no room for it.
    private func steps(of box: Box, _ title: Title) -> (x: Int, y: Int)? {
        // A pixel more: base lines are rounded.
        let margin = Int(title.margin.y.rounded(.down)) - 1 - box.depth
        let (top, bottom) = (max(0, margin), canvas.height - max(0, margin))
        func isFree(_ y: Int) -> Bool {
            let area = box.moved(0, y)
            return area.top >= top && area.bottom <= bottom && !overlaps(area)
        }
        let first = title.anchorShares.y == 1 ? -box.step : box.step
        for step in [first, -first] {
            var y = 0
            while true {
                if isFree(y) { return (0, y) }
                let line = box.top + y
                if step < 0, line < top { break }
                if step > 0, line + box.step > bottom { break }
                y += step
            }
        }
        // Higher than the canvas: it lies where it asks to, but over no other text.
        return overlaps(box.area) ? nil : (0, 0)
    }

    /// Returns the shortest way to a place on the canvas where a text lies alone; nil where there
    /// is no room for it.
    private func nearest(to box: Box) -> (x: Int, y: Int)? {
        func ways(
            _ low: KeyPath<TitleArea, Int>, _ high: KeyPath<TitleArea, Int>, _ whole: Int
        ) -> [Int] {
            let (from, to) = (box.area[keyPath: low], box.area[keyPath: high])
            let besides = taken.flatMap { [$0[keyPath: low] - to, $0[keyPath: high] - from] }
            let all = [0, -from, whole - to] + besides
            return all.filter { to - from > whole ? $0 == 0 : from + $0 >= 0 && to + $0 <= whole }
        }
        var best: (x: Int, y: Int)?
        func isBetter(_ x: Int, _ y: Int) -> Bool {
            guard let best else { return true }
            let (new, old) = (x * x + y * y, best.x * best.x + best.y * best.y)
            return new != old ? new < old : y != best.y ? y < best.y : x < best.x
        }
        for y in ways(\.top, \.bottom, canvas.height) {
            for x in ways(\.left, \.right, canvas.width) where isBetter(x, y) && !overlaps(box.moved(x, y)) {
                best = (x, y)
            }
        }
        // Larger than the canvas: it lies where it asks to, but over no other text.
        return best ?? (overlaps(box.area) ? nil : (0, 0))
    }

    private func overlaps(_ area: TitleArea) -> Bool { taken.contains { !$0.intersection(area).isEmpty } }
}

extension Title {
    /// The pixels by which its background reaches above and below its text; 0 where it has none.
    fileprivate var edge: Int { background.alpha > 0 ? padding.edge : 0 }

    /// Places it at so many pixels from where it lies.
    fileprivate mutating func move(by way: (x: Int, y: Int), on canvas: Canvas.Size) {
        let (shares, margin) = (anchorShares, marginOfText)
        anchor = Anchor(column: Int(shares.x * 2), row: Int(shares.y * 2))
        if way.x != 0 { x = .pixels(Int(x.point(in: canvas.width, margin: margin.x).rounded()) + way.x) }
        if way.y != 0 { y = .pixels(Int(y.point(in: canvas.height, margin: margin.y).rounded()) + way.y) }
    }
}
