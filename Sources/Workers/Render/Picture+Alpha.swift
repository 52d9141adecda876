import CKernels
import Media
import Values

/// The alpha of pictures in the canvas' colours, which layers have while their own effects act on
/// them: a plane beside Y, U and V.
extension Picture {
    var hasAlpha: Bool { format == .yuva420p || format == .yuva420p10 }

    /// Takes the alpha of another picture of the same size and format.
    func copyAlpha(of other: Picture) {
        let bytes = (isTenBits ? 2 : 1) * width
        for y in 0..<height {
            (plane(3) + y * stride(3)).update(from: other.plane(3) + y * other.stride(3), count: bytes)
        }
    }

    /// Writes the alpha, where there is one, into RGBA pixels of bytes.
    func writeAlpha(toRGBA rgba: Picture) {
        if hasAlpha {
            ck_rgba_take_alpha(
                rgba.plane(0), rgba.stride(0), plane(3), stride(3), Int32(width), Int32(height),
                isTenBits ? 10 : 8)
        }
    }

    /// Takes the alpha of RGBA pixels of bytes, at least as many as it has itself.
    func readAlpha(ofRGBA rgba: Picture) {
        ck_rgba_give_alpha(
            rgba.plane(0), rgba.stride(0), plane(3), stride(3), Int32(width), Int32(height),
            isTenBits ? 10 : 8)
    }

    /// The same of floats.
    func writeAlpha(to floats: FloatPicture) {
        if hasAlpha {
            ck_rgbaf_take_alpha(
                floats.floats, floats.stride, plane(3), stride(3), Int32(width), Int32(height),
                isTenBits ? 10 : 8)
        }
    }

    /// The same of floats, within 0…1.
    func readAlpha(of floats: FloatPicture) {
        ck_rgbaf_give_alpha(
            floats.floats, floats.stride, plane(3), stride(3), Int32(width), Int32(height),
            isTenBits ? 10 : 8)
    }
}

extension ColorSystem {
    /// The format of pictures in the canvas' colours that have alpha.
    var formatWithAlpha: Picture.Format { isHDR ? .yuva420p10 : .yuva420p }
}
