import CPango
import Draft

/// A title whose parts move or change their colour: laid out once, each part drawn once, and painted for each frame.
///
/// What is drawn of a part is kept while the part is seen, so that memory follows the canvas and not the text.
final class MovingTitle {
    private let title: Title
    private let canvas: Canvas.Size
    private var motion: TitleMotion
    private let laid: LaidTitle
    private var parts: [Part] = []
    /// What the parts are, or would be if they were not too many pixels; nil: there are none yet.
    private var unit: Entrance.Unit?
    /// Of lines and words.
    private var boxes: [Entrance.Unit: [TitleArea]] = [:]
    /// Everything that is drawn at rest.
    private var whole: TitleArea

    /// Glyphs that always move together.
    private struct Part {
        var pieces: Range<Int>
        var area: TitleArea
        var line: Int
        var word: Int
        var letter: Int
        var offset: Int
        /// Outlines and shadow; letters; letters in the colour of what is said.
        var under: TitleSurface?
        var fill: TitleSurface?
        var lit: TitleSurface?

        func number(_ unit: Entrance.Unit) -> Int {
            switch unit {
            case .whole: 0
            case .line: line
            case .word: word
            case .letter: letter
            }
        }
    }

    /// Pixels of all parts together, beyond which they are coarser: shadows make small parts large.
    private static let mostPixels = 48 << 20

    init(_ title: Title, canvas: Canvas.Size) throws(TitleError) {
        self.title = title
        self.canvas = canvas
        laid = try LaidTitle(title, canvas: canvas)
        motion = TitleMotion(title)
        motion.counts = laid.counts
        whole = laid.box
        if title.background.alpha > 0 { whole = whole.union(TitleLayout.panel(behind: laid.box, title)) }
        let areas = laid.areas
        for piece in areas { whole = whole.union(piece.area) }
        for unit in [Entrance.Unit.line, .word] {
            var boxes = Array(repeating: TitleArea.nothing, count: laid.counts(unit))
            for piece in areas {
                let number = unit == .line ? piece.line : piece.word
                boxes[number] = boxes[number].union(piece.area)
            }
            self.boxes[unit] = boxes
        }
    }

    /// Parts as fine as what moves or is said at a time, and no finer: what the title does at other times has no say in a picture.
    private func part(at time: Time) {
        // Lines at least: of a text that is higher than the canvas only those are drawn that are seen.
        var units: [Entrance.Unit] = [.letter, .word, .line]
        let moved = motion.unit(at: time)
        if moved != .letter { units.removeFirst() }
        if moved != .letter, moved != .word, said(at: time).isEmpty { units.removeFirst() }
        guard units[0] != unit else { return }
        unit = units[0]
        for unit in units {
            parts = Self.parts(laid.areas, by: unit)
            if parts.reduce(0, { $0 + $1.area.width * $1.area.height }) <= Self.mostPixels { break }
        }
    }

    private static func parts(_ pieces: [LaidTitle.Piece], by unit: Entrance.Unit) -> [Part] {
        var parts: [Part] = []
        for (index, piece) in pieces.enumerated() {
            let next = Part(
                pieces: index..<index + 1, area: piece.area, line: piece.line, word: piece.word, letter: piece.letter,
                offset: piece.offset)
            guard let last = parts.last, last.line == piece.line, last.number(unit) == next.number(unit) else {
                parts.append(next)
                continue
            }
            parts[parts.count - 1].pieces = last.pieces.lowerBound..<index + 1
            parts[parts.count - 1].area = last.area.union(piece.area)
        }
        return parts
    }

    /// What the picture depends on at a time; nil where that is the time itself. Two times of one state have one picture.
    func state(at time: Time) -> [Int]? {
        if motion.isMoving(at: time) || title.path.map({ !$0.isConstant }) == true { return nil }
        return said(at: time)
    }

    /// The numbers of the words that are said.
    private func said(at time: Time) -> [Int] {
        title.spoken.indices.filter { title.spoken[$0].range.contains(time) }
    }

    /// What is seen at a time.
    func bitmap(at time: Time) throws(TitleError) -> TitleBitmap {
        if title.path == nil, said(at: time).isEmpty, !motion.isMoving(at: time) {
            return try TitleRasterizer.render(title, canvas: canvas)
        }
        part(at: time)
        let frame = TitleArea(left: 0, top: 0, right: canvas.width, bottom: canvas.height)
        let place = title.placing(laid.box, on: canvas, at: time)
        var shown: [(part: Int, pose: TitlePose)] = []
        var area = TitleArea.nothing
        for index in parts.indices {
            let part = parts[index]
            let (pose, unit) = motion.pose(at: time) { part.number($0) }
            let box = unit == .whole ? laid.box : boxes[unit]?[part.number(unit)] ?? part.area
            let placed = TitlePose(
                pose, of: box, edges: unit == .whole ? whole : box, in: whole, canvas, place)
            let covered = placed.bounds(of: part.area).intersection(frame)
            guard !covered.isEmpty else {
                (parts[index].under, parts[index].fill, parts[index].lit) = (nil, nil, nil)
                continue
            }
            shown.append((index, placed))
            area = area.union(covered)
        }
        let panel = panelPose(at: time, place)
        if let panel { area = area.union(panel.bounds(of: whole).intersection(frame)) }
        guard !area.isEmpty else { return .empty }
        let lit = shown.map { isSaid(parts[$0.part], at: time) }
        for (index, isLit) in zip(shown.map(\.part), lit) { try draw(index, isLit) }
        return try TitlePainter.bitmap(area, of: title) { cairo throws(TitleError) in
            if let panel {
                let surface = try TitleSurface(
                    TitleLayout.panel(behind: laid.box, title).intersection(whole), of: title
                ) {
                    TitlePainter.drawPanel(title, laid.box, on: $0)
                    return CAIRO_STATUS_SUCCESS
                }
                try surface.paint(on: cairo, panel, of: title)
            }
            for (index, pose) in shown { try parts[index].under?.paint(on: cairo, pose, of: title) }
            for ((index, pose), isLit) in zip(shown, lit) {
                try (isLit ? parts[index].lit : parts[index].fill)?.paint(on: cairo, pose, of: title)
            }
        }
    }

    private func panelPose(at time: Time, _ place: cairo_matrix_t) -> TitlePose? {
        guard title.background.alpha > 0 else { return nil }
        let (pose, unit) = motion.pose(at: time) { _ in 0 }
        var placed = TitlePose(
            unit == .whole ? pose : .rest, of: laid.box, edges: whole, in: whole, canvas, place)
        placed.opacity *= motion.panelOpacity(at: time)
        return placed.opacity > 0 ? placed : nil
    }

    private func draw(_ index: Int, _ isLit: Bool) throws(TitleError) {
        let part = parts[index]
        if part.under == nil, laid.hasUnder { parts[index].under = try laid.surface(part.pieces, part.area, .under) }
        if isLit {
            if part.lit == nil { parts[index].lit = try laid.surface(part.pieces, part.area, .lit) }
        } else if part.fill == nil {
            parts[index].fill = try laid.surface(part.pieces, part.area, .fill)
        }
    }

    private func isSaid(_ part: Part, at time: Time) -> Bool {
        said(at: time).contains { index in
            let spoken = title.spoken[index]
            if let word = spoken.word { return word == part.word }
            guard let offset = spoken.offset else { return false }
            // As far as the next one that the text says.
            let next = title.spoken.compactMap(\.offset).filter { $0 > offset }.min() ?? .max
            return (offset..<next).contains(part.offset)
        }
    }
}
