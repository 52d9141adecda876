import Draft

/// Why a title could not be drawn. ``description`` is one sentence for people.
struct TitleError: Error, Hashable, Sendable, CustomStringConvertible {
    struct Code: RawRepresentable, Hashable, Sendable {
        let rawValue: String
        /// The font file is not there, or is a folder.
        static let fontNotFound = Code(rawValue: "font_not_found")
        static let fontUnreadable = Code(rawValue: "font_unreadable")
        /// The file's content is not a font.
        static let notAFont = Code(rawValue: "not_a_font")
        /// A size, width or text outside what can be laid out.
        static let invalidTitle = Code(rawValue: "invalid_title")
        /// Pango, Cairo or fontconfig failed; ``TitleError/underlying`` has their text.
        static let drawing = Code(rawValue: "drawing")
    }

    var code: Code
    /// What was being done, as a verb with its object: `load the font`, `draw`.
    var operation: String
    /// The beginning of the title's text: the object concerned.
    var title: String
    /// The font file concerned; nil where none is.
    var fontFile: String?
    /// What is wrong and what to do; no capital, no full stop.
    var reason: String
    /// The library's or the system's own number and words; nil where the finding is our own.
    var underlying: Underlying?

    struct Underlying: Hashable, Sendable {
        var code: Int32
        var text: String
    }

    init(
        _ code: Code, _ operation: String, _ title: Title, fontFile: String? = nil, reason: String,
        underlying: Underlying? = nil
    ) {
        self.code = code
        self.operation = operation
        let line = title.text.prefix { !$0.isNewline }
        self.title = line.count > 40 ? line.prefix(40) + "…" : String(line)
        self.fontFile = fontFile
        self.reason = reason
        self.underlying = underlying
    }

    var description: String {
        let file = fontFile.map { " ‘\($0)’" } ?? ""
        return "title ‘\(title)’: cannot \(operation)\(file): \(reason)"
    }
}
