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
        let spread = shadow.boxWidth * 3 / 2 + 2
        let area = ink.grown(by: TitleArea(left: spread, top: spread, right: spread, bottom: spread))
        guard let mask = cairo_image_surface_create(CAIRO_FORMAT_A8, Int32(area.width), Int32(area.height)) else {
            return CAIRO_STATUS_NO_MEMORY
        }
        defer { cairo_surface_destroy(mask) }
        guard cairo_surface_status(mask) == CAIRO_STATUS_SUCCESS, let pen = cairo_create(mask) else {
            return cairo_surface_status(mask)
        }
        cairo_translate(pen, Double(-area.left), Double(-area.top))
        cairo_set_antialias(pen, CAIRO_ANTIALIAS_BEST)
        shape(pen)
        let status = cairo_status(pen)
        cairo_destroy(pen)
        guard status == CAIRO_STATUS_SUCCESS else { return status }
        cairo_surface_flush(mask)
        let stride = Int(cairo_image_surface_get_stride(mask))
        if let bytes = cairo_image_surface_get_data(mask) {
            blur(bytes, width: area.width, height: area.height, stride: stride, box: shadow.boxWidth)
        }
        cairo_surface_mark_dirty(mask)
        let color = shadow.color
        cairo_set_source_rgba(
            cairo, Double(color.red) / 255, Double(color.green) / 255, Double(color.blue) / 255,
            Double(color.alpha) / 255)
        cairo_mask_surface(
            cairo, mask, Double(area.left + shadow.shift.x), Double(area.top + shadow.shift.y))
        return CAIRO_STATUS_SUCCESS
    }

    /// Three boxes one after another, which come near the normal distribution. Whole numbers, so the same on every machine.
    static func blur(
        _ bytes: UnsafeMutablePointer<UInt8>, width: Int, height: Int, stride: Int, box: Int,
        channels: Int = 1
    ) {
        guard box > 1 else { return }
        var line = [UInt8](repeating: 0, count: max(width, height))
        // An even box has no middle: one lies half a pixel to one side, one to the other, and the third is odd.
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
