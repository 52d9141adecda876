import Values

/// A text with markup of Pango's (https://docs.gtk.org/Pango/pango_markup.html) as runs, each with
/// the tags that it stands in.
///
/// Pango gives the tags of a run their meaning. Whether they are well formed, known and closed is
/// checked here, where a script's line can be named.
public struct TitleMarkup: Hashable, Sendable {
    public struct Run: Hashable, Sendable {
        /// The characters, without markup.
        public var text: String
        /// The tags that open it, from the outermost: `<b>`, `<span color="#ff0000">`.
        public var tags: [String]
    }

    public private(set) var runs: [Run] = []
    /// What its spans ask of their fonts, as Pango's descriptions.
    public private(set) var fonts: [String] = []

    /// What is wrong, and where.
    public struct Defect: Error, Hashable, Sendable, CustomStringConvertible {
        /// From 1, in lines and characters of the text.
        public var line: Int
        public var column: Int
        public var reason: String

        public var description: String { "line \(line), character \(column): \(reason)" }
    }

    /// Without markup.
    public var plain: String { runs.map(\.text).joined() }

    public init(plain text: String) { runs = text.isEmpty ? [] : [Run(text: text, tags: [])] }

    public init(_ markup: String) throws(Defect) {
        var reader = MarkupReader(markup)
        runs = try reader.read()
        fonts = reader.fonts
    }

    /// A text as markup that shows it.
    public static func escaped(_ text: String) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"": result += "&quot;"
            case "'": result += "&apos;"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }

    static let tags: Set<String> = ["b", "big", "i", "s", "span", "sub", "sup", "small", "tt", "u"]

    static let attributes: Set<String> = [
        "font", "font_desc", "font_family", "face", "font_size", "size", "font_style", "style", "font_weight", "weight",
        "font_variant", "variant", "font_stretch", "stretch", "font_features", "foreground", "fgcolor", "color",
        "background", "bgcolor", "underline", "rise", "baseline_shift", "font_scale", "strikethrough", "fallback",
        "lang", "letter_spacing", "text_transform", "allow_breaks",
    ]

    static let colors: Set<String> = [
        "foreground", "fgcolor", "color", "background", "bgcolor",
    ]

    /// The words of attributes that have nothing else.
    static let words: [String: [String]] = [
        "style": ["normal", "oblique", "italic"], "font_style": ["normal", "oblique", "italic"],
        "underline": ["none", "single"], "strikethrough": ["true", "false"],
        "fallback": ["true", "false"], "text_transform": ["none", "lowercase", "uppercase", "capitalize"],
    ]
}

private struct MarkupReader {
    private let scalars: [Unicode.Scalar]
    private var index = 0
    private var open: [(name: String, tag: String, start: Int)] = []
    private var runs: [TitleMarkup.Run] = []
    private var text = String.UnicodeScalarView()
    private(set) var fonts: [String] = []

    init(_ markup: String) { scalars = Array(markup.unicodeScalars) }

    mutating func read() throws(TitleMarkup.Defect) -> [TitleMarkup.Run] {
        while index < scalars.count {
            switch scalars[index] {
            case "<": try readTag()
            case "&": try readEntity()
            case let scalar:
                text.append(scalar)
                index += 1
            }
        }
        if let last = open.last { throw defect(at: last.start, "<\(last.name)> is not closed; write </\(last.name)>") }
        finishRun()
        return runs
    }

    private mutating func finishRun() {
        if !text.isEmpty { runs.append(TitleMarkup.Run(text: String(text), tags: open.map(\.tag))) }
        text = String.UnicodeScalarView()
    }

    private func defect(at place: Int, _ reason: String) -> TitleMarkup.Defect {
        var (line, column) = (1, 1)
        for scalar in scalars[..<min(place, scalars.count)] {
            if scalar == "\n" { (line, column) = (line + 1, 1) } else { column += 1 }
        }
        return TitleMarkup.Defect(line: line, column: column, reason: reason)
    }

    // MARK: Entities

    private mutating func readEntity() throws(TitleMarkup.Defect) {
        let end = scalars[index...].prefix(12).firstIndex(of: ";")
        let name = end.map { word(index + 1..<$0) } ?? ""
        let found: Unicode.Scalar? =
            switch name {
            case "amp": "&"
            case "lt": "<"
            case "gt": ">"
            case "quot": "\""
            case "apos": "'"
            case _ where name.hasPrefix("#x"): UInt32(name.dropFirst(2), radix: 16).flatMap(Unicode.Scalar.init)
            case _ where name.hasPrefix("#"): UInt32(name.dropFirst()).flatMap(Unicode.Scalar.init)
            default: nil
            }
        guard let found, let end else { throw defect(at: index, "a ‘&’ that is meant as itself is written &amp;") }
        text.append(found)
        index = end + 1
    }

    private func word(_ range: Range<Int>) -> String {
        var view = String.UnicodeScalarView()
        view.append(contentsOf: scalars[range])
        return String(view)
    }

    // MARK: Tags

    private mutating func readTag() throws(TitleMarkup.Defect) {
        let start = index
        index += 1
        let isClosing = index < scalars.count && scalars[index] == "/"
        if isClosing { index += 1 }
        let name = readName()
        guard !name.isEmpty else { throw defect(at: start, "a ‘<’ that is meant as itself is written &lt;") }
        guard TitleMarkup.tags.contains(name) else {
            let hint =
                name.lowercased() == "br"
                ? "; a line ends with a line break of the text, \\n"
                : suggestion(for: name, in: TitleMarkup.tags)
            throw defect(at: start, "there is no tag <\(Effect.shortened(name))>\(hint)")
        }
        var tag = "<" + name
        if !isClosing {
            while let attribute = try readAttribute(of: name) { tag += " " + attribute }
        }
        skipSpaces()
        guard index < scalars.count, scalars[index] == ">" else {
            throw defect(at: start, "<\(name) is not closed with ‘>’")
        }
        index += 1
        if isClosing {
            guard let last = open.last else { throw defect(at: start, "</\(name)> closes nothing") }
            guard last.name == name else {
                throw defect(at: start, "</\(name)> stands where </\(last.name)> has to close <\(last.name)>")
            }
            finishRun()
            open.removeLast()
        } else {
            // Each level costs for every run within it.
            guard open.count < 50 else { throw defect(at: start, "tags are nested deeper than 50") }
            finishRun()
            open.append((name, tag + ">", start))
        }
    }

    private mutating func readName() -> String {
        let start = index
        while index < scalars.count, scalars[index].isASCII,
            scalars[index].properties.isAlphabetic || scalars[index] == "_"
        {
            index += 1
        }
        return word(start..<index)
    }

    private mutating func skipSpaces() {
        while index < scalars.count, scalars[index].properties.isWhitespace { index += 1 }
    }

    /// `name="value"`, checked and in one form; nil where there is none.
    private mutating func readAttribute(of tag: String) throws(TitleMarkup.Defect) -> String? {
        skipSpaces()
        let start = index
        let name = readName()
        guard !name.isEmpty else { return nil }
        guard tag == "span" else { throw defect(at: start, "<\(tag)> has no attributes; <span> has") }
        guard TitleMarkup.attributes.contains(name) else {
            throw defect(
                at: start,
                "<span> has no attribute ‘\(Effect.shortened(name))’\(suggestion(for: name, in: TitleMarkup.attributes))"
            )
        }
        skipSpaces()
        guard index < scalars.count, scalars[index] == "=" else { throw defect(at: start, "‘\(name)’ has no value") }
        index += 1
        skipSpaces()
        guard index < scalars.count, scalars[index] == "\"" || scalars[index] == "'",
            let end = scalars[(index + 1)...].firstIndex(of: scalars[index])
        else { throw defect(at: start, "the value of ‘\(name)’ has to stand between quotation marks") }
        var value = word(index + 1..<end)
        index = end + 1
        if value.contains("<") { throw defect(at: start, "the value of ‘\(name)’ has a ‘<’ in it") }
        if TitleMarkup.colors.contains(name) {
            guard let color = Color(value) else { throw defect(at: start, "‘\(name)’ \(Color.refusal(of: value))") }
            value = color.description
        } else if let words = TitleMarkup.words[name], !words.contains(value) {
            throw defect(at: start, "‘\(name)’ is \(Value.quoted(value))\(suggestion(for: value, in: words))")
        }
        // A comma ends the family: what follows would be a style.
        if ["font", "font_desc"].contains(name) { fonts.append(value) }
        if ["face", "font_family"].contains(name) { fonts.append(value + ",") }
        return
            "\(name)=\"\(value.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "&quot;"))\""
    }
}
