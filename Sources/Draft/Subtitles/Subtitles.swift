import Values

/// An entry of the effect list: what a subtitle file says, drawn over the picture or as a track of
/// the file. Cues count their times from the entry's beginning.
public struct Subtitles: Hashable, Sendable, Codable {
    public enum Form: String, Hashable, Sendable, Codable, CaseIterable {
        /// Drawn over the picture.
        case picture
        /// A track of the output, which a player shows or not.
        case track
    }

    public var path: String
    public var form: Form
    /// The time that is added to the cues' own.
    public var shift: Time
    /// The track's language by ISO 639-2, three letters; nil: it says nothing.
    public var language: String?
    /// The track's name for people.
    public var name: String?
    /// The font's size in canvas pixels; nil: a share of the canvas' height.
    public var size: Double?
    /// The outline's width in canvas pixels; nil: a share of the font's size.
    public var outlineWidth: Double?
    /// Of the edges of the canvas; nil: a share of the canvas' height.
    public var margin: Title.Pair?
    /// Of the word that is said, where the file says when words are said; nil: none.
    public var highlight: Color?
    /// How cues without a place of their own are drawn; its text, its size, outline and margin are
    /// not looked at.
    public var style: Title

    public init(path: String) {
        self.path = path
        form = .picture
        shift = .zero
        style = Self.usualStyle
    }

    /// At the bottom, in the middle.
    static let usualStyle: Title = {
        var style = Title("")
        style.y = .end
        return style
    }()

    /// What the look of cues depends on: keys of scripts that say nothing to a track or to ASS.
    public var hasStyle: Bool {
        highlight != nil || size != nil || outlineWidth != nil || margin != nil || style != Self.usualStyle
    }

    /// A cue's text as a title.
    /// - Parameter place: the cue's own.
    public func title(_ text: String, _ place: SubtitleCue.Place?, on canvas: Canvas.Size) -> Title {
        var title = style
        let height = Double(canvas.height)
        title.text = text
        title.isMarkup = true
        title.size = size ?? max(8, (height * Self.sizeShare).rounded())
        title.outlineWidth = outlineWidth ?? max(1, (title.size / 16).rounded())
        title.margin = margin ?? Title.Pair(x: (height / 20).rounded(), y: (height / 20).rounded())
        title.opacity = .constant(1)
        if let place {
            title.anchor = place.anchor
            title.x = place.x.map { .share($0) } ?? Title.Coordinate(side: place.anchor.x)
            title.y = place.y.map { .share($0) } ?? Title.Coordinate(side: place.anchor.y)
            title.alignment = place.alignment
        }
        let own = title.width
        title.width = nil
        let room = min(title.wrapWidth(on: canvas), canvas.width - 2 * Int(max(0, title.margin.x)))
        title.width = max(1, place == nil ? own ?? room : min(own ?? room, room))
        return title
    }

    /// Of the canvas' height: about what television and players take.
    static let sizeShare = 1.0 / 18
}

extension Title.Coordinate {
    fileprivate init(side: Double) { self = side == 0 ? .start : side == 1 ? .end : .center }
}

extension Subtitles {
    init(reading fields: inout FieldReader) throws(Problem) {
        self.init(path: "")
        try Self.options.read(&self, from: &fields)
        if style.height != nil || style.isFitted { throw fields.problem("has no ‘height’ and no ‘fit’; a title has") }
    }

    func write(to writer: inout FieldWriter) { Self.options.write(self, to: &writer) }

    /// What is said of another file, after its name.
    public static let refusal = "is no subtitle file; it has to be an .srt, .vtt, .ass or .ssa"
}
