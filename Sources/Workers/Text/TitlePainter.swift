import CPango
import Draft

/// Draws a laid-out title with Cairo into its own memory.
enum TitlePainter {
    /// - Returns: what of the title is on the canvas. Memory: four bytes a pixel of that, twice while it is drawn with a
    ///   background or a translucent colour.
    static func paint(_ title: Title, _ layout: borrowing TitleLayout) throws(TitleError) -> TitleBitmap {
        let area = layout.visible
        guard !area.isEmpty else { return .empty }
        let (width, height) = (area.right - area.left, area.bottom - area.top)
        // Cairo's ARGB32 has rows of whole 32-bit words, so they are never padded.
        var bytes = [UInt8](repeating: 0, count: width * height * 4)
        let status = bytes.withUnsafeMutableBytes { memory in
            let surface = cairo_image_surface_create_for_data(
                memory.baseAddress?.assumingMemoryBound(to: UInt8.self), CAIRO_FORMAT_ARGB32, Int32(width),
                Int32(height),
                Int32(width * 4))
            defer { cairo_surface_destroy(surface) }
            guard let cairo = cairo_create(surface) else { return CAIRO_STATUS_NO_MEMORY }
            defer { cairo_destroy(cairo) }
            cairo_translate(cairo, Double(-area.left), Double(-area.top))
            draw(title, layout, on: cairo)
            cairo_surface_finish(surface)
            let status = cairo_status(cairo)
            if status == CAIRO_STATUS_SUCCESS { straighten(memory) }
            return status
        }
        guard status == CAIRO_STATUS_SUCCESS else {
            let text = String(cString: cairo_status_to_string(status))
            throw TitleError(
                .drawing, "draw", title, reason: text,
                underlying: .init(code: Int32(bitPattern: status.rawValue), text: text))
        }
        return TitleBitmap(x: area.left, y: area.top, width: width, height: height, rgba: bytes)
    }

    private static func draw(_ title: Title, _ layout: borrowing TitleLayout, on cairo: OpaquePointer) {
        if title.background.alpha > 0 {
            let panel = TitleLayout.panel(behind: layout.box, title)
            setColor(title.background, cairo)
            cairo_rectangle(
                cairo, Double(panel.left), Double(panel.top), Double(panel.right - panel.left),
                Double(panel.bottom - panel.top))
            cairo_fill(cairo)
        }
        // Two groups, each only where it has something: Cairo 1.16 drew nothing more after an empty one.
        if layout.runs.contains(where: { !$0.hasColors }) { drawLetters(title, layout, on: cairo) }
        if layout.runs.contains(where: \.hasColors) { drawColored(title, layout, on: cairo) }
    }

    /// Within the group each layer replaces what it covers, so that glyphs which overlap are not darker there and the outline
    /// does not shine through a translucent letter.
    private static func drawLetters(_ title: Title, _ layout: borrowing TitleLayout, on cairo: OpaquePointer) {
        cairo_push_group(cairo)
        cairo_set_operator(cairo, CAIRO_OPERATOR_SOURCE)
        cairo_set_antialias(cairo, CAIRO_ANTIALIAS_BEST)
        if title.outlineWidth > 0, title.outlineColor.alpha > 0 {
            setColor(title.outlineColor, cairo)
            // The stroke lies on the glyph's edge, half of it inside.
            cairo_set_line_width(cairo, title.outlineWidth * 2)
            cairo_set_line_join(cairo, CAIRO_LINE_JOIN_ROUND)
            for run in layout.runs where !run.hasColors {
                addPath(of: run, to: cairo)
                cairo_stroke(cairo)
            }
        }
        setColor(title.color, cairo)
        for run in layout.runs where !run.hasColors {
            addPath(of: run, to: cairo)
            cairo_fill(cairo)
        }
        cairo_pop_group_to_source(cairo)
        cairo_paint(cairo)
    }

    private static func drawColored(_ title: Title, _ layout: borrowing TitleLayout, on cairo: OpaquePointer) {
        cairo_push_group(cairo)
        for run in layout.runs where run.hasColors {
            cairo_move_to(cairo, run.x, run.y)
            pango_cairo_show_glyph_string(cairo, run.font, run.glyphs)
        }
        cairo_pop_group_to_source(cairo)
        cairo_paint_with_alpha(cairo, Double(title.color.alpha) / 255)
    }

    /// Glyphs are drawn as paths: Cairo's cached glyph pictures begin on whole pixels only, which spaces small text unevenly,
    /// and an outline must lie on the very edge that is filled.
    private static func addPath(of run: TitleLayout.Run, to cairo: OpaquePointer) {
        cairo_move_to(cairo, run.x, run.y)
        pango_cairo_glyph_string_path(cairo, run.font, run.glyphs)
    }

    private static func setColor(_ color: Color, _ cairo: OpaquePointer) {
        cairo_set_source_rgba(
            cairo, Double(color.red) / 255, Double(color.green) / 255, Double(color.blue) / 255,
            Double(color.alpha) / 255)
    }

    /// From Cairo's native-endian, premultiplied ARGB words to bytes of straight RGBA, in place. Rounded to nearest.
    private static func straighten(_ memory: UnsafeMutableRawBufferPointer) {
        for offset in stride(from: 0, to: memory.count, by: 4) {
            let word = memory.load(fromByteOffset: offset, as: UInt32.self)
            let alpha = word >> 24
            guard alpha != 0 else { continue }
            func straight(_ value: UInt32) -> UInt8 { UInt8(min(255, ((value & 255) * 255 + alpha / 2) / alpha)) }
            memory[offset] = straight(word >> 16)
            memory[offset + 1] = straight(word >> 8)
            memory[offset + 2] = straight(word)
            memory[offset + 3] = UInt8(alpha)
        }
    }
}
