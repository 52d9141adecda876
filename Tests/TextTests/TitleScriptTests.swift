import CPango
import Draft
import TestSupport
import Testing
import Values

@testable import Text

/// Scripts of the world beside Pango's own drawing of a whole line, at rest and while letters come
/// one after the other.
@Suite struct TitleScriptTests {
    /// Texts, and how many letters each has as people see them.
    static let texts: [(text: String, letters: ClosedRange<Int>)] = [
        ("السلام عليكم", 9...11), ("नमस्ते क्षत्रिय", 6...8), ("ภาษาไทยกำลัง", 10...11), ("日本語のテキスト", 8...8),
        ("👩‍👩‍👧 🇫🇷 👍🏽 ❤️", 4...4), ("office ﬁ e\u{301}", 6...9),
    ]

    private struct Drawing {
        let width, height: Int
        /// Premultiplied red, green, blue and alpha.
        var pixels: [SIMD4<Int16>]

        /// The rows and columns that have ink.
        var bounds: (x: Range<Int>, y: Range<Int>) {
            let columns = (0..<width).filter { x in (0..<height).contains { pixels[$0 * width + x].w > 8 } }
            let rows = (0..<height).filter { y in (0..<width).contains { pixels[y * width + $0].w > 8 } }
            return ((columns.first ?? 0)..<(columns.last ?? -1) + 1, (rows.first ?? 0)..<(rows.last ?? -1) + 1)
        }

        init(_ bitmap: TitleBitmap) {
            (width, height) = (bitmap.width, bitmap.height)
            pixels = (0..<width * height).map { place in
                let alpha = Int(bitmap.rgba[4 * place + 3])
                func component(_ c: Int) -> Int16 { Int16((Int(bitmap.rgba[4 * place + c]) * alpha + 127) / 255) }
                return SIMD4(component(0), component(1), component(2), Int16(alpha))
            }
        }

        /// One line as Pango shapes and paints it, its pen and its base line on whole pixels.
        init(pango text: String, language: String, size: Double, hasColors: Bool) throws {
            (width, height) = (450, 80)
            let surface = cairo_image_surface_create(CAIRO_FORMAT_ARGB32, Int32(width), Int32(height))
            let cairo = try #require(cairo_create(surface))
            defer {
                cairo_destroy(cairo)
                cairo_surface_destroy(surface)
            }
            let layout = try #require(pango_cairo_create_layout(cairo))
            defer { g_object_unref(UnsafeMutableRawPointer(layout)) }
            let context = pango_layout_get_context(layout)
            let options = cairo_font_options_create()
            cairo_font_options_set_antialias(options, CAIRO_ANTIALIAS_GRAY)
            cairo_font_options_set_hint_style(options, CAIRO_HINT_STYLE_NONE)
            cairo_font_options_set_hint_metrics(options, CAIRO_HINT_METRICS_OFF)
            pango_cairo_context_set_font_options(context, options)
            cairo_font_options_destroy(options)
            pango_context_set_round_glyph_positions(context, 0)
            pango_context_set_language(context, pango_language_from_string(language))
            let font = pango_font_description_from_string("Sans")
            pango_font_description_set_absolute_size(font, size * Double(PANGO_SCALE))
            pango_layout_set_font_description(layout, font)
            pango_font_description_free(font)
            pango_layout_set_text(layout, text, -1)
            cairo_set_source_rgb(cairo, 1, 1, 1)
            cairo_move_to(cairo, 10, 55)
            let line = pango_layout_get_line_readonly(layout, 0)
            if hasColors {
                pango_cairo_show_layout_line(cairo, line)
            } else {
                // Shown glyphs lie on quarters of pixels; their outlines lie where they are.
                pango_cairo_layout_line_path(cairo, line)
                cairo_set_antialias(cairo, CAIRO_ANTIALIAS_BEST)
                cairo_fill(cairo)
            }
            cairo_surface_flush(surface)
            let bytes = try #require(cairo_image_surface_get_data(surface))
            let stride = Int(cairo_image_surface_get_stride(surface))
            let width = width
            pixels = (0..<width * height).map { place in
                let at = bytes + place / width * stride + place % width * 4
                return SIMD4(Int16(at[2]), Int16(at[1]), Int16(at[0]), Int16(at[3]))
            }
        }
    }

    @Test(arguments: texts) func `a line is drawn as Pango draws it`(text: String, letters: ClosedRange<Int>) throws {
        guard hasFont(for: text.filter { $0.isLetter }) else { return }
        let ours = Drawing(
            try TitleProbe(text, canvas: Canvas.Size(width: 450, height: 80)) { $0.size = 30 }.bitmap)
        let theirs = try Drawing(
            pango: text, language: TitleText(text).language, size: 30,
            hasColors: text.unicodeScalars.contains { $0.properties.isEmojiPresentation })
        let (a, b) = (ours.bounds, theirs.bounds)
        try #require(!a.x.isEmpty && a.x.count == b.x.count && a.y.count == b.y.count, "\(a), \(b)")
        var (sum, worst) = (0, 0)
        for (y, row) in zip(a.y, b.y) {
            for (x, column) in zip(a.x, b.x) {
                let difference = ours.pixels[y * ours.width + x] &- theirs.pixels[row * theirs.width + column]
                for c in 0..<4 {
                    sum += Int(abs(difference[c]))
                    worst = max(worst, Int(abs(difference[c])))
                }
            }
        }
        let mean = Double(sum) / Double(4 * a.x.count * a.y.count)
        #expect(mean < 0.5 && worst <= 48, "\(text): \(mean) and at most \(worst)")
    }

    /// While some letters are there and others not, what is there is what the whole text has in its
    /// place: no letter takes another shape because its neighbour is missing, and none comes in
    /// pieces.
    @Test(arguments: texts) func `letters keep their shape while they come`(text: String, letters: ClosedRange<Int>)
        throws
    {
        guard hasFont(for: text.filter { $0.isLetter }) else { return }
        let canvas = Canvas.Size(width: 450, height: 80)
        var title = Title(text)
        title.size = 30
        var enter = Entrance(.fade, duration: Time(seconds: 0.001) ?? .zero)
        (enter.unit, enter.stagger) = (.letter, Time(seconds: 1) ?? .zero)
        title.enter = enter
        let moving = try MovingTitle(title, canvas: canvas)
        let count = try LaidTitle(title, canvas: canvas).counts.letters
        #expect(letters.contains(count), "\(text) has \(count)")
        let whole = try moving.bitmap(at: Time(seconds: Double(count) + 5) ?? .zero)
        func pixel(_ bitmap: TitleBitmap, _ x: Int, _ y: Int) -> SIMD4<Int> {
            guard (bitmap.x..<bitmap.x + bitmap.width).contains(x), (bitmap.y..<bitmap.y + bitmap.height).contains(y)
            else { return .zero }
            let place = 4 * ((y - bitmap.y) * bitmap.width + x - bitmap.x)
            let alpha = Int(bitmap.rgba[place + 3])
            return SIMD4((0..<3).map { Int(bitmap.rgba[place + $0]) * alpha / 255 } + [alpha])
        }
        var ink: [Int] = []
        for letter in 0..<count {
            let part = try moving.bitmap(at: Time(seconds: Double(letter) + 0.5) ?? .zero)
            var (there, foreign) = (0, 0)
            for y in part.y..<part.y + part.height {
                for x in part.x..<part.x + part.width {
                    let (a, b) = (pixel(part, x, y), pixel(whole, x, y))
                    guard a.w > 127 else { continue }
                    there += 1
                    if (0..<4).contains(where: { abs(a[$0] - b[$0]) > 64 }) { foreign += 1 }
                }
            }
            ink.append(there)
            #expect(foreign * 50 <= there, "\(text), letter \(letter): \(foreign) of \(there)")
        }
        #expect(zip(ink, ink.dropFirst()).allSatisfy { $0 <= $1 } && (ink.last ?? 0) > (ink.first ?? 0), "\(ink)")
    }
}
