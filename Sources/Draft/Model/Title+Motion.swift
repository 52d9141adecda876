import Values

/// What of a title changes with time, besides its opacity.
extension Title {
    /// A word of the text and when it is said.
    public struct Spoken: Hashable, Sendable, Codable {
        /// On the title's own clock.
        public var range: TimeRange
        /// Counted as they are read, from 0; nil: `offset` says which it is.
        public var word: Int?
        /// Where it begins in the text without markup, in UTF-8.
        public var offset: Int?

        public init(_ range: TimeRange, word: Int? = nil, offset: Int? = nil) {
            self.range = range
            self.word = word
            self.offset = offset
        }
    }

    /// How it moves as a whole while it is shown.
    public struct Path: Hashable, Sendable, Codable {
        /// Two lengths (``Placement/position``); nil: it stays where it lies.
        public var position: Animated?
        /// A factor on its size, about the anchor.
        public var scale: Animated
        /// Degrees, clockwise, about the anchor.
        public var rotation: Animated

        public init(position: Animated? = nil, scale: Animated = .constant(1), rotation: Animated = .constant(0)) {
            self.position = position
            self.scale = scale
            self.rotation = rotation
        }

        mutating func change(_ change: (String, inout Animated) throws -> Void) rethrows {
            if var moved = position {
                try change("position", &moved)
                position = moved
            }
            try change("scale", &scale)
            try change("rotation", &rotation)
        }

        public var isConstant: Bool { position?.isConstant != false && scale.isConstant && rotation.isConstant }
    }

    /// Its picture is painted from parts, and not as it was laid out.
    public var hasMotion: Bool { enter != nil || leave != nil || path != nil || !spoken.isEmpty }

    /// Its picture is not the same all the time.
    public var isMoving: Bool { enter != nil || leave != nil || path?.isConstant == false || !spoken.isEmpty }

    /// The same for a part of its time, without what has no say there.
    public func trimmed(to range: TimeRange) -> Title {
        var title = self
        title.opacity = opacity.settled(in: range)
        // The number of parts is not known here; there are no more than characters.
        let most = Int64(min(100_000, text.unicodeScalars.count))
        if let enter, range.start >= enter.longest(parts: most) { title.enter = nil }
        if let leave, let end, range.end <= end - leave.longest(parts: most) { title.leave = nil }
        if title.leave == nil { title.end = nil }
        title.spoken = spoken.filter { $0.range.intersection(range) != nil }
        title.path?.position = path?.position?.settled(in: range)
        if let path {
            title.path?.scale = path.scale.settled(in: range)
            title.path?.rotation = path.rotation.settled(in: range)
        }
        return title
    }

    static let usualHighlight = Color(red: 255, green: 212, blue: 0)

    mutating func readWords(_ fields: inout FieldReader) throws(Problem) {
        guard let list = try fields.list("words") else { return }
        let form = "a list of { from, to } in seconds, one for each word"
        guard list.count <= 10_000 else { throw fields.problem("‘words’ has more than 10000 entries") }
        for (index, item) in list.enumerated() {
            guard case .array(let edges) = item, edges.count == 2 else { throw fields.wrong("words", form, item) }
            let (from, to) = (try fields.time(edges[0], "words"), try fields.time(edges[1], "words"))
            guard from < to else {
                throw fields.problem(
                    "‘words’ says that word \(index + 1) is said from \(from.forPeople) s to \(to.forPeople) s; it must end later"
                )
            }
            spoken.append(Spoken(TimeRange(from: from, to: to), word: index))
        }
        if let count = wordCount, list.count > count {
            throw fields.problem("‘words’ has times for \(list.count) words, but the text has \(count)")
        }
    }

    /// Nil where spaces do not say it.
    private var wordCount: Int? {
        let plain = isMarkup ? (try? TitleMarkup(text))?.plain ?? text : text
        guard plain.unicodeScalars.allSatisfy({ $0.value < 0x0E00 }) else { return nil }
        return plain.split(whereSeparator: \.isWhitespace).count
    }
}

extension Title.Spoken {
    var value: Value { .array([.string(range.start.description), .string(range.end.description)]) }
}

extension Entrance {
    /// Until all of so many parts rest, at most.
    fileprivate func longest(parts: Int64) -> Time {
        let steps = stagger.flicks.multipliedReportingOverflow(by: max(0, parts - 1))
        return duration
            + Time(flicks: steps.overflow ? Time.longest.flicks : min(steps.partialValue, Time.longest.flicks))
    }
}
