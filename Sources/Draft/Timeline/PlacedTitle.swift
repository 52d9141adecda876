import Values

/// A title on a canvas, as far as its text's place depends on it. A worker finds out what of the
/// text lies outside.
public struct PlacedTitle: Hashable, Sendable, Codable {
    public var title: Title
    public var canvas: Canvas.Size

    /// What of a text lies outside its canvas, in pixels beyond each edge.
    public struct Overhang: Hashable, Sendable, Codable {
        public var left: Int
        public var top: Int
        public var right: Int
        public var bottom: Int
        /// Nothing of the text is on the canvas.
        public var isAll: Bool

        public init(left: Int, top: Int, right: Int, bottom: Int, isAll: Bool) {
            (self.left, self.top, self.right, self.bottom, self.isAll) = (left, top, right, bottom, isAll)
        }
    }

    /// - Returns: nil where the title moves on a path, so that it may be meant to leave the canvas,
    ///   and where it has no text.
    init?(_ title: Title, _ canvas: Canvas.Size) {
        guard title.path?.isConstant != false, title.text.contains(where: { !$0.isWhitespace }) else { return nil }
        self.canvas = canvas
        self.title = title
        // What has no say in where the letters lie.
        (self.title.opacity, self.title.enter, self.title.leave, self.title.end) = (.constant(1), nil, nil, nil)
        (self.title.spoken, self.title.shadow, self.title.outlineWidth) = ([], nil, 0)
    }

    /// The titles of a draft that are looked at, and the bytes of their texts: each is laid out
    /// once.
    static let most = 2000
    static let mostBytes = 200_000
}

extension Draft {
    /// The titles that lie still, and the largest texts of its subtitles, on the canvases that they
    /// lie on. Texts that take too long to lay out for a warning are left out.
    public func placedTitles(_ catalog: Catalog) -> Set<PlacedTitle> {
        var found: Set<PlacedTitle> = []
        var bytes = 0
        collectTitles(catalog) { title in
            guard bytes + title.title.text.utf8.count <= PlacedTitle.mostBytes, found.count < PlacedTitle.most,
                found.insert(title).inserted
            else { return }
            bytes += title.title.text.utf8.count
        }
        return found
    }

    private func collectTitles(_ catalog: Catalog, _ take: (PlacedTitle) -> Void) {
        let canvas = size(catalog)
        for place in places {
            if let inner = nested(at: place) { inner.draft.collectTitles(catalog, take) }
            // A layer's own effects act on its picture, whose size is not known here.
            if case .layerEffect = place { continue }
            switch content(at: place) {
            case .picture(.title(let title)): PlacedTitle(title, canvas).map(take)
            case .picture(.subtitles(let subtitles)): subtitles.largest(catalog, canvas).forEach(take)
            default: break
            }
        }
    }
}

extension Subtitles {
    /// The cue with the longest text and the one with the most lines, as they are drawn.
    func largest(_ catalog: Catalog, _ canvas: Canvas.Size) -> [PlacedTitle] {
        guard form == .picture, let file = catalog.info(path)?.subtitles, file.format != .ass else { return [] }
        let cues = [
            file.cues.max { $0.text.utf8.count < $1.text.utf8.count },
            file.cues.max { $0.text.count(where: \.isNewline) < $1.text.count(where: \.isNewline) },
        ]
        return Set(cues.compactMap { $0 }).compactMap { PlacedTitle(title($0.text, $0.place, on: canvas), canvas) }
    }
}

extension TimelineBuilder {
    /// Warns of a title that lies still and leaves the canvas. One that slides leaves it in that
    /// direction on purpose.
    mutating func warnOfOverhang(_ title: Title, _ object: String, _ entry: Effect) {
        let canvas = draft.size(catalog)
        guard let placed = PlacedTitle(title, canvas), let overhang = catalog.overhangs[placed] else { return }
        let slides = [title.enter?.kind, title.leave?.kind]
        let isAcross = slides.contains(.slideLeft) || slides.contains(.slideRight)
        let isDown = slides.contains(.slideUp) || slides.contains(.slideDown)
        let origin = entry.origin(of: "position", "width", "size", "scale", "text")
        if overhang.isAll, !isAcross, !isDown {
            return warn(object, "lies outside the canvas, which is \(canvas)", origin)
        }
        guard let sides = overhang.sides(isAcross: !isAcross, isDown: !isDown) else { return }
        warn(
            object,
            "its text leaves the canvas, which is \(canvas), by \(sides); move it, make it smaller or give it a narrower ‘width’",
            origin)
    }

    /// Warns of subtitles whose largest cue leaves the canvas.
    mutating func warnOfOverhang(_ subtitles: Subtitles, _ object: String, _ entry: Effect) {
        let canvas = draft.size(catalog)
        for placed in subtitles.largest(catalog, canvas) {
            guard let sides = catalog.overhangs[placed]?.sides(isAcross: true, isDown: true) else { continue }
            let plain = (try? TitleMarkup(placed.title.text))?.plain ?? placed.title.text
            let line = plain.prefix { !$0.isNewline }
            warn(
                object,
                "the cue \(Value.quoted(String(line.prefix(40)) + (line.count > 40 ? "…" : ""))) leaves the canvas, which is "
                    + "\(canvas), by \(sides); choose a smaller ‘size’",
                entry.origin(of: "size", "position", "margin", "width"))
            return
        }
    }
}

extension PlacedTitle.Overhang {
    /// `20 pixels at the right and 8 at the bottom`; nil where nothing is beyond the edges that
    /// count.
    fileprivate func sides(isAcross: Bool, isDown: Bool) -> String? {
        let across = isAcross ? [(left, "left"), (right, "right")] : []
        let down = isDown ? [(top, "top"), (bottom, "bottom")] : []
        let parts = (across + down).filter { $0.0 > 0 }.enumerated().map { index, side in
            "\(side.0)\(index == 0 ? side.0 == 1 ? " pixel" : " pixels" : "") at the \(side.1)"
        }
        guard let last = parts.last else { return nil }
        return parts.count == 1 ? last : parts.dropLast().joined(separator: ", ") + " and " + last
    }
}
