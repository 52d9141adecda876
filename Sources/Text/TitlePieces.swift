import CPango
import Draft

/// A laid-out text in pieces that can move by themselves: clusters, the smallest parts that Pango
/// shapes by themselves. A ligature, a letter with its marks and an emoji of several characters are
/// one each.
struct TitlePiece {
    /// Owned by the pieces.
    var glyphs: UnsafeMutablePointer<PangoGlyphString>
    /// How it is drawn; its glyphs are those above.
    var run: TitleLayout.Run
    /// What it covers with its outline, in pixels of the canvas.
    var area: TitleArea
    /// Counted as they are read.
    var line: Int
    var word: Int
    var letter: Int
    /// Where it begins in the text, in UTF-8.
    var offset: Int
}

/// Owns copies of the glyphs; fonts are the layout's.
struct TitlePieces: ~Copyable {
    private(set) var pieces: [TitlePiece] = []
    /// How many lines, words and letters have ink.
    private(set) var lineCount = 0
    private(set) var wordCount = 0
    private(set) var letterCount = 0

    /// - Parameter layout: has to live as long.
    init(_ layout: borrowing TitleLayout, outline: Double) {
        var clusters: [Cluster] = []
        for run in layout.runs { Self.collect(run, &clusters) }
        // As they are read: lines follow one another, and within a line the text's own order.
        clusters.sort { ($0.run.line, $0.start) < ($1.run.line, $1.start) }
        var place = (line: -1, word: -1, letter: -1)
        var lastLine: Int?
        var (isAfterSpace, isNewLine) = (true, false)
        for cluster in clusters {
            if cluster.run.line != lastLine {
                isAfterSpace = true
                lastLine = cluster.run.line
                isNewLine = true
            }
            if cluster.isSpace { isAfterSpace = true }
            guard !cluster.isBlank else { continue }
            if isNewLine { place.line += 1 }
            isNewLine = false
            // What people take for one character may be several clusters, where a font has no glyph
            // for the whole.
            if cluster.beginsCharacter || isAfterSpace || place.letter < 0 {
                if isAfterSpace || cluster.beginsWord { place.word += 1 }
                place.letter += 1
            }
            isAfterSpace = false
            pieces.append(cluster.piece(place, outline))
        }
        lineCount = place.line + 1
        wordCount = place.word + 1
        letterCount = place.letter + 1
    }

    deinit { for piece in pieces { pango_glyph_string_free(piece.glyphs) } }

    private struct Cluster {
        var run: TitleLayout.Run
        /// In UTF-8 of the line's layout.
        var start: Int
        /// The same of the whole text.
        var offset: Int
        /// Of the run's glyphs, which stand as they are seen.
        var glyphs: Range<Int>
        /// Nothing of it is seen.
        var isBlank: Bool
        var isSpace: Bool
        var beginsCharacter: Bool
        /// In a script that is written without spaces.
        var beginsWord: Bool

        func piece(_ place: (line: Int, word: Int, letter: Int), _ outline: Double) -> TitlePiece {
            let whole = run.glyphs.pointee
            let own = pango_glyph_string_new()!
            pango_glyph_string_set_size(own, Int32(glyphs.count))
            var run = run
            for (index, glyph) in glyphs.enumerated() {
                own.pointee.glyphs[index] = whole.glyphs[glyph]
                own.pointee.log_clusters[index] = 0
            }
            run.x += pixels((0..<glyphs.lowerBound).reduce(0) { $0 + whole.glyphs[$1].geometry.width })
            run.width = pixels(glyphs.reduce(0) { $0 + whole.glyphs[$1].geometry.width })
            run.glyphs = own
            var ink = PangoRectangle()
            pango_glyph_string_extents(own, run.font, &ink, nil)
            let margin = 2 + (run.hasColors ? 0 : outline)
            let (left, top) = (run.x + pixels(ink.x), run.y + pixels(ink.y))
            var area = TitleArea(
                left: Int((left - margin).rounded(.down)), top: Int((top - margin).rounded(.down)),
                right: Int((left + pixels(ink.width) + margin).rounded(.up)),
                bottom: Int((top + pixels(ink.height) + margin).rounded(.up)))
            if run.hasPanel {
                area = area.union(
                    TitleArea(
                        left: Int((run.x - margin).rounded(.down)), top: Int((run.top - margin).rounded(.down)),
                        right: Int((run.x + run.width + margin).rounded(.up)),
                        bottom: Int((run.bottom + margin).rounded(.up))))
            }
            return TitlePiece(
                glyphs: own, run: run, area: area, line: place.line, word: place.word, letter: place.letter,
                offset: offset)
        }
    }

    private static func collect(_ run: TitleLayout.Run, _ clusters: inout [Cluster]) {
        guard let text = pango_layout_get_text(run.layout) else { return }
        var count: Int32 = 0
        let breaks = pango_layout_get_log_attrs_readonly(run.layout, &count)
        var iterator = PangoGlyphItemIter()
        var goesOn = pango_glyph_item_iter_init_start(&iterator, run.item, text) != 0
        // Where the layout does not count characters, the offset does.
        let first = g_utf8_pointer_to_offset(text, text + Int(run.item.pointee.item.pointee.offset))
        while goesOn {
            let isForward = iterator.start_glyph < iterator.end_glyph
            let glyphs =
                isForward
                ? Int(iterator.start_glyph)..<Int(iterator.end_glyph)
                : Int(iterator.end_glyph) + 1..<Int(iterator.start_glyph) + 1
            let start = Int(iterator.start_index)
            let bytes = UnsafeRawBufferPointer(start: text + start, count: Int(iterator.end_index) - start)
            let scalars = Array(String(decoding: bytes, as: UTF8.self).unicodeScalars)
            let character = first + Int(iterator.start_char)
            let isKnown = character < Int(count)
            let isStart = isKnown && (breaks?[character].is_word_start ?? 0) != 0
            let isCharacter = !isKnown || (breaks?[character].is_cursor_position ?? 1) != 0
            clusters.append(
                Cluster(
                    run: run, start: start, offset: start + run.textOffset, glyphs: glyphs,
                    isBlank: scalars.allSatisfy {
                        $0.properties.isWhitespace || $0.properties.isDefaultIgnorableCodePoint
                    }, isSpace: scalars.contains { $0.properties.isWhitespace }, beginsCharacter: isCharacter,
                    beginsWord: isStart && scalars.first.map(isWrittenWithoutSpaces) == true))
            goesOn = pango_glyph_item_iter_next_cluster(&iterator) != 0
        }
    }

    /// Scripts whose words stand side by side: Thai, Lao, Myanmar, Khmer, and Han with kana
    /// (Unicode Standard 15.0, section 23.2).
    private static func isWrittenWithoutSpaces(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x0E00...0x0EFF, 0x1000...0x109F, 0x1780...0x17FF, 0x2E80...0x30FF, 0x31F0...0x31FF, 0x3400...0x4DBF,
            0x4E00...0x9FFF, 0xF900...0xFAFF, 0x20000...0x323AF:
            true
        default: false
        }
    }
}
