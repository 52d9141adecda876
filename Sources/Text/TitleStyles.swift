import CPango
import Draft

/// What a text's markup means to Pango, by parts of the text. Owns Pango's lists of attributes.
struct TitleStyles: ~Copyable {
    private var parts: [(bytes: Range<Int>, list: Int)] = []
    private var lists: [OpaquePointer] = []
    /// Pixels between letters, besides the font's own.
    private var letterSpacing = 0.0

    init() {}

    /// - Throws: where Pango does not take a tag's value.
    init(_ text: TitleText, letterSpacing: Double, of title: Title) throws(TitleError) {
        self.letterSpacing = letterSpacing
        var known: [[String]: Int] = [:]
        for style in text.styles {
            if known[style.tags] == nil {
                lists.append(try Self.list(of: style.tags, title))
                known[style.tags] = lists.count - 1
            }
            if let list = known[style.tags] { parts.append((style.bytes, list)) }
        }
    }

    deinit { for list in lists { pango_attr_list_unref(list) } }

    /// The caller owns the result.
    private static func list(of tags: [String], _ title: Title) throws(TitleError) -> OpaquePointer {
        let closing = tags.reversed().map { "</" + $0.dropFirst().prefix { $0.isLetter } + ">" }
        let markup = tags.joined() + "x" + closing.joined()
        var list: OpaquePointer?
        var problem: UnsafeMutablePointer<GError>?
        guard pango_parse_markup(markup, Int32(markup.utf8.count), 0, &list, nil, nil, &problem) != 0, let list else {
            let words = problem.map { String(cString: $0.pointee.message) } ?? "Pango does not take it"
            g_error_free(problem)
            throw TitleError(
                .invalidTitle, "read its markup \(tags.joined())", title, reason: words.replacing("\n", with: " "))
        }
        return list
    }

    /// Gives a layout the attributes of a part of the text.
    /// - Parameters:
    ///   - start: where the part begins, in UTF-8, as everything here.
    ///   - mark: so much stands before it in the layout.
    func apply(to layout: OpaquePointer, from start: Int, mark: Int, length: Int) {
        guard letterSpacing != 0 || !parts.isEmpty else { return }
        let list = pango_attr_list_new()
        defer { pango_attr_list_unref(list) }
        if letterSpacing != 0 {
            let units = (letterSpacing * Double(PANGO_SCALE)).rounded()
            pango_attr_list_insert(list, pango_attr_letter_spacing_new(Int32(units)))
        }
        for part in parts {
            let bytes = part.bytes.clamped(to: start..<start + length)
            guard !bytes.isEmpty else { continue }
            cutroom_add_attributes(
                list, lists[part.list], UInt32(bytes.lowerBound - start + mark), UInt32(bytes.count))
        }
        pango_layout_set_attributes(layout, list)
    }
}
