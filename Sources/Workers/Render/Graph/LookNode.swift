import CKernels
import Composition
import Draft
import Media
import Values

/// A colour look over its input. A constant intensity is baked into the table; a changing one mixes
/// the picture with the full look. Both come to the same, because mixing and the conversion to
/// Y′CbCr are linear. On an HDR canvas, too, a look maps R′G′B′ as it is encoded.
final class LookNode: Node {
    private let look: Look
    private let file: MediaFile?
    private let color: ColorSystem
    private let input: any Node<Surface>
    private let clock: EffectClock
    private let looks: LookCache
    private let pulse: Pulse
    private var table: BakedLook?

    /// - Parameter color: the canvas's.
    init(
        _ look: Look, _ file: MediaFile?, _ color: ColorSystem, over input: any Node<Surface>, _ clock: EffectClock,
        _ looks: LookCache, pulse: @escaping Pulse
    ) {
        self.look = look
        self.file = file
        self.color = color
        self.input = input
        self.clock = clock
        self.looks = looks
        self.pulse = pulse
    }

    func frame(_ number: Int) throws -> Surface? {
        guard let moment = clock.moment(number), var surface = try input.frame(number) else { return nil }
        try apply(try opened(), to: &surface, at: moment.time)
        try pulse(true)
        return surface
    }

    func close() { table = nil }

    private func opened() throws -> BakedLook {
        if let table { return table }
        try file?.checkUnchanged()
        let intensity = look.intensity.isConstant ? look.intensity.scalar(at: .zero) : 1
        let baked = try looks.table(look.path, file?.info, intensity: intensity, color)
        table = baked
        return baked
    }

    private func apply(_ table: BakedLook, to surface: inout Surface, at time: Time) throws {
        let original = surface.picture
        if look.intensity.isConstant, surface.isWritable {
            map(original, table, to: original)
            return
        }
        let intensity = look.intensity.isConstant ? 1 : min(1, max(0, look.intensity.scalar(at: time)))
        guard intensity > 0 else { return }
        let result = try original.sibling()
        map(original, table, to: result)
        if intensity < 1 {
            let mix = result.isTenBits ? ck_dissolve_10 : ck_dissolve
            let share = Int32((intensity * Double(CK_ONE)).rounded())
            ThreadPool.shared.bands(of: result.height) { rows in
                mix(result.kernel(rows), original.kernel(rows), result.kernel(rows), share)
            }
        }
        surface.replace(with: result)
    }

    private func map(_ original: Picture, _ table: BakedLook, to result: Picture) {
        let apply = original.isTenBits ? ck_lut_apply_10 : ck_lut_apply
        ThreadPool.shared.bands(of: result.height) { rows in
            apply(result.kernel(rows), original.kernel(rows), table.lut)
        }
    }
}
