import Draft
import Hashing
import Values

/// Names for the uses of plugins' effects in a draft. A seed is drawn from the name and the
/// effect's own time, so that two uses do not show the same chance, and each shows its own wherever
/// it goes.
///
/// A name says what the use is, not where and not what a script calls it: its parameters, and the
/// clip that it belongs to or the length of its range. What is inserted, removed or moved elsewhere
/// leaves it as it is. Only uses that are alike in all of that are counted, in the draft's order.
struct SeedNames {
    /// What an effect belongs to.
    struct Place: Hashable {
        fileprivate let text: String

        /// A clip: its content, and where in it the clip begins.
        init(_ placed: PlacedClip) {
            let content = placed.clip.generator?.effectID ?? placed.info?.identity.digest ?? ""
            text = "\(content) \(placed.contentStart.flicks)"
        }

        /// An audio clip.
        init(_ placed: PlacedAudioClip) {
            text = "\(placed.info.identity.digest) \(placed.range.start.flicks)"
        }

        /// Nothing but a stretch of time.
        init(_ length: Time) { text = "\(length.flicks)" }

    }

    private struct Use: Hashable {
        var effectID: String
        var text: String
    }

    private var counts: [Use: Int] = [:]

    /// - Parameter place: nil for an entry of the effect list that acts on the whole timeline.
    /// - Returns: nil for what has nothing that tells it from others: the first entry without place
    ///   and parameters.
    mutating func name(of effect: PluginEffect, on place: Place?) -> String? {
        var text = place?.text ?? ""
        for (key, value) in effect.parameters.sorted(by: { $0.key < $1.key }) {
            switch value {
            case .numbers(.constant(let numbers)): text += " \(key) \(numbers)"
            // What goes through the whole timeline has other keys whenever anything changes its
            // length.
            case .numbers(let animated): text += place == nil ? " \(key)" : " \(key) \(animated)"
            case .choices(let keys): text += place == nil ? " \(key)" : " \(key) \(keys)"
            case .text(let value): text += " \(key) \(value.debugDescription)"
            // Where a file lies is no matter of the picture.
            case .path: text += " \(key)"
            }
        }
        let use = Use(effectID: effect.effectID, text: text)
        let count = counts[use, default: 0]
        counts[use] = count + 1
        if text.isEmpty, count == 0 { return nil }
        var hasher = SHA256()
        hasher.update(text.utf8)
        return hasher.finish().prefix(16) + (count == 0 ? "" : "-\(count)")
    }
}
