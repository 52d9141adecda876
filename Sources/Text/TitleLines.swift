import CPango

/// A text's lines, broken and shaped by Pango. Owns the layouts that the lines live in.
///
/// The text goes through Pango in portions: breaking one long paragraph without spaces takes Pango
/// a time that grows with the square of its length and more (measured with 1.50: 16 000 letters,
/// one a line, 78 s), and it measures a paragraph, before breaking it, in 32-bit integers of 1/1024
/// pixel. A portion's last line is given back and begins the next one, so lines break where they
/// would in one piece. Nearly every title is one portion.
struct TitleLines: ~Copyable {
    struct Line {
        /// Borrowed from the lines.
        var line: UnsafeMutablePointer<PangoLayoutLine>
        /// The advance of its glyphs, in pixels. Spaces at the end of a broken line count nothing.
        var width: Double
        /// From the line's top to its baseline, in pixels.
        var ascent: Double
        /// From the line's top to the next one's, in pixels.
        var height: Double
        /// What is to be added to a place in its layout's text, in UTF-8, for the place in the
        /// whole text.
        var textOffset = 0
    }

    private(set) var lines: [Line] = []
    private var layouts: [OpaquePointer] = []

    /// Breaks `text`, whose paragraphs end with `\n`, at `width` pixels: between words where it can
    /// be, else between characters.
    /// - Parameters:
    ///   - portion: characters at a time; more where they do not fill two lines.
    ///   - wrap: where lines are broken.
    init(
        _ text: String, width: Int, fonts: borrowing TitleFonts, portion: Int, styles: borrowing TitleStyles = .init(),
        wrap: PangoWrapMode = PANGO_WRAP_WORD_CHAR
    ) {
        var start = text.startIndex
        var size = max(portion, 1)
        // Where a portion continues a paragraph, its own first strong character is not the
        // paragraph's: a direction mark (left-to-right U+200E, right-to-left U+200F) in front of it
        // says what that was.
        var mark = ""
        repeat {
            let end = text.index(start, offsetBy: size, limitedBy: text.endIndex) ?? text.endIndex
            let layout = fonts.makeLayout(mark + text[start..<end], width: width, wrap)
            styles.apply(
                to: layout, from: text.utf8.distance(from: text.startIndex, to: start), mark: mark.utf8.count,
                length: text.utf8.distance(from: start, to: end))
            let found = Self.nodes(of: layout)
            guard end < text.endIndex else {
                keep(layout, found[...], from: text.utf8.distance(from: text.startIndex, to: start) - mark.utf8.count)
                return
            }
            guard found.count > 1, let last = found.last else {
                g_object_unref(UnsafeMutableRawPointer(layout))
                size *= 2
                continue
            }
            keep(
                layout, found.dropLast(),
                from: text.utf8.distance(from: text.startIndex, to: start) - mark.utf8.count)
            let next = text.utf8.index(start, offsetBy: Int(last.pointee.start_index) - mark.utf8.count)
            if last.pointee.is_paragraph_start != 0 {
                mark = ""
            } else if let lineEnd = text[start..<next].lastIndex(of: "\n") {
                mark = Self.isRightToLeft(text[text.index(after: lineEnd)...]) ? "\u{200F}" : "\u{200E}"
            } else if mark.isEmpty {
                mark = Self.isRightToLeft(text[start...]) ? "\u{200F}" : "\u{200E}"
            }
            start = next
            size = max(portion, 1)
        } while true
    }

    deinit { for layout in layouts { g_object_unref(UnsafeMutableRawPointer(layout)) } }

    private mutating func keep(
        _ layout: OpaquePointer, _ nodes: ArraySlice<UnsafeMutablePointer<PangoLayoutLine>>, from offset: Int
    ) {
        layouts.append(layout)
        for line in nodes {
            var logical = PangoRectangle()
            pango_layout_line_get_extents(line, nil, &logical)
            lines.append(
                Line(
                    line: line, width: pixels(logical.width), ascent: -pixels(logical.y),
                    height: pixels(logical.height),
                    textOffset: offset))
        }
    }

    private static func nodes(of layout: OpaquePointer) -> [UnsafeMutablePointer<PangoLayoutLine>] {
        var lines: [UnsafeMutablePointer<PangoLayoutLine>] = []
        var node = pango_layout_get_lines_readonly(layout)
        while let current = node {
            if let line = cutroom_line(current) { lines.append(line) }
            node = current.pointee.next
        }
        return lines
    }

    /// By the first strong character, as rule P2 of the Unicode Bidirectional Algorithm has it.
    private static func isRightToLeft(_ text: Substring) -> Bool {
        let paragraph = String(text.prefix { $0 != "\n" })
        return cutroom_base_direction(paragraph, Int32(paragraph.utf8.count)) == PANGO_DIRECTION_RTL
    }
}

/// From Pango's units.
func pixels(_ units: Int32) -> Double { Double(units) / Double(PANGO_SCALE) }

extension TitleFonts {
    /// The caller owns the result. Each paragraph runs in the direction of its first strong
    /// character.
    fileprivate func makeLayout(_ text: String, width: Int, _ wrap: PangoWrapMode) -> OpaquePointer {
        let layout: OpaquePointer = pango_layout_new(context)
        pango_layout_set_font_description(layout, description)
        pango_layout_set_width(layout, Int32(clamping: width * Int(PANGO_SCALE)))
        pango_layout_set_wrap(layout, wrap)
        pango_layout_set_auto_dir(layout, 1)
        pango_layout_set_text(layout, text, Int32(text.utf8.count))
        return layout
    }
}
