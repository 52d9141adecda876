import CPango
import Draft

/// Glyphs that are shown in another size than the one they were laid out in.
///
/// Their outlines are taken from the font at the next power of two and brought to the shown size,
/// so that they are as exact as text of that size, and a size that changes from frame to frame
/// needs no font of its own for each frame.
extension TitlePainter {
    /// The largest em that outlines are taken in, in pixels: FreeType counts them in 16 bits.
    private static let largestOutline = 4096.0
    /// The largest em that pictures of glyphs are drawn in.
    private static let largestPicture = 1024.0
    /// The longest side and the largest area of a run's picture, in pixels. Cairo's limit is 32767
    /// a side.
    private static let (largestSide, largestArea) = (16_384.0, 16_777_216.0)

    /// Returns the power of two that a size is multiplied with for a matrix; nil where nothing is
    /// turned or scaled.
    private static func zoom(_ cairo: OpaquePointer, _ title: Title, upTo largest: Double) -> Double? {
        var matrix = cairo_matrix_t()
        cairo_get_matrix(cairo, &matrix)
        guard !matrix.isMovement else { return nil }
        var zoom = 1.0
        while zoom < matrix.scale, title.size * zoom * 2 <= largest { zoom *= 2 }
        return zoom
    }

    /// Begins a path with the outlines of a run's glyphs.
    static func addGlyphs(of run: TitleLayout.Run, of title: Title, to cairo: OpaquePointer) {
        guard let zoom = zoom(cairo, title, upTo: largestOutline) else {
            cairo_move_to(cairo, run.x, run.y)
            pango_cairo_glyph_string_path(cairo, run.font, run.glyphs)
            return
        }
        // Cairo's path is in pixels of the surface: made at the origin, and appended where it
        // belongs.
        cairo_save(cairo)
        cairo_new_path(cairo)
        cairo_identity_matrix(cairo)
        cairo_scale(cairo, zoom, zoom)
        cairo_move_to(cairo, 0, 0)
        pango_cairo_glyph_string_path(cairo, run.font, run.glyphs)
        let glyphs = cairo_copy_path(cairo)
        defer { cairo_path_destroy(glyphs) }
        cairo_restore(cairo)
        cairo_new_path(cairo)
        cairo_save(cairo)
        cairo_translate(cairo, run.x, run.y)
        cairo_append_path(cairo, glyphs)
        cairo_restore(cairo)
    }

    /// Shows a run of glyphs that have colours of their own.
    static func show(_ run: TitleLayout.Run, of title: Title, on cairo: OpaquePointer) {
        guard var zoom = zoom(cairo, title, upTo: largestPicture) else {
            cairo_move_to(cairo, run.x, run.y)
            pango_cairo_show_glyph_string(cairo, run.font, run.glyphs)
            return
        }
        var ink = PangoRectangle()
        pango_glyph_string_extents(run.glyphs, run.font, &ink, nil)
        let (left, top) = ((pixels(ink.x) - 1).rounded(.down), (pixels(ink.y) - 1).rounded(.down))
        let (width, height) = (pixels(ink.width) + 3, pixels(ink.height) + 3)
        // A long line is less exact rather than too large a picture.
        while zoom > 1, max(width, height) * zoom > largestSide || width * height * zoom * zoom > largestArea {
            zoom /= 2
        }
        let picture = cairo_image_surface_create(
            CAIRO_FORMAT_ARGB32, Int32((width * zoom).rounded(.up)), Int32((height * zoom).rounded(.up)))
        defer { cairo_surface_destroy(picture) }
        guard let pen = cairo_create(picture) else { return }
        cairo_scale(pen, zoom, zoom)
        cairo_move_to(pen, -left, -top)
        pango_cairo_show_glyph_string(pen, run.font, run.glyphs)
        cairo_destroy(pen)
        cairo_save(cairo)
        defer { cairo_restore(cairo) }
        cairo_translate(cairo, run.x + left, run.y + top)
        cairo_scale(cairo, 1 / zoom, 1 / zoom)
        cairo_set_source_surface(cairo, picture, 0, 0)
        cairo_pattern_set_filter(cairo_get_source(cairo), CAIRO_FILTER_GOOD)
        cairo_paint(cairo)
    }
}
