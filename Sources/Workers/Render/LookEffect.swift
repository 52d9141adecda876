import CKernels
import Composition
import Draft
import Media

/// A colour look. A constant intensity is baked into the table; a changing one mixes the picture with its full look, which
/// is the same: mixing and the change to Y′CbCr are both linear. On an HDR canvas, too, a look is of R′G′B′ as it is encoded.
final class LookEffect: FrameEffect {
    private let look: Look
    private let table: BakedLook

    init(_ look: Look, _ file: MediaFile?, _ color: ColorSystem, _ workshop: Workshop) throws {
        self.look = look
        let intensity = look.intensity.isConstant ? look.intensity.scalar(at: .zero) : 1
        table = try workshop.looks.table(look.path, file?.info, intensity: intensity, color)
    }

    func apply(to surface: inout Surface, at moment: Moment) throws {
        let original = surface.picture
        if look.intensity.isConstant, surface.isWritable {
            apply(to: original, original)
            return
        }
        let intensity = look.intensity.isConstant ? 1 : min(1, max(0, look.intensity.scalar(at: moment.time)))
        guard intensity > 0 else { return }
        let result = try original.sibling()
        apply(to: result, original)
        if intensity < 1 {
            let mix = result.isTenBits ? ck_dissolve_10 : ck_dissolve
            mix(result.kernel, original.kernel, result.kernel, Int32((intensity * Double(CK_ONE)).rounded()))
        }
        surface.replace(with: result)
    }

    private func apply(to result: Picture, _ original: Picture) {
        (original.isTenBits ? ck_lut_apply_10 : ck_lut_apply)(result.kernel, original.kernel, table.lut)
    }
}
