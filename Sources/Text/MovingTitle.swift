import CPango
import Draft
import Values

/// A title whose parts move or change their colour: laid out once, and painted for each frame.
///
/// A text that moves or fades as a whole is one picture: nothing of it shows through another part
/// of it on the way. Parts that move by themselves are such pictures each, and no part's outline or
/// shadow lies over another one's letters.
///
/// A part's drawing is kept while the part is visible, so memory follows the canvas and not the
/// text.
package final class MovingTitle {
    private let title: Title
    private let canvas: Canvas.Size
    private var motion: TitleMotion
    private let laid: LaidTitle
    private var parts: [TitlePart] = []
    /// What the parts are, or would be if they were not too many pixels; nil: there are none yet.
    private var unit: Entrance.Unit?
    /// For lines and words.
    private var boxes: [Entrance.Unit: [TitleArea]] = [:]
    /// Everything that is drawn at rest.
    private var whole: TitleArea
    private var frame: TitleArea { TitleArea(left: 0, top: 0, right: canvas.width, bottom: canvas.height) }

    /// Pixels of all parts together, beyond which they are coarser: shadows make small parts large.
    private static let mostPixels = 48 << 20

    package init(_ title: Title, canvas: Canvas.Size) throws(TitleError) {
        self.title = title
        self.canvas = canvas
        laid = try LaidTitle(title, canvas: canvas)
        motion = TitleMotion(title)
        motion.counts = laid.counts
        whole = laid.box
        if title.background.alpha > 0 { whole = whole.union(TitleLayout.panel(behind: laid.extent, laid.title)) }
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

    /// Parts as fine as what moves or is said at a time, and no finer: what the title does at other
    /// times has no say in a picture.
    private func part(at time: Time) {
        // Lines at least: of a text that is higher than the canvas only those are drawn that are
        // seen.
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

    private static func parts(_ pieces: [LaidTitle.Piece], by unit: Entrance.Unit) -> [TitlePart] {
        var parts: [TitlePart] = []
        for (index, piece) in pieces.enumerated() {
            let next = TitlePart(index..<index + 1, piece)
            guard let last = parts.last, last.line == piece.line, last.number(unit) == next.number(unit) else {
                parts.append(next)
                continue
            }
            parts[parts.count - 1].pieces = last.pieces.lowerBound..<index + 1
            parts[parts.count - 1].area = last.area.union(piece.area)
        }
        return parts
    }

    /// What the picture depends on at a time; nil where that is the time itself. Two times of one
    /// state have one picture.
    package func state(at time: Time) -> [Int]? {
        if motion.isMoving(at: time) || title.path.map({ !$0.isConstant }) == true { return nil }
        return said(at: time)
    }

    /// The numbers of the words that are said.
    private func said(at time: Time) -> [Int] {
        title.spoken.indices.filter { title.spoken[$0].range.contains(time) }
    }

    /// Returns what is seen at a time.
    package func bitmap(at time: Time) throws(TitleError) -> TitleBitmap {
        if title.path == nil, said(at: time).isEmpty, !motion.isMoving(at: time) {
            return try TitleRasterizer.render(title, canvas: canvas)
        }
        let place = title.placing(laid.box, on: canvas, at: time)
        return motion.unit(at: time) == .whole ? try wholeBitmap(at: time, place) : try partsBitmap(at: time, place)
    }

    // MARK: As a whole

    private func wholeBitmap(at time: Time, _ place: cairo_matrix_t) throws(TitleError) -> TitleBitmap {
        let (pose, _) = motion.pose(at: time) { _ in 0 }
        let placed = TitlePose(pose, of: laid.box, edges: whole, in: whole, canvas, place)
        let area = placed.bounds(of: whole).intersection(frame)
        guard !area.isEmpty, placed.opacity > 0 else {
            for index in parts.indices { parts[index].forget() }
            return .empty
        }
        guard placed.opacity < 1 || placed.isBlurred || placed.uncovered != nil else {
            return try TitlePainter.bitmap(area, of: title) { cairo throws(TitleError) in
                try paintWhole(at: time, placed.bare, within: area, on: cairo)
            }
        }
        // One picture, which is blurred, cut and faded.
        let seen = placed.bare.bounds(of: whole).intersection(area.grown(by: .around(placed.spread)))
        guard !seen.isEmpty else { return .empty }
        var problem: TitleError?
        let picture = try TitleSurface(seen, of: title) { cairo in
            do throws(TitleError) {
                try paintWhole(at: time, placed.bare, within: seen, on: cairo)
            } catch {
                problem = error
            }
            return CAIRO_STATUS_SUCCESS
        }
        if let problem { throw problem }
        return try TitlePainter.bitmap(area, of: title) { cairo throws(TitleError) in
            try picture.paint(on: cairo, placed.drawnInPlace, of: title)
        }
    }

    /// Paints everything as it is at rest, in its place.
    private func paintWhole(
        at time: Time, _ pose: TitlePose, within area: TitleArea, on cairo: OpaquePointer
    ) throws(TitleError) {
        cairo_save(cairo)
        defer { cairo_restore(cairo) }
        var matrix = pose.matrix
        cairo_save(cairo)
        cairo_transform(cairo, &matrix)
        TitlePainter.drawPanel(laid.title, laid.extent, on: cairo)
        guard said(at: time).isEmpty, !matrix.isMovement || matrix.isIntegral else {
            cairo_restore(cairo)
            part(at: time)
            return try paint(parts.indices.map { ($0, pose) }, at: time, within: area, on: cairo)
        }
        defer { cairo_restore(cairo) }
        for index in parts.indices { parts[index].forget() }
        var (lines, ink) = (Set<Int>(), TitleArea.nothing)
        for piece in laid.areas where !pose.bounds(of: piece.area).intersection(area).isEmpty {
            lines.insert(piece.textLine)
        }
        for piece in laid.areas where lines.contains(piece.textLine) { ink = ink.union(piece.area) }
        if !lines.isEmpty { try laid.draw(lines: lines, ink: ink, on: cairo) }
    }

    // MARK: In parts

    private func partsBitmap(at time: Time, _ place: cairo_matrix_t) throws(TitleError) -> TitleBitmap {
        part(at: time)
        var shown: [(part: Int, pose: TitlePose)] = []
        var area = TitleArea.nothing
        for index in parts.indices {
            let part = parts[index]
            let (pose, unit) = motion.pose(at: time) { part.number($0) }
            let box = unit == .whole ? laid.box : boxes[unit]?[part.number(unit)] ?? part.area
            let placed = TitlePose(
                pose, of: box, edges: unit == .whole ? whole : box, in: whole, canvas, place)
            shown.append((index, placed))
            area = area.union(placed.bounds(of: part.area).intersection(frame))
        }
        let panel = panelPose(at: time, place)
        if let panel { area = area.union(panel.bounds(of: whole).intersection(frame)) }
        guard !area.isEmpty else {
            for index in parts.indices { parts[index].forget() }
            return .empty
        }
        return try TitlePainter.bitmap(area, of: title) { cairo throws(TitleError) in
            if let panel {
                let place = panel.bounds(of: TitleLayout.panel(behind: laid.extent, laid.title)).intersection(frame)
                if !place.isEmpty {
                    let surface = try TitleSurface(place, of: title) {
                        var matrix = panel.matrix
                        cairo_transform($0, &matrix)
                        TitlePainter.drawPanel(laid.title, laid.extent, on: $0)
                        return CAIRO_STATUS_SUCCESS
                    }
                    try surface.paint(on: cairo, panel.drawnInPlace, of: title)
                }
            }
            try paint(shown, at: time, within: frame, on: cairo)
        }
    }

    /// Paints parts: what lies under letters first, so that it covers no letter of another part.
    private func paint(
        _ shown: [(part: Int, pose: TitlePose)], at time: Time, within area: TitleArea, on cairo: OpaquePointer
    ) throws(TitleError) {
        var letters: [(surface: TitleSurface, pose: TitlePose)] = []
        for (index, pose) in shown {
            let seen = pose.unblurred.bounds(of: parts[index].area)
            guard !seen.intersection(area.grown(by: .around(pose.spread))).isEmpty else {
                parts[index].forget()
                continue
            }
            let isLit = isSaid(parts[index], at: time)
            let (drawn, placed) = try parts[index].drawing(laid, isLit: isLit, pose, within: area)
            guard let under = drawn.under else {
                letters.append((drawn.letters, placed))
                continue
            }
            guard pose.opacity < 1 || pose.isBlurred else {
                try under.paint(on: cairo, placed, of: title)
                letters.append((drawn.letters, placed))
                continue
            }
            let faded = try under.fading(under: drawn.letters, placed, of: title)
            try faded.under.paint(on: cairo, placed.sharp(opacity: 1), of: title)
            letters.append((faded.letters, placed.sharp(opacity: placed.opacity)))
        }
        for (surface, pose) in letters { try surface.paint(on: cairo, pose, of: title) }
    }

    private func panelPose(at time: Time, _ place: cairo_matrix_t) -> TitlePose? {
        guard title.background.alpha > 0 else { return nil }
        let (pose, unit) = motion.pose(at: time) { _ in 0 }
        var placed = TitlePose(
            unit == .whole ? pose : .rest, of: laid.box, edges: whole, in: whole, canvas, place)
        placed.opacity *= motion.panelOpacity(at: time)
        return placed.opacity > 0 ? placed : nil
    }

    private func isSaid(_ part: TitlePart, at time: Time) -> Bool {
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
