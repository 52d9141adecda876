import Values

/// The effect list: what each entry does to the timeline that the entries before it have made.
extension TimelineBuilder {
    struct Stack {
        /// The length of the timeline after all entries so far.
        var duration: Time
        /// What each entry does; nil for entries that do not change time.
        var steps: [TimeMap?] = []
        /// Where each entry acts that does not change time; nil for the others.
        var ranges: [TimeRange?] = []
        /// The clips of layers in the layers' own time, by the entries' places in the list.
        var layers: [Int: PlacedClip] = [:]
        /// False where an entry that changes time is wrong, and so is taken for one that changes
        /// nothing.
        var isCertain = true
    }

    /// - Parameters:
    ///   - duration: of the main track; nil where it is not known, so that only the entries
    ///     themselves can be checked.
    ///   - longest: what the main track, and then the final timeline, lasts at most; nil where that
    ///     is not known.
    /// - Returns: nil where there is no timeline to measure on.
    mutating func stackEffects(on duration: Time?, _ longest: inout Time?) -> Stack? {
        var stack = duration.map { Stack(duration: $0) }
        for (index, effect) in draft.effects.enumerated() {
            let object = draft.name(of: .effect(index))
            var length: Length?
            let isValid: Bool
            if let layer = effect.layer {
                length = check(layer, object, effect)
                isValid = length != nil
            } else {
                isValid = check(effect, object)
            }
            if effect.isPassThrough { checkPassThrough(effect, index, object) }
            if stack?.isCertain != true { refuseRange(of: effect, object, beyond: longest) }
            longest = longest.flatMap { effect.longest(after: $0) }
            guard var next = stack else { continue }
            let range: TimeRange?
            if let layer = effect.layer {
                range = length.flatMap { place(layer, $0, object, effect, in: next) }
                if let length, let range { next.layers[index] = layer.placed(length, range.duration, index) }
            } else {
                range = place(effect, object, in: next)
            }
            var step: TimeMap?
            if effect.isTimeEffect {
                if isValid, let range { step = self.step(effect, object, range, on: next) }
                if step == nil { next.isCertain = false }
            }
            next.duration = step?.duration ?? next.duration
            next.steps.append(step)
            next.ranges.append(effect.isTimeEffect ? nil : range)
            stack = next
            if next.isCertain { longest = next.duration }
        }
        return stack
    }

    /// Where an entry acts on the timeline before it; nil where its range does not lie there.
    private mutating func place(_ effect: Effect, _ object: String, in stack: Stack) -> TimeRange? {
        let timeline = TimeRange(start: .zero, duration: stack.duration)
        guard let wished = effect.range else { return timeline }
        let range = wished.clamped(to: timeline)
        let lies = !range.isEmpty && wished.start >= .zero
        // An invalid entry changes time in an unknown way, so later ranges cannot be checked.
        if stack.isCertain, !lies {
            report(
                object,
                "its range \(wished) does not lie on the timeline before it, which is \(stack.duration.forPeople) s long",
                effect.origin(of: "range"))
        } else if stack.isCertain {
            warnOfEnd(wished, stack.duration, "the timeline before it", object, effect.origin(of: "range"))
        }
        return lies ? range : nil
    }

    private mutating func checkPassThrough(_ effect: Effect, _ index: Int, _ object: String) {
        for problem in effect.passThroughProblems { report(object, problem, effect.origin) }
        let later = draft.effects.indices.dropFirst(index + 1)
        if let other = later.first(where: { draft.effects[$0].isPassThrough }) {
            report(
                object,
                "has ‘pass_through’, and so has \(draft.name(of: .effect(other))); a draft has at most one such effect",
                effect.origin)
        } else if let next = later.first {
            report(
                object,
                "has ‘pass_through’, so it must be the last, but \(draft.name(of: .effect(next))) comes after it",
                effect.origin)
        }
    }

    /// What can be said of an entry without its timeline. False where its numbers are unusable.
    mutating func check(_ effect: Effect, _ object: String) -> Bool {
        switch effect.kind {
        case .picture(let picture): check(picture, as: Self.mainTrackKinds, object, effect)
        case .sound(let filter): check(filter, of: effect, as: Self.mainTrackKinds, object)
        case .speed(let factor) where !Clip.speedRange.contains(factor):
            report(object, "the factor is \(factor), but must lie between 0.01 and 100", effect.origin(of: "factor"))
            return false
        case .repeat(let count) where !Effect.countRange.contains(count):
            report(object, "the count is \(count), but must lie between 1 and 10000", effect.origin(of: "count"))
            return false
        case .layer(let layer): return check(layer, object, effect) != nil
        case .speed, .repeat: break
        }
        return true
    }

    private mutating func step(_ effect: Effect, _ object: String, _ range: TimeRange, on stack: Stack) -> TimeMap? {
        let duration = stack.duration
        let longer: Time
        switch effect.kind {
        case .speed(let factor): longer = range.duration.scaled(by: factor.reciprocal) - range.duration
        case .repeat(let count): longer = range.duration.scaled(by: Rational(Int64(count - 1)))
        case .picture, .sound, .layer: return nil
        }
        guard duration + longer <= Time.longest else {
            if stack.isCertain {
                report(
                    object, "makes the timeline longer than 100 days", effect.origin(of: "factor", "count", "range"))
            }
            return nil
        }
        guard duration + longer > .zero else {
            if stack.isCertain {
                report(object, "leaves nothing of the timeline", effect.origin(of: "factor", "range"))
            }
            return nil
        }
        switch effect.kind {
        case .speed(let factor): return .speed(range, factor: factor, of: duration)
        case .repeat(let count): return .repeating(range, count: count, of: duration)
        case .picture, .sound, .layer: return nil
        }
    }

    /// The final timeline → the timeline before each entry of the effect list, from the main track
    /// to the final timeline itself. Made from the end, so that a cut by a late entry does not
    /// multiply with each entry before it. nil where there are too many pieces.
    mutating func maps(_ stack: Stack) -> [TimeMap]? {
        var maps = [TimeMap.identity(stack.duration)]
        var count = 0
        for (index, step) in stack.steps.enumerated().reversed() {
            let after = maps[maps.count - 1]
            if let step {
                guard after.linkCount(to: step) <= Self.maximumPieces else {
                    let object = draft.name(of: .effect(index))
                    report(
                        object, "plays in more than \(Self.maximumPieces) pieces; repeat less",
                        draft.effects[index].origin)
                    return nil
                }
                maps.append(after.then(step).coalesced().closed(to: stack.duration))
            } else {
                maps.append(after)
            }
            count += maps[maps.count - 1].pieces.count
            guard count <= Self.maximumMapPieces else {
                report(
                    "draft", "its effects play in more than \(Self.maximumMapPieces) pieces; repeat less",
                    draft.origin)
                return nil
            }
        }
        return maps.reversed()
    }

    /// The same for output time, which begins where the rendered range does.
    func rendered(_ maps: [TimeMap], _ range: TimeRange, _ steps: [TimeMap?]) -> [TimeMap] {
        let slice = TimeMap.slice(range)
        var result: [TimeMap] = []
        for (index, map) in maps.enumerated() {
            // The map of an entry that does not change time is that of the entry before it.
            result.append(
                index > 0 && steps[index - 1] == nil
                    ? result[index - 1] : slice.then(map).coalesced().closed(to: range.duration))
        }
        return result
    }

    mutating func renderedRange(duration: Time) -> TimeRange? {
        let whole = TimeRange(start: .zero, duration: duration)
        guard let wished = draft.timeRange else { return whole }
        warnOfTimeRange(wished, duration)
        guard let range = wished.intersection(whole) else {
            report(
                "draft", "its time_range \(wished) does not lie on the timeline, which is \(duration.forPeople) s long",
                draft.timeRangeOrigin)
            return nil
        }
        return range
    }
}
