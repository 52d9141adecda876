import CKernels
import Media

extension Picture {
    /// The planes as the kernels take them; valid while this picture lives.
    /// - Precondition: a canvas picture (4:2:0).
    var kernel: ck_picture {
        ck_make_picture(
            plane(0), stride(0), plane(1), stride(1), plane(2), stride(2), Int32(width), Int32(height))
    }

    /// Rows of the same.
    /// - Parameter rows: begin at an even one, and end at an even one or the picture's last.
    func kernel(_ rows: Range<Int>) -> ck_picture {
        ck_make_picture(
            plane(0) + rows.lowerBound * stride(0), stride(0), plane(1) + rows.lowerBound / 2 * stride(1), stride(1),
            plane(2) + rows.lowerBound / 2 * stride(2), stride(2), Int32(width), Int32(rows.count))
    }

    /// A new canvas picture of the same size and with the same alpha whose colours are undefined;
    /// the caller's own.
    func sibling() throws(MediaError) -> Picture {
        let result = try Picture(width: width, height: height, format: format)
        if hasAlpha { result.copyAlpha(of: self) }
        return result
    }

    /// Whether it is a picture of an HDR canvas.
    var isTenBits: Bool { format == .yuv420p10 || format == .yuva420p10 }
}
