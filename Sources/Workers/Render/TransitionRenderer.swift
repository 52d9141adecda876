import CKernels
import Draft
import Media

/// Mixes the outgoing and the incoming picture of a transition.
struct TransitionRenderer {
    /// - Parameter progress: 0 … 1.
    /// - Returns: a new picture, the caller's own.
    func mix(_ old: Picture, _ new: Picture, _ kind: Transition.Kind, progress: Double) throws(MediaError) -> Picture {
        let result = try new.sibling()
        let (out, a, b) = (result.kernel, old.kernel, new.kernel)
        let p = Int32((progress * Double(CK_ONE)).rounded())
        if result.isTenBits {
            mixTenBits(out, a, b, kind, p)
        } else {
            mixEightBits(out, a, b, kind, p)
        }
        return result
    }

    private func mixEightBits(_ out: ck_picture, _ a: ck_picture, _ b: ck_picture, _ kind: Transition.Kind, _ p: Int32)
    {
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

    private func mixTenBits(_ out: ck_picture, _ a: ck_picture, _ b: ck_picture, _ kind: Transition.Kind, _ p: Int32) {
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
