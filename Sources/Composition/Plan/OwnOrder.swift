import Values

/// The order of each plugin effect's frames in the effect's own time. A `repeat` makes that time
/// jump back, so the frame that comes before another one in it can lie much earlier in the output.
public struct OwnOrder: Sendable {
    /// Frames during which an effect's time runs on.
    struct Stretch: Sendable {
        var frames: Range<Int>
        var use: Instruction.EffectUse
        /// The frame that comes before this stretch in the effect's time; nil where the effect
        /// begins with the stretch.
        var before: Int?

        /// True where that frame is not the one directly before the stretch in the output.
        var isReturn: Bool { before != nil && before != frames.lowerBound - 1 }
    }

    /// The stretches of each plugin's effect, in the order of time.
    let stretches: [Int: [Stretch]]
    private let rate: Rational

    init(_ instructions: [Instruction], of effects: [CompositionEffect], rate: Rational) {
        self.rate = rate
        var found: [Int: [Stretch]] = [:]
        for instruction in instructions {
            let frames = instruction.range.frames(rate: rate)
            guard !frames.isEmpty else { continue }
            for use in instruction.uses where effects[use.effect].plugin != nil {
                let start = use.time(at: Time(frame: frames.lowerBound, rate: rate))
                let before = Self.last(of: found[use.effect] ?? [], before: start, rate: rate)
                found[use.effect, default: []].append(Stretch(frames: frames, use: use, before: before))
            }
        }
        stretches = found
    }

    /// The frame that comes before `frame` in the effect's own time; nil where the effect begins
    /// with it, or does not act.
    public func predecessor(of frame: Int, for effect: Int) -> Int? {
        guard let list = stretches[effect] else { return nil }
        let index = Self.index(of: frame, in: list)
        guard index < list.count, list[index].frames.contains(frame) else { return nil }
        return frame > list[index].frames.lowerBound ? frame - 1 : list[index].before
    }

    /// The frames between `standing`, or the effect's beginning, and `frame` in the effect's own
    /// time.
    /// - Parameters:
    ///   - standing: the frame that the effect made last.
    ///   - limit: no more than so many, the last ones; nil: all.
    public func frames(before frame: Int, for effect: Int, since standing: Int?, atMost limit: Int?) -> [Int] {
        var result: [Int] = []
        var next = predecessor(of: frame, for: effect)
        while let earlier = next, earlier != standing, result.count < limit ?? .max {
            result.append(earlier)
            next = predecessor(of: earlier, for: effect)
        }
        return result.reversed()
    }

    /// The last frame of `list` at which the effect's time is before `time`.
    private static func last(of list: [Stretch], before time: Time, rate: Rational) -> Int? {
        var index = list.count - 1
        while index >= 0 {
            let stretch = list[index]
            func own(_ frame: Int) -> Time { stretch.use.time(at: Time(frame: frame, rate: rate)) }
            if own(stretch.frames.lowerBound) < time {
                var (low, high) = (stretch.frames.lowerBound, stretch.frames.upperBound)
                while high - low > 1 {
                    let middle = low + (high - low) / 2
                    if own(middle) < time { low = middle } else { high = middle }
                }
                return low
            }
            // All between here and there is later still.
            guard let before = stretch.before else { return nil }
            index = self.index(of: before, in: list)
        }
        return nil
    }

    /// The index of the first stretch that ends after `frame`.
    private static func index(of frame: Int, in list: [Stretch]) -> Int {
        var (low, high) = (0, list.count)
        while low < high {
            let middle = (low + high) / 2
            if list[middle].frames.upperBound > frame { high = middle } else { low = middle + 1 }
        }
        return low
    }
}

extension Composition {
    public var ownOrder: OwnOrder { OwnOrder(instructions, of: effects, rate: frameRate) }
}

extension Slice {
    /// The order of what the slice shows.
    public var ownOrder: OwnOrder { OwnOrder(instructions, of: effects, rate: frameRate) }
}
