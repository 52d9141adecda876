import CKernels
import Composition
import Draft
import Media

/// The outgoing and the incoming picture of one of Cutroom's own transitions, mixed.
final class BuiltInTransition: Node {
    private let kind: Transition.Kind
    private let use: Instruction.TransitionUse
    private let old: any Node<Surface>
    private let new: any Node<Surface>
    private let clock: SliceClock

    /// - Parameter kind: not a plugin's.
    init(
        _ kind: Transition.Kind, _ use: Instruction.TransitionUse, from old: any Node<Surface>,
        to new: any Node<Surface>, _ clock: SliceClock
    ) {
        self.kind = kind
        self.use = use
        self.old = old
        self.new = new
        self.clock = clock
    }

    func frame(_ number: Int) throws -> Surface? {
        guard let old = try old.frame(number)?.picture, let new = try new.frame(number)?.picture else { return nil }
        let result = try new.sibling()
        let progress = Int32((use.progress(at: clock.start(of: number)) * Double(CK_ONE)).rounded())
        let mix = result.isTenBits ? Self.mixTenBits : Self.mixEightBits
        switch kind {
        case .dissolve, .fade:
            ThreadPool.shared.bands(of: result.height) { [kind] rows in
                mix(kind, result.kernel(rows), old.kernel(rows), new.kernel(rows), progress)
            }
        // They move rows, which is over sooner than a thread is woken.
        default: mix(kind, result.kernel, old.kernel, new.kernel, progress)
        }
        return Surface(result, isOwned: true)
    }

    private static func mixEightBits(
        _ kind: Transition.Kind, _ out: ck_picture, _ a: ck_picture, _ b: ck_picture, _ p: Int32
    ) {
        switch kind {
        case .dissolve: ck_dissolve(out, a, b, p)
        case .fade: ck_fade_black(out, a, b, p)
        case .wipeLeft: ck_wipe(out, a, b, p, CK_LEFT)
        case .wipeRight: ck_wipe(out, a, b, p, CK_RIGHT)
        case .wipeUp: ck_wipe(out, a, b, p, CK_UP)
        case .wipeDown: ck_wipe(out, a, b, p, CK_DOWN)
        case .slideLeft: ck_slide(out, a, b, p, CK_LEFT)
        case .slideRight: ck_slide(out, a, b, p, CK_RIGHT)
        case .slideUp: ck_slide(out, a, b, p, CK_UP)
        case .slideDown: ck_slide(out, a, b, p, CK_DOWN)
        // Plugins make theirs themselves.
        case .plugin: return
        }
    }

    private static func mixTenBits(
        _ kind: Transition.Kind, _ out: ck_picture, _ a: ck_picture, _ b: ck_picture, _ p: Int32
    ) {
        switch kind {
        case .dissolve: ck_dissolve_10(out, a, b, p)
        case .fade: ck_fade_black_10(out, a, b, p)
        case .wipeLeft: ck_wipe_10(out, a, b, p, CK_LEFT)
        case .wipeRight: ck_wipe_10(out, a, b, p, CK_RIGHT)
        case .wipeUp: ck_wipe_10(out, a, b, p, CK_UP)
        case .wipeDown: ck_wipe_10(out, a, b, p, CK_DOWN)
        case .slideLeft: ck_slide_10(out, a, b, p, CK_LEFT)
        case .slideRight: ck_slide_10(out, a, b, p, CK_RIGHT)
        case .slideUp: ck_slide_10(out, a, b, p, CK_UP)
        case .slideDown: ck_slide_10(out, a, b, p, CK_DOWN)
        case .plugin: return
        }
    }
}
