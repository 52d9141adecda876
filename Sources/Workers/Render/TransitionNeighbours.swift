import Composition
import Media

/// What plugins' transitions see of their clips besides the current frame: kept, so that each picture is made once, and in order.
struct TransitionNeighbours {
    /// Of each clip: the frames that transitions look at.
    private var watched: [Int: [Range<Int>]] = [:]
    /// Of each clip: how far they look back.
    private var before: [Int: Int] = [:]
    private var pictures: [Int: [Int: Picture]] = [:]

    init(_ slice: Slice) {
        for instruction in slice.instructions {
            guard let use = instruction.transition?.effect, let reach = slice.effects[use.effect].plugin?.window else {
                continue
            }
            let frames = instruction.range.frames(rate: slice.frameRate)
            for clip in instruction.clips.map(\.clip) {
                watched[clip, default: []].append(
                    frames.lowerBound - reach.before..<frames.upperBound + reach.after)
                before[clip] = max(before[clip] ?? 0, reach.before)
            }
        }
    }

    subscript(clip: Int, frame: Int) -> Picture? {
        get { pictures[clip]?[frame] }
        set { pictures[clip, default: [:]][frame] = newValue }
    }

    func areNeeded(of clip: Int, _ frame: Int) -> Bool { watched[clip]?.contains { $0.contains(frame) } ?? false }

    /// The frames before `frame` that are not there and will be asked for. Effects with state want them first.
    func missing(before frame: Int, of clip: Int) -> Range<Int> {
        guard let watch = watched[clip]?.first(where: { $0.contains(frame) }) else { return frame..<frame }
        let known = pictures[clip]?.keys.filter { $0 < frame }.max()
        return max(watch.lowerBound, frame - (before[clip] ?? 0), known.map { $0 + 1 } ?? .min)..<frame
    }

    /// Forgets what the timeline's frames from `frame` on do not look at.
    mutating func forget(before frame: Int) {
        for (clip, reach) in before { pictures[clip] = pictures[clip]?.filter { $0.key >= frame - reach } }
    }

    /// Forgets clips.
    mutating func forget(_ isGone: (Int) -> Bool) { pictures = pictures.filter { !isGone($0.key) } }
}
