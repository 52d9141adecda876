import CKernels
import Media

extension Picture {
    /// The planes as the kernels take them; valid while this picture lives.
    /// - Precondition: a canvas picture (4:2:0).
    var kernel: ck_picture {
        ck_make_picture(
            plane(0), stride(0), plane(1), stride(1), plane(2), stride(2), Int32(width), Int32(height))
    }

    /// A new canvas picture of the same size and with the same alpha whose colours are undefined; the caller's own.
    func sibling() throws(MediaError) -> Picture {
        let result = try Picture(width: width, height: height, format: format)
        if hasAlpha { result.copyAlpha(of: self) }
        return result
    }

    /// Whether it is a picture of an HDR canvas.
    var isTenBits: Bool { format == .yuv420p10 || format == .yuva420p10 }
}
