import CPango
import Draft

/// A drawn part of a title: pixels of Cairo's, and where they lie.
final class TitleSurface {
    private let surface: OpaquePointer
    let area: TitleArea

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
        cairo_surface_flush(surface)
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
        if pose.isBlurred { return try blurred(by: pose.blur, title).paintSharp(on: cairo, pose) }
        paintSharp(on: cairo, pose)
    }

    private func paintSharp(on cairo: OpaquePointer, _ pose: TitlePose) {
        cairo_save(cairo)
        defer { cairo_restore(cairo) }
        pose.clip(cairo)
        var matrix = pose.matrix
        cairo_transform(cairo, &matrix)
        cairo_set_source_surface(cairo, surface, Double(area.left), Double(area.top))
        cairo_pattern_set_filter(cairo_get_source(cairo), CAIRO_FILTER_BILINEAR)
        cairo_paint_with_alpha(cairo, pose.opacity)
    }

    private func blurred(by sigma: Double, _ title: Title) throws(TitleError) -> TitleSurface {
        let shadow = Title.Shadow(.black, offset: .init(x: 0, y: 0), blur: min(200, sigma * 2))
        let copy = try TitleSurface(area.grown(by: shadow.reach), of: title) { cairo in
            cairo_set_source_surface(cairo, surface, Double(area.left), Double(area.top))
            cairo_paint(cairo)
            return cairo_status(cairo)
        }
        copy.change { bytes in
            TitleShadow.blur(
                bytes, width: copy.area.width, height: copy.area.height, stride: 4 * copy.area.width,
                box: shadow.boxWidth, channels: 4)
        }
        return copy
    }

    private func copy(_ title: Title) throws(TitleError) -> TitleSurface {
        try TitleSurface(area, of: title) { cairo in
            cairo_set_operator(cairo, CAIRO_OPERATOR_SOURCE)
            cairo_set_source_surface(cairo, surface, Double(area.left), Double(area.top))
            cairo_paint(cairo)
            return cairo_status(cairo)
        }
    }

    /// Lets the caller change the pixels: premultiplied, four bytes each, rows without padding.
    private func change(_ body: (UnsafeMutablePointer<UInt8>) -> Void) {
        cairo_surface_flush(surface)
        guard let bytes = cairo_image_surface_get_data(surface) else { return }
        body(bytes)
        cairo_surface_mark_dirty(surface)
    }
}

// MARK: - What lies under letters

extension TitleSurface {
    /// Returns what has to lie under letters that are painted with an opacity, so that both
    /// together are the whole with that opacity: nothing shows through the letters.
    ///
    /// With `u` this picture, `f` the letters' alpha and `a` the opacity it is `a·u(1 − f)/(1 −
    /// a·f)`: painting letters `l` over it with the opacity gives `a·l + a·u(1 − f)`.
    /// - Parameters:
    ///   - letters: of the same area.
    ///   - pose: the opacity and the blur.
    /// - Returns: the letters as they are to be painted, too.
    func fading(
        under letters: TitleSurface, _ pose: TitlePose, of title: Title
    ) throws(TitleError) -> (under: TitleSurface, letters: TitleSurface) {
        let rest = try copy(title)
        rest.scale(by: letters)
        guard pose.isBlurred else {
            rest.divide(by: letters, pose.opacity)
            return (rest, letters)
        }
        let (soft, softLetters) = (try rest.blurred(by: pose.blur, title), try letters.blurred(by: pose.blur, title))
        soft.divide(by: softLetters, pose.opacity)
        return (soft, softLetters)
    }

    /// Subtracts letters from a picture of the whole, and divides by what they let through.
    /// - Parameter letters: of the same area.
    func removeLetters(_ letters: TitleSurface) {
        letters.change { front in
            change { bytes in
                for pixel in 0..<area.width * area.height {
                    let f = Int(front[4 * pixel + 3])
                    guard f > 0 else { continue }
                    let free = 255 - f
                    for part in 4 * pixel..<4 * pixel + 4 {
                        let left = max(0, Int(bytes[part]) - Int(front[part]))
                        bytes[part] = free == 0 ? 0 : UInt8(min(255, (left * 255 + free / 2) / free))
                    }
                }
            }
        }
    }

    /// Multiplies with what the letters let through.
    private func scale(by letters: TitleSurface) {
        letters.change { front in
            change { bytes in
                for pixel in 0..<area.width * area.height {
                    let free = 255 - Int(front[4 * pixel + 3])
                    guard free < 255 else { continue }
                    for part in 4 * pixel..<4 * pixel + 4 { bytes[part] = UInt8((Int(bytes[part]) * free + 127) / 255) }
                }
            }
        }
    }

    /// Multiplies with an opacity, and divides by what letters with that opacity let through.
    private func divide(by letters: TitleSurface, _ opacity: Double) {
        // The factor for each alpha of a letter.
        let factors = (0...255).map { alpha in
            let free = 1 - opacity * Double(alpha) / 255
            return free > 1e-6 ? opacity / free : 0
        }
        letters.change { front in
            change { bytes in
                for pixel in 0..<area.width * area.height {
                    let factor = factors[Int(front[4 * pixel + 3])]
                    for part in 4 * pixel..<4 * pixel + 4 {
                        bytes[part] = UInt8(min(255, (Double(bytes[part]) * factor).rounded()))
                    }
                }
            }
        }
    }
}
