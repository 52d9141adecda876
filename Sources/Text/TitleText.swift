import Draft

/// A title's text as it is laid out: paragraphs end with `\n`, and no character is left that has no
/// meaning in a picture.
struct TitleText {
    let text: String
    /// BCP 47. Decides which national form of a Han character is drawn, which the characters alone
    /// do not say.
    let language: String
    /// The parts that have markup, in order and apart.
    let styles: [Style]

    /// A part of the text and the tags that it stands in.
    struct Style {
        /// In UTF-8.
        var bytes: Range<Int>
        var tags: [String]
    }

    /// Line ends of every kind become `\n`; control characters other than the tab are dropped, a
    /// NUL among them. Broken UTF-8 stays visible as U+FFFD. The first thirty marks on one letter
    /// are kept, the longest run that occurs in any language (Unicode Standard Annex #15,
    /// Stream-Safe Text Format): shaping takes the square of their number.
    init(_ source: String) { self.init(TitleMarkup(plain: source)) }

    init(_ markup: TitleMarkup) {
        var scalars = String.UnicodeScalarView()
        var script = HanScript()
        var previous: Unicode.Scalar?
        var marks = 0
        var styles: [Style] = []
        var length = 0
        func keep(_ scalar: Unicode.Scalar) {
            scalars.append(scalar)
            length += UTF8.width(scalar)
        }
        for run in markup.runs {
            let start = length
            for scalar in run.text.unicodeScalars {
                defer { previous = scalar }
                marks = Self.isMark(scalar) ? marks + 1 : 0
                guard marks <= 30 else { continue }
                switch scalar {
                case "\n" where previous == "\r": continue
                case "\n", "\r", "\u{B}", "\u{C}", "\u{85}", "\u{2028}", "\u{2029}":
                    keep("\n")
                    continue
                case "\t": keep(scalar)
                case _ where scalar.properties.generalCategory == .control || scalar == "\u{FEFF}": continue
                default: keep(scalar)
                }
                script.see(scalar)
            }
            if length > start, !run.tags.isEmpty { styles.append(Style(bytes: start..<length, tags: run.tags)) }
        }
        text = String(scalars)
        language = script.language
        self.styles = styles
    }

    private static func isMark(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .nonspacingMark, .enclosingMark: true
        default: false
        }
    }
}

/// Which of the languages written with Han characters a text is likely to be in. Japanese text has
/// kana and Korean has Hangul even in a short title; Han characters alone are taken for simplified
/// Chinese, with Bopomofo for traditional.
private struct HanScript {
    private var kana = false
    private var hangul = false
    private var bopomofo = false
    private var han = false

    /// The blocks of the Unicode Standard 15.0, chapter 18.
    mutating func see(_ scalar: Unicode.Scalar) {
        switch scalar.value {
        case 0x3040...0x30FF, 0x31F0...0x31FF, 0xFF66...0xFF9F: kana = true
        case 0x1100...0x11FF, 0x3130...0x318F, 0xA960...0xA97F, 0xAC00...0xD7FF: hangul = true
        case 0x3100...0x312F, 0x31A0...0x31BF: bopomofo = true
        case 0x2E80...0x2FDF, 0x3400...0x4DBF, 0x4E00...0x9FFF, 0xF900...0xFAFF, 0x20000...0x323AF: han = true
        default: break
        }
    }

    var language: String {
        if kana { return "ja" }
        if hangul { return "ko" }
        if bopomofo { return "zh-tw" }
        return han ? "zh-cn" : "en"
    }
}
