import CPango
import Draft
import Glibc
import Values

/// Draws a laid-out title with Cairo into its own memory.
enum TitlePainter {
    /// - Returns: what of the title is on the canvas. Memory: four bytes a pixel of that, twice
    ///   while it is drawn with a background or a translucent colour; one more with a shadow.
    static func paint(_ title: Title, _ layout: borrowing TitleLayout) throws(TitleError) -> TitleBitmap {
        let area = layout.visible
        guard !area.isEmpty else { return .empty }
        let (runs, text, ink) = (layout.runs, layout.extent, layout.ink)
        return try bitmap(area, of: title) { cairo throws(TitleError) in
            drawPanel(title, text, on: cairo)
            let status = draw(title, runs, text, ink, .whole, on: cairo)
            guard status == CAIRO_STATUS_SUCCESS else { throw TitleSurface.failure(status, title) }
        }
    }

    /// - Parameter draw: on the canvas' coordinates.
    static func bitmap(
        _ area: TitleArea, of title: Title, _ draw: (OpaquePointer) throws(TitleError) -> Void
    ) throws(TitleError) -> TitleBitmap {
        // Cairo's ARGB32 has rows of whole 32-bit words, so they are never padded.
        let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: area.width * area.height * 4, alignment: 16)
        defer { memory.deallocate() }
        memory.initializeMemory(as: UInt8.self, repeating: 0)
        let surface = cairo_image_surface_create_for_data(
            memory.baseAddress?.assumingMemoryBound(to: UInt8.self), CAIRO_FORMAT_ARGB32, Int32(area.width),
            Int32(area.height), Int32(area.width * 4))
        defer { cairo_surface_destroy(surface) }
        guard let cairo = cairo_create(surface) else { throw TitleSurface.failure(CAIRO_STATUS_NO_MEMORY, title) }
        defer { cairo_destroy(cairo) }
        cairo_translate(cairo, Double(-area.left), Double(-area.top))
        try draw(cairo)
        cairo_surface_finish(surface)
        let status = cairo_status(cairo)
        guard status == CAIRO_STATUS_SUCCESS else { throw TitleSurface.failure(status, title) }
        straighten(memory)
        return TitleBitmap(
            x: area.left, y: area.top, width: area.width, height: area.height, rgba: Array(memory))
    }

    /// - Parameter text: the extent of the lines.
    static func drawPanel(_ title: Title, _ text: TitleArea, on cairo: OpaquePointer) {
        guard title.background.alpha > 0 else { return }
        setColor(title.background, cairo)
        addPanel(TitleLayout.panel(behind: text, title), radius: title.backgroundRadius, to: cairo)
        cairo_fill(cairo)
    }

    /// The parts of a text that are drawn.
    enum Content {
        /// All of it but the background.
        case whole
        /// Shadow, backgrounds of parts of the text, and outlines.
        case under
        case letters
    }

    /// Draws some of a title's runs.
    /// - Parameters:
    ///   - text: the extent of the lines, which a gradient covers.
    ///   - ink: an area that holds the runs with their outlines.
    ///   - cairo: its matrix leads from where the runs were laid out to where they are drawn.
    static func draw(
        _ title: Title, _ runs: [TitleLayout.Run], _ text: TitleArea, _ ink: TitleArea, _ content: Content,
        on cairo: OpaquePointer
    ) -> cairo_status_t {
        if content != .letters {
            let status = drawUnder(title, runs, ink, on: cairo)
            guard status == CAIRO_STATUS_SUCCESS else { return status }
        }
        drawLetters(title, runs, text, content, on: cairo)
        return CAIRO_STATUS_SUCCESS
    }

    /// The shadow, and backgrounds of parts of the text.
    private static func drawUnder(
        _ title: Title, _ runs: [TitleLayout.Run], _ ink: TitleArea, on cairo: OpaquePointer
    ) -> cairo_status_t {
        if let shadow = title.shadow {
            let status = TitleShadow.draw(shadow, of: ink, on: cairo) { drawShape(title, runs, on: $0) }
            guard status == CAIRO_STATUS_SUCCESS else { return status }
        }
        for run in runs where run.paint.has_background != 0 {
            setColor(run.paint.background, cairo)
            cairo_rectangle(cairo, run.x, run.top, run.width, run.bottom - run.top)
            cairo_fill(cairo)
        }
        return CAIRO_STATUS_SUCCESS
    }

    private static func drawLetters(
        _ title: Title, _ runs: [TitleLayout.Run], _ text: TitleArea, _ content: Content, on cairo: OpaquePointer
    ) {
        // Two groups, each only where it has something: Cairo 1.16 drew nothing more after an empty
        // one.
        if runs.contains(where: { !$0.hasColors }) { drawPlain(title, runs, text, content, on: cairo) }
        if content != .under, runs.contains(where: \.hasColors) { drawColored(title, runs, on: cairo) }
    }

    private static func addPanel(_ panel: TitleArea, radius: Double, to cairo: OpaquePointer) {
        let (left, top) = (Double(panel.left), Double(panel.top))
        let (right, bottom) = (Double(panel.right), Double(panel.bottom))
        let radius = min(radius, (right - left) / 2, (bottom - top) / 2)
        guard radius > 0 else { return cairo_rectangle(cairo, left, top, right - left, bottom - top) }
        let turn = Double.pi / 2
        cairo_new_sub_path(cairo)
        cairo_arc(cairo, right - radius, top + radius, radius, -turn, 0)
        cairo_arc(cairo, right - radius, bottom - radius, radius, 0, turn)
        cairo_arc(cairo, left + radius, bottom - radius, radius, turn, 2 * turn)
        cairo_arc(cairo, left + radius, top + radius, radius, 2 * turn, 3 * turn)
        cairo_close_path(cairo)
    }

    /// What throws the shadow: everything but the background, in whatever colour.
    private static func drawShape(_ title: Title, _ runs: [TitleLayout.Run], on cairo: OpaquePointer) {
        cairo_set_source_rgba(cairo, 0, 0, 0, 1)
        cairo_set_line_width(cairo, title.outlineWidth * 2)
        cairo_set_line_join(cairo, CAIRO_LINE_JOIN_ROUND)
        for run in runs {
            guard !run.hasColors else {
                show(run, of: title, on: cairo)
                continue
            }
            addPath(of: run, of: title, to: cairo)
            cairo_fill_preserve(cairo)
            if title.outlineWidth > 0, title.outlineColor.alpha > 0 { cairo_stroke(cairo) }
            cairo_new_path(cairo)
        }
    }

    /// Within the group each layer replaces what it covers, so that glyphs which overlap are not
    /// darker there and the outline does not shine through a translucent letter.
    private static func drawPlain(
        _ title: Title, _ runs: [TitleLayout.Run], _ text: TitleArea, _ content: Content, on cairo: OpaquePointer
    ) {
        cairo_push_group(cairo)
        cairo_set_operator(cairo, CAIRO_OPERATOR_SOURCE)
        cairo_set_antialias(cairo, CAIRO_ANTIALIAS_BEST)
        if content != .letters, title.outlineWidth > 0, title.outlineColor.alpha > 0 {
            setColor(title.outlineColor, cairo)
            // The stroke lies on the glyph's edge, half of it inside.
            cairo_set_line_width(cairo, title.outlineWidth * 2)
            cairo_set_line_join(cairo, CAIRO_LINE_JOIN_ROUND)
            for run in runs where !run.hasColors {
                addPath(of: run, of: title, to: cairo)
                cairo_stroke(cairo)
            }
        }
        if content != .under { setFill(title, text, cairo) }
        for run in runs where !run.hasColors && content != .under {
            if run.paint.has_color != 0 { setColor(run.paint.color, cairo) }
            addPath(of: run, of: title, to: cairo)
            cairo_fill(cairo)
            if run.paint.has_color != 0 { setFill(title, text, cairo) }
        }
        cairo_pop_group_to_source(cairo)
        cairo_paint(cairo)
    }

    /// The letters' colour, or the gradient over the text.
    private static func setFill(_ title: Title, _ text: TitleArea, _ cairo: OpaquePointer) {
        guard let gradient = title.gradient, gradient.colors.count > 1 else { return setColor(title.color, cairo) }
        // From the side of the text that the direction comes from to the one that it goes to.
        let (x, y) = (PortableMath.cosPi(gradient.angle / 180), PortableMath.sinPi(gradient.angle / 180))
        let half = (abs(x) * Double(text.width) + abs(y) * Double(text.height)) / 2
        let middle = (x: Double(text.left + text.right) / 2, y: Double(text.top + text.bottom) / 2)
        let pattern = cairo_pattern_create_linear(
            middle.x - x * half, middle.y - y * half, middle.x + x * half, middle.y + y * half)
        defer { cairo_pattern_destroy(pattern) }
        for (index, color) in gradient.colors.enumerated() {
            cairo_pattern_add_color_stop_rgba(
                pattern, Double(index) / Double(gradient.colors.count - 1), Double(color.red) / 255,
                Double(color.green) / 255, Double(color.blue) / 255, Double(color.alpha) / 255)
        }
        cairo_set_source(cairo, pattern)
    }

    private static func drawColored(_ title: Title, _ runs: [TitleLayout.Run], on cairo: OpaquePointer) {
        cairo_push_group(cairo)
        for run in runs where run.hasColors { show(run, of: title, on: cairo) }
        cairo_pop_group_to_source(cairo)
        cairo_paint_with_alpha(cairo, Double(title.color.alpha) / 255)
    }

    /// Glyphs are drawn as paths: Cairo's cached glyph pictures begin on whole pixels only, which
    /// spaces small text unevenly, and an outline must lie on the very edge that is filled.
    private static func addPath(of run: TitleLayout.Run, of title: Title, to cairo: OpaquePointer) {
        addGlyphs(of: run, of: title, to: cairo)
        guard run.paint.is_underlined != 0 || run.paint.is_struck != 0 else { return }
        let metrics = pango_font_get_metrics(run.font, nil)
        defer { pango_font_metrics_unref(metrics) }
        func add(_ position: Int32, _ thickness: Int32) {
            cairo_rectangle(cairo, run.x, run.y - pixels(position), run.width, max(1, pixels(thickness)))
        }
        if run.paint.is_underlined != 0 {
            add(pango_font_metrics_get_underline_position(metrics), pango_font_metrics_get_underline_thickness(metrics))
        }
        if run.paint.is_struck != 0 {
            add(
                pango_font_metrics_get_strikethrough_position(metrics),
                pango_font_metrics_get_strikethrough_thickness(metrics))
        }
    }

    private static func setColor(_ color: UInt32, _ cairo: OpaquePointer) {
        func part(_ shift: UInt32) -> Double { Double(color >> shift & 255) / 255 }
        cairo_set_source_rgba(cairo, part(24), part(16), part(8), part(0))
    }

    static func setColor(_ color: Color, _ cairo: OpaquePointer) {
        cairo_set_source_rgba(
            cairo, Double(color.red) / 255, Double(color.green) / 255, Double(color.blue) / 255,
            Double(color.alpha) / 255)
    }

    /// From Cairo's native-endian, premultiplied ARGB words to bytes of straight RGBA, in place.
    /// Rounded to nearest.
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
