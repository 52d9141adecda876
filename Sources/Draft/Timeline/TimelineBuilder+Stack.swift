/// The effect list: what each entry does to the timeline that the entries before it have made.
extension TimelineBuilder {
    struct Stack {
        /// The timeline so far → the main track.
        var total: TimeMap
        /// What each entry does; nil for picture effects.
        var steps: [TimeMap?] = []
        /// Where each picture effect acts; nil for time effects.
        var ranges: [TimeRange?] = []
    }

    /// - Parameter whole: the main track; nil where its length is not known, so that only the entries themselves can be
    ///   checked.
    /// - Returns: nil where there is no timeline to measure on.
    mutating func stackEffects(on whole: TimeMap?) -> Stack? {
        var stack = whole.map { Stack(total: $0) }
        for (index, effect) in draft.effects.enumerated() {
            let object = name(effect, index)
            let isValid = check(effect, object)
            guard let duration = stack?.total.duration else { continue }
            let timeline = TimeRange(start: .zero, duration: duration)
            let range = (effect.range ?? timeline).clamped(to: timeline)
            if let wished = effect.range, range.isEmpty || wished.start < .zero {
                report(
                    object, "its range \(wished) does not lie on the timeline before it, which is \(duration.forPeople) s long",
                    effect.origin)
                // Where an entry changes time in an unknown way, later ranges cannot be judged.
                if effect.isTimeEffect { stack = nil }
                stack?.steps.append(nil)
                stack?.ranges.append(nil)
            } else if effect.isTimeEffect {
                guard isValid, let total = stack?.total, let step = step(effect, object, range, total) else {
                    stack = nil
                    continue
                }
                stack?.total = step.then(total).coalesced()
                stack?.steps.append(step)
                stack?.ranges.append(nil)
            } else {
                stack?.steps.append(nil)
                stack?.ranges.append(range)
            }
        }
        return stack
    }

    /// What can be said of an entry without its timeline. False where its numbers are unusable.
    private mutating func check(_ effect: Effect, _ object: String) -> Bool {
        switch effect.kind {
        case .picture(let picture): check(picture, object, effect.origin)
        case .speed(let factor) where !Clip.speedRange.contains(factor):
            report(object, "the factor is \(factor), but must lie between 0.01 and 100", effect.origin)
            return false
        case .repeat(let count) where !Effect.countRange.contains(count):
            report(object, "the count is \(count), but must lie between 1 and 10000", effect.origin)
            return false
        case .speed, .repeat: break
        }
        return true
    }

    private mutating func step(_ effect: Effect, _ object: String, _ range: TimeRange, _ total: TimeMap) -> TimeMap? {
        let longer: Time
        var copies = 1
        switch effect.kind {
        case .speed(let factor): longer = range.duration.scaled(by: factor.reciprocal) - range.duration
        case .repeat(let count):
            longer = range.duration.scaled(by: Rational(Int64(count - 1)))
            copies = count
        case .picture: return nil
        }
        guard total.duration + longer <= Time.longest else {
            report(object, "makes the timeline longer than 100 days", effect.origin)
            return nil
        }
        guard total.duration + longer > .zero else {
            report(object, "leaves nothing of the timeline", effect.origin)
            return nil
        }
        guard total.pieces.count + copies * total.pieces(in: range).count <= Self.maximumPieces else {
            report(object, "cuts the timeline into more than \(Self.maximumPieces) pieces; repeat less", effect.origin)
            return nil
        }
        if case .speed(let factor) = effect.kind { return .speed(range, factor: factor, of: total.duration) }
        return .repeating(range, count: copies, of: total.duration)
    }

    /// Output time → the timeline before each entry of the effect list, from the main track to the final timeline. nil
    /// where they have too many pieces together.
    mutating func layers(_ stack: Stack, _ rendered: TimeRange) -> [TimeMap]? {
        var layers = [TimeMap.slice(rendered)]
        var count = 0
        for step in stack.steps.reversed() {
            let final = layers[layers.count - 1]
            layers.append(step.map { final.then($0).coalesced() } ?? final)
            count += layers[layers.count - 1].pieces.count
            guard count <= Self.maximumLayerPieces else {
                report("draft", "its effects cut the timeline into more than \(Self.maximumLayerPieces) pieces; repeat less", nil)
                return nil
            }
        }
        return layers.reversed()
    }

    /// How many stretches of clips are shown, each time they are.
    func stretchCount(_ map: TimeMap, _ clips: [PlacedClip]) -> Int {
        map.pieces.reduce(0) { count, piece in
            let content = piece.content
            let first = firstIndex(in: clips) { $0.timeline.end > content.start }
            let end = firstIndex(in: clips) { $0.timeline.start >= content.end }
            return count + max(1, end - first)
        }
    }

    mutating func renderedRange(duration: Time) -> TimeRange? {
        let whole = TimeRange(start: .zero, duration: duration)
        guard let wished = draft.timeRange else { return whole }
        guard let range = wished.intersection(whole) else {
            report("draft", "its time_range \(wished) does not lie on the timeline, which is \(duration.forPeople) s long", nil)
            return nil
        }
        return range
    }
}
