import CPango
import Draft

/// A drawn part of a title: pixels of Cairo's, and where they lie.
final class TitleSurface {
    private let surface: OpaquePointer
    private let area: TitleArea

    /// - Parameter draw: on the canvas' coordinates.
    /// - Throws: Cairo's own finding.
    init(_ area: TitleArea, of title: Title, _ draw: (OpaquePointer) -> cairo_status_t) throws(TitleError) {
        self.area = area
        surface = cairo_image_surface_create(CAIRO_FORMAT_ARGB32, Int32(area.width), Int32(area.height))
        guard let cairo = cairo_create(surface) else { throw Self.failure(CAIRO_STATUS_NO_MEMORY, title) }
        cairo_translate(cairo, Double(-area.left), Double(-area.top))
        let drawn = draw(cairo)
        let status = drawn == CAIRO_STATUS_SUCCESS ? cairo_status(cairo) : drawn
        cairo_destroy(cairo)
        guard status == CAIRO_STATUS_SUCCESS else { throw Self.failure(status, title) }
    }

    deinit { cairo_surface_destroy(surface) }

    static func failure(_ status: cairo_status_t, _ title: Title) -> TitleError {
        let text = String(cString: cairo_status_to_string(status))
        return TitleError(
            .drawing, "draw", title, reason: text,
            underlying: .init(code: Int32(bitPattern: status.rawValue), text: text))
    }

    func paint(on cairo: OpaquePointer, _ pose: TitlePose, of title: Title) throws(TitleError) {
        guard pose.opacity > 0 else { return }
        if pose.blur >= 0.3 { return try blurred(by: pose.blur, title).paintSharp(on: cairo, pose) }
        paintSharp(on: cairo, pose)
    }

    private func paintSharp(on cairo: OpaquePointer, _ pose: TitlePose) {
        cairo_save(cairo)
        defer { cairo_restore(cairo) }
        var matrix = pose.matrix
        cairo_transform(cairo, &matrix)
        if let part = pose.uncovered {
            cairo_rectangle(cairo, part.left, part.top, part.right - part.left, part.bottom - part.top)
            cairo_clip(cairo)
        }
        cairo_set_source_surface(cairo, surface, Double(area.left), Double(area.top))
        let isShrunk = abs(matrix.xx * matrix.yy - matrix.xy * matrix.yx) < 0.9
        cairo_pattern_set_filter(cairo_get_source(cairo), isShrunk ? CAIRO_FILTER_GOOD : CAIRO_FILTER_BILINEAR)
        cairo_paint_with_alpha(cairo, pose.opacity)
    }

    private func blurred(by sigma: Double, _ title: Title) throws(TitleError) -> TitleSurface {
        let shadow = Title.Shadow(.black, offset: .init(x: 0, y: 0), blur: min(200, sigma * 2))
        let copy = try TitleSurface(area.grown(by: shadow.reach), of: title) { cairo in
            cairo_set_source_surface(cairo, surface, Double(area.left), Double(area.top))
            cairo_paint(cairo)
            return cairo_status(cairo)
        }
        cairo_surface_flush(copy.surface)
        guard let bytes = cairo_image_surface_get_data(copy.surface) else { return copy }
        TitleShadow.blur(
            bytes, width: copy.area.width, height: copy.area.height, stride: 4 * copy.area.width,
            box: shadow.boxWidth, channels: 4)
        cairo_surface_mark_dirty(copy.surface)
        return copy
    }
}
