import Draft

/// Why a title could not be drawn. ``description`` is one sentence for people.
package struct TitleError: Error, Hashable, Sendable, CustomStringConvertible {
    package struct Code: RawRepresentable, Hashable, Sendable {
        package let rawValue: String
        package init(rawValue: String) { self.rawValue = rawValue }
        /// The font file is not there, or is a folder.
        package static let fontNotFound = Code(rawValue: "font_not_found")
        package static let fontUnreadable = Code(rawValue: "font_unreadable")
        /// The file's content is not a font.
        package static let notAFont = Code(rawValue: "not_a_font")
        /// A size, width or text outside what can be laid out.
        package static let invalidTitle = Code(rawValue: "invalid_title")
        /// Pango, Cairo or fontconfig failed; ``TitleError/underlying`` has their text.
        package static let drawing = Code(rawValue: "drawing")
    }

    package var code: Code
    /// What was being done, as a verb with its object: `load the font`, `draw`.
    package var operation: String
    /// The beginning of the title's text: the object concerned.
    package var title: String
    /// The font file concerned; nil where none is.
    package var fontFile: String?
    /// What is wrong and what to do; no capital, no full stop.
    package var reason: String
    /// The library's or the system's own number and words; nil where the finding is our own.
    package var underlying: Underlying?

    package struct Underlying: Hashable, Sendable {
        package var code: Int32
        package var text: String
    }

    package init(
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

    package var description: String {
        let file = fontFile.map { " ‘\($0)’" } ?? ""
        return "title ‘\(title)’: cannot \(operation)\(file): \(reason)"
    }
}
