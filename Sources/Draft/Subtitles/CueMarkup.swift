import Values

/// Turns the text of a cue, with the tags of its format, into markup of titles. Tags that cross or
/// stay open are put in order; one that is not known is left out (WebVTT) or shown as it is written
/// (SubRip, whose texts have signs of their own).
struct CueMarkup {
    private let format: SubtitleFile.Format
    private var markup = ""
    /// The length of the text so far, without its markup, in bytes of UTF-8.
    private var length = 0
    private var open: [(name: String, tag: String)] = []
    private(set) var words: [SubtitleCue.Word] = []
    /// The place that `{\an8}` names.
    private(set) var place: SubtitleCue.Place?

    init(_ format: SubtitleFile.Format) { self.format = format }

    mutating func read(_ text: String) {
        var rest = text[...]
        while let next = rest.first {
            switch next {
            case "<":
                let end = rest.firstIndex(of: ">")
                if let end, end != rest.index(after: rest.startIndex),
                    take(tag: rest[rest.index(after: rest.startIndex)..<end])
                {
                    rest = rest[rest.index(after: end)...]
                    continue
                }
            case "{" where format == .subRip && Self.hasCodes(rest):
                if let end = rest.firstIndex(of: "}") {
                    takeCodes(rest[..<end])
                    rest = rest[rest.index(after: end)...]
                    continue
                }
            case "\\" where format == .subRip:
                if let text = Self.escapes[rest.dropFirst().first ?? " "] {
                    rest = rest.dropFirst(2)
                    if text == "\n" {
                        // As around a line's end of the file.
                        rest = rest.drop { $0 == " " }
                    }
                    put(text)
                    continue
                }
            case "&":
                if let entity = Self.entities.first(where: { rest.hasPrefix($0.name) }) {
                    put(entity.text)
                    rest = rest.dropFirst(entity.name.count)
                    continue
                }
            default: break
            }
            put(next)
            rest = rest.dropFirst()
        }
    }

    /// The markup with every tag closed; empty where it shows nothing.
    mutating func finish() -> String {
        while let last = open.popLast() { markup += "</\(Self.name(ofTag: last.tag))>" }
        let isEmpty = (try? TitleMarkup(markup).plain.allSatisfy(\.isWhitespace)) ?? true
        return isEmpty ? "" : markup
    }

    private static let entities: [(name: String, text: String)] = [
        ("&amp;", "&"), ("&lt;", "<"), ("&gt;", ">"), ("&nbsp;", "\u{A0}"), ("&lrm;", "\u{200E}"),
        ("&rlm;", "\u{200F}"), ("&quot;", "\""),
    ]

    /// What stands behind a backslash in SubRip, as players read it that draw with libass.
    private static let escapes: [Character: String] = ["N": "\n", "n": " ", "h": "\u{A0}"]

    /// Whether a text begins with codes of ASS, as in `{\\an8}`, or of MicroDVD, as in `{Y:i}`.
    private static func hasCodes(_ text: Substring) -> Bool {
        let head = text.dropFirst()
        return head.first == "\\" || head.first.map("CcFfoPSsYy".contains) == true && head.dropFirst().first == ":"
    }

    private mutating func put(_ character: Character) {
        for scalar in character.unicodeScalars
        where scalar.value >= 32 && scalar.value != 127 || scalar == "\n" || scalar == "\t" {
            markup += TitleMarkup.escaped(String(scalar))
            length += String(scalar).utf8.count
        }
    }

    private mutating func put(_ text: String) { text.forEach { put($0) } }

    // MARK: Tags

    /// - Returns: false for what is no tag.
    private mutating func take(tag: Substring) -> Bool {
        if tag.first == "/" {
            let name = tag.dropFirst().trimmed.lowercased()
            guard let index = open.lastIndex(where: { $0.name == name }) else {
                return format == .webVTT || Self.subRipNames.contains(name)
            }
            close(index)
            return true
        }
        if format == .webVTT, let time = SubtitleTime.read(tag) {
            if words.last.map({ $0.start <= time }) ?? true { words.append(.init(start: time, offset: length)) }
            return true
        }
        let name = tag.prefix { $0 != " " && $0 != "." && $0 != "\t" && $0 != "\n" }.lowercased()
        guard format == .webVTT || Self.subRipNames.contains(name) else { return false }
        switch name {
        case "b", "i", "u": begin(name, "<\(name)>")
        case "s" where format == .subRip: begin(name, "<s>")
        case "font": if let tag = Self.font(tag.dropFirst(4)) { begin(name, tag) }
        case "c":
            let classes = tag.split(separator: ".").dropFirst().map(String.init)
            let color = classes.first { Self.classColors[$0] != nil }.flatMap { Self.classColors[$0] }
            begin(name, color.map { "<span color=\"\($0)\">" } ?? "<span>")
        default: break
        }
        return true
    }

    private static let subRipNames: Set<String> = ["b", "i", "u", "s", "font"]

    /// WebVTT's own classes (section 5).
    private static let classColors = [
        "white": "#ffffff", "lime": "#00ff00", "cyan": "#00ffff", "red": "#ff0000", "yellow": "#ffff00",
        "magenta": "#ff00ff", "blue": "#0000ff", "black": "#000000",
    ]

    private mutating func begin(_ name: String, _ tag: String) {
        // Real files nest less deeply, and each level costs.
        guard open.count < 30 else { return }
        open.append((name, tag))
        markup += tag
    }

    /// Closes a tag and, for a moment, those within it.
    private mutating func close(_ index: Int) {
        let inner = Array(open[(index + 1)...])
        for entry in open[index...].reversed() { markup += "</\(Self.name(ofTag: entry.tag))>" }
        open.removeSubrange(index...)
        for entry in inner { begin(entry.name, entry.tag) }
    }

    private static func name(ofTag tag: String) -> Substring { tag.dropFirst().prefix { $0.isLetter } }

    /// `color="#ff0000" face="Serif"`; nil where nothing of it is understood.
    private static func font(_ attributes: Substring) -> String? {
        var rest = attributes
        var tag = "<span"
        while let equals = rest.firstIndex(of: "=") {
            let name = rest[..<equals].trimmed.lowercased()
            rest = rest[rest.index(after: equals)...].trimmed
            let quote: Character? = rest.first == "\"" || rest.first == "'" ? rest.first : nil
            if quote != nil { rest = rest.dropFirst() }
            let value = rest.prefix { quote == nil ? $0 != " " : $0 != quote }
            rest = rest[value.endIndex...].dropFirst()
            if name == "color" {
                // Players know no colour of four digits.
                let digits = value.hasPrefix("#") ? value.dropFirst() : value
                let isShort = digits.count == 4 && digits.allSatisfy(\.isHexDigit)
                if !isShort, let color = Color(value) ?? Color("#" + value) { tag += " color=\"\(color)\"" }
            } else if name == "face", !value.isEmpty {
                tag += " face=\"\(TitleMarkup.escaped(String(value)))\""
            }
        }
        return tag + ">"
    }

    /// Reads the place `{\an8}` or the older `{\a6}` of SSA, the first one of a text. Other codes
    /// are left out, as FFmpeg does.
    private mutating func takeCodes(_ codes: Substring) {
        for code in codes.dropFirst().split(separator: "\\") {
            let name = code.prefix { $0.isLetter }
            guard let number = Int(code.dropFirst(name.count).prefix { $0.isNumber }) else { continue }
            switch name {
            case "an" where (1...9).contains(number):
                // As the keys of a number pad lie.
                place = place ?? SubtitleCue.Place(Anchor(column: (number - 1) % 3, row: 2 - (number - 1) / 3))
            case "a" where (1...11).contains(number) && number % 4 != 0:
                // 1 … 3 lie at the bottom, 4 more at the top, 8 more in the middle.
                place = place ?? SubtitleCue.Place(Anchor(column: number % 4 - 1, row: [2, 0, 1][number / 4]))
            default: break
            }
        }
    }
}

extension SubtitleFile {
    /// An ASS event's text without its codes and drawings.
    public static func plain(ass text: String) -> String {
        var plain = ""
        var isDrawing = false
        var rest = text[...]
        while let next = rest.first {
            if next == "{", let end = rest.firstIndex(of: "}") {
                for code in rest[..<end].split(separator: "\\") where code.hasPrefix("p") {
                    if let scale = Int(code.dropFirst()) { isDrawing = scale > 0 }
                }
                rest = rest[rest.index(after: end)...]
                continue
            }
            if next == "\\", let code = rest.dropFirst().first, "Nnh".contains(code) {
                if !isDrawing { plain += code == "h" ? "\u{A0}" : "\n" }
                rest = rest.dropFirst(2)
                continue
            }
            if !isDrawing { plain.append(next) }
            rest = rest.dropFirst()
        }
        return plain
    }
}
