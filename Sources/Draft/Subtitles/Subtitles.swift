/// An entry of the effect list: what a subtitle file says, drawn over the picture or as a track of the file. Cues count their times from
/// the entry's beginning.
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
    /// How cues without a place of their own are drawn; its text, its size, outline and margin are not looked at.
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
        guard let path = try fields.path("file") else {
            throw fields.problem("needs a ‘file’: an .srt, .vtt, .ass or .ssa file")
        }
        self.init(path: path)
        form = try fields.choice("as", Form.self, otherNames: Self.otherForms) ?? form
        shift = try fields.time("at") ?? .zero
        language = try fields.string("language")
        name = try fields.string("name")
        if let language, !Self.isLanguage(language) {
            throw fields.problem(
                "‘language’ is \(Value.quoted(language)), but must be three letters of ISO 639-2, such as \"eng\"")
        }
        if let name, name.utf8.count > 200 || name.contains(where: \.isNewline) {
            throw fields.problem("‘name’ must be one line of at most 200 bytes")
        }
        let hasSize = fields.value("size") != nil
        let hasOutline = fields.value("outline_width") != nil
        let hasMargin = fields.value("margin") != nil
        try style.readStyle(&fields)
        highlight = try fields.color("highlight")
        if hasSize { size = style.size }
        if hasOutline { outlineWidth = style.outlineWidth }
        if hasMargin { margin = style.margin }
        (style.size, style.outlineWidth) = (Self.usualStyle.size, Self.usualStyle.outlineWidth)
        style.margin = Self.usualStyle.margin
        if style.height != nil || style.isFitted { throw fields.problem("has no ‘height’ and no ‘fit’; a title has") }
    }

    private static let otherForms = OtherNames([
        "picture": "burned burn burnt hard hardsub image video", "track": "soft softsub stream file sidecar",
    ])

    private static func isLanguage(_ text: String) -> Bool {
        text.utf8.count == 3 && text.utf8.allSatisfy { (97...122).contains($0) }
    }

    func write(to writer: inout FieldWriter) {
        writer.put("file", path: path)
        if form != .picture { writer.put("as", form.rawValue) }
        if shift != .zero { writer.put("at", shift) }
        writer.put("language", language)
        writer.put("name", name)
        writer.put("size", size)
        style.writeStyle(to: &writer, unlike: Self.usualStyle)
        writer.put("outline_width", outlineWidth)
        writer.put("margin", margin?.value)
        writer.put("highlight", highlight?.description)
    }

    /// What is said of another file, after its name.
    public static let refusal = "is no subtitle file; it has to be an .srt, .vtt, .ass or .ssa"
}
