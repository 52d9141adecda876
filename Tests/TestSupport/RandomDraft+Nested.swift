import Draft
import Values

/// Random drafts that show others.
extension RandomDraft {
    /// - Parameter depth: how many drafts lie in one another in it.
    public mutating func nesting(depth: Int) -> Draft {
        var draft = draft(illegal: false)
        guard depth > 0 else {
            if random.chance(1, in: 3) { draft.canvas.wishedBackground = random.pick([.black, .white]) }
            return draft
        }
        var clip = showing(nesting(depth: depth - 1), id: "n\(depth)")
        if random.chance(1, in: 3) { clip.effects = [Effect(.picture(picture()), id: "n\(depth)e0")] }
        draft.clips.insert(clip, at: Int.random(in: 0...draft.clips.count, using: &random))
        guard random.chance(1, in: 2) else { return draft }
        var shown = showing(nesting(depth: depth - 1), id: nil)
        if random.chance(1, in: 2) { shown.placement = placement() }
        var layer = Layer(shown, at: time(0...1))
        layer.blend = random.pick(BlendMode.allCases)
        let last = draft.effects.last?.isPassThrough == true ? draft.effects.count - 1 : draft.effects.count
        draft.effects.insert(Effect(.layer(layer), id: "l\(depth)"), at: Int.random(in: 0...last, using: &random))
        return draft
    }

    private mutating func showing(_ inner: Draft, id: String?) -> Clip {
        var clip = Clip(NestedDraft(inner), range: random.chance(1, in: 2) ? range(within: 2) : nil, id: id)
        clip.speed = speed()
        clip.isReversed = random.chance(1, in: 3)
        clip.volume = animated(0...2)
        if random.chance(1, in: 4) { clip.timing.loop = Int.random(in: 1...3, using: &random) }
        clip.timing.isPingPong = random.chance(1, in: 4)
        clip.timing.frames = random.pick(Clip.FrameMixing.allCases)
        if random.chance(1, in: 4) {
            clip.timing.speed = .keyframes([
                Keyframe(time: .zero, value: [1]), Keyframe(time: length(0.1...0.5), value: [0.5]),
            ])
            clip.speed = .one
        }
        return clip
    }
}
