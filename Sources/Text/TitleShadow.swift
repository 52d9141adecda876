import CPango
import Draft

/// A text's shape, blurred and elsewhere.
enum TitleShadow {
    /// - Parameters:
    ///   - ink: what throws the shadow lies in it.
    ///   - shape: draws what throws the shadow, with Cairo, on the canvas' coordinates.
    static func draw(
        _ shadow: Title.Shadow, of ink: TitleArea, on cairo: OpaquePointer,
        shape: (OpaquePointer) -> Void
    ) -> cairo_status_t {
        guard !ink.isEmpty, shadow.color.alpha > 0 else { return CAIRO_STATUS_SUCCESS }
        guard shadow.boxWidth > 1 else {
            drawSharp(shadow, on: cairo, shape: shape)
            return cairo_status(cairo)
        }
        let spread = shadow.boxWidth * 3 / 2 + 2
        let area = ink.grown(by: .around(spread))
        // A text that large is shown smaller: what it is blurred in may be smaller too.
        let shrinking = max(1, (Double(area.width) * Double(area.height) / mostPixels).squareRoot())
        let (width, height) = (
            Int((Double(area.width) / shrinking).rounded(.up)), Int((Double(area.height) / shrinking).rounded(.up))
        )
        guard let mask = cairo_image_surface_create(CAIRO_FORMAT_A8, Int32(width), Int32(height)) else {
            return CAIRO_STATUS_NO_MEMORY
        }
        defer { cairo_surface_destroy(mask) }
        guard cairo_surface_status(mask) == CAIRO_STATUS_SUCCESS, let pen = cairo_create(mask) else {
            return cairo_surface_status(mask)
        }
        cairo_scale(pen, 1 / shrinking, 1 / shrinking)
        cairo_translate(pen, Double(-area.left), Double(-area.top))
        cairo_set_antialias(pen, CAIRO_ANTIALIAS_BEST)
        shape(pen)
        let status = cairo_status(pen)
        cairo_destroy(pen)
        guard status == CAIRO_STATUS_SUCCESS else { return status }
        cairo_surface_flush(mask)
        let stride = Int(cairo_image_surface_get_stride(mask))
        if let bytes = cairo_image_surface_get_data(mask) {
            let box = shrinking == 1 ? shadow.boxWidth : Int((Double(shadow.boxWidth) / shrinking).rounded())
            blur(bytes, width: width, height: height, stride: stride, box: box)
        }
        cairo_surface_mark_dirty(mask)
        TitlePainter.setColor(shadow.color, cairo)
        cairo_save(cairo)
        defer { cairo_restore(cairo) }
        cairo_translate(cairo, Double(area.left + shadow.shift.x), Double(area.top + shadow.shift.y))
        cairo_scale(cairo, shrinking, shrinking)
        cairo_mask_surface(cairo, mask, 0, 0)
        return CAIRO_STATUS_SUCCESS
    }

    /// The pixels of the largest picture that is blurred: about two of the largest canvas.
    private static let mostPixels = Double(1 << 27)

    /// Draws a shadow without a blur: the shape itself, in whatever size it is shown.
    private static func drawSharp(
        _ shadow: Title.Shadow, on cairo: OpaquePointer, shape: (OpaquePointer) -> Void
    ) {
        cairo_save(cairo)
        defer { cairo_restore(cairo) }
        cairo_translate(cairo, Double(shadow.shift.x), Double(shadow.shift.y))
        cairo_push_group_with_content(cairo, CAIRO_CONTENT_ALPHA)
        cairo_set_antialias(cairo, CAIRO_ANTIALIAS_BEST)
        shape(cairo)
        guard let group = cairo_pop_group(cairo) else { return }
        defer { cairo_pattern_destroy(group) }
        TitlePainter.setColor(shadow.color, cairo)
        cairo_mask(cairo, group)
    }

    /// Three boxes one after another, which come near the normal distribution. Whole numbers, so
    /// the same on every machine.
    static func blur(
        _ bytes: UnsafeMutablePointer<UInt8>, width: Int, height: Int, stride: Int, box: Int,
        channels: Int = 1
    ) {
        guard box > 1 else { return }
        var line = [UInt8](repeating: 0, count: max(width, height))
        // An even box has no middle: one lies half a pixel to one side, one to the other, and the
        // third is odd.
        let boxes =
            box % 2 == 1
            ? [(box, box / 2), (box, box / 2), (box, box / 2)]
            : [(box, box / 2), (box, box / 2 - 1), (box + 1, box / 2)]
        for (size, before) in boxes {
            for channel in 0..<channels {
                let first = bytes + channel
                for y in 0..<height { blurLine(first + y * stride, channels, width, size, before, &line) }
                for x in 0..<width { blurLine(first + x * channels, stride, height, size, before, &line) }
            }
        }
    }

    /// - Parameters:
    ///   - step: bytes from one value to the next.
    ///   - before: how many of the box's values lie before the one that it makes.
    private static func blurLine(
        _ values: UnsafeMutablePointer<UInt8>, _ step: Int, _ count: Int, _ size: Int, _ before: Int,
        _ line: inout [UInt8]
    ) {
        var sum = 0
        for index in 0..<count { line[index] = values[index * step] }
        for index in 0..<min(count, size - before - 1) { sum += Int(line[index]) }
        for index in 0..<count {
            let (entering, leaving) = (index + size - before - 1, index - before - 1)
            if entering < count { sum += Int(line[entering]) }
            if leaving >= 0 { sum -= Int(line[leaving]) }
            values[index * step] = UInt8((sum + size / 2) / size)
        }
    }
}
