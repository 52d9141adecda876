import Values

/// A text and when it is shown.
public struct SubtitleCue: Hashable, Sendable, Codable {
    /// May be negative, in a file or because of a shift.
    public var start: Time
    /// After ``start``.
    public var end: Time
    /// The text as markup of titles (``TitleMarkup``); an ASS event's own text with its codes.
    public var text: String
    /// The place that the cue asks for; nil: where the subtitles lie.
    public var place: Place?
    /// The words in the order of time, each spoken until the next one begins; nil: unknown.
    public var words: [Word]?
    /// What stands before the text of an ASS event, but for the times: layer, style, name, three
    /// margins and effect.
    public var event: String?

    public init(_ start: Time, _ end: Time, _ text: String) {
        self.start = start
        self.end = end
        self.text = text
    }

    /// A point in shares of the picture's width and height, and what of the text lies there.
    public struct Place: Hashable, Sendable, Codable {
        /// The point of the text's box that is placed.
        public var anchor: Anchor
        /// nil: at the margin that the anchor names, or in the middle.
        public var x: Double?
        public var y: Double?
        public var alignment: Title.Alignment
        /// A line of the canvas, counted from the top from 0 or from the bottom from −1, in heights
        /// of the text's lines; nil: ``y`` and the anchor say where it lies. The first and the last
        /// line have none: the anchor says the same.
        public var line: Int?

        public init(_ anchor: Anchor, x: Double? = nil, y: Double? = nil, _ alignment: Title.Alignment = .center) {
            self.anchor = anchor
            self.x = x
            self.y = y
            self.alignment = alignment
        }
    }

    public struct Word: Hashable, Sendable, Codable {
        /// On the cue's own clock, the file's.
        public var start: Time
        /// The place in the text without its markup, in bytes of UTF-8.
        public var offset: Int

        public init(start: Time, offset: Int) {
            self.start = start
            self.offset = offset
        }
    }

    /// Whether it is shown at a time.
    public func isShown(at time: Time) -> Bool { start <= time && time < end }

    /// The same, later.
    public func shifted(by time: Time) -> SubtitleCue {
        var cue = self
        cue.start = start + time
        cue.end = end + time
        cue.words = words?.map { Word(start: $0.start + time, offset: $0.offset) }
        return cue
    }
}
