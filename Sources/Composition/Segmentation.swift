import Draft

extension Composition {
    /// Seconds of output that one segment holds where nothing forbids the cut: long enough that a key frame more does not
    /// matter, short enough that many workers share even a short clip.
    static let segmentSeconds: Int64 = 2

    /// A plan's bound on segments: beyond it (28 hours) they get longer.
    static let maximumSegments = 50_000

    /// Where the picture is cut into segments: every two seconds of frames, but never inside a stretch whose effect
    /// carries state from frame to frame. A last segment of less than a quarter of the usual length joins its neighbour.
    public func segmentFrames() -> [Range<Int>] {
        guard frameCount > 0 else { return [] }
        var usual = max(1, Time(flicks: Time.flicksPerSecond * Self.segmentSeconds).rounded(rate: frameRate))
        while frameCount / usual > Self.maximumSegments { usual *= 2 }
        var runs = sequentialFrames()[...]
        var result: [Range<Int>] = []
        var start = 0
        while start < frameCount {
            var end = start + usual
            runs = runs.drop { $0.upperBound <= end }
            if let run = runs.first, run.lowerBound < end { end = run.upperBound }
            if frameCount - end < usual / 4 { end = frameCount }
            result.append(start..<min(end, frameCount))
            start = end
        }
        return result
    }

    /// The frames that show `range` of output time.
    func frames(in range: TimeRange) -> Range<Int> { range.frames(rate: frameRate) }

    /// What effects need around `frames`: what they see of other frames, and what they are warmed up with before.
    ///
    /// Effects that act on one another's output add up.
    func context(of frames: Range<Int>) -> (lead: Int, window: FrameReach) {
        guard hasContext else { return (0, .none) }
        var seen: Set<Int> = []
        var lead = 0
        var window = FrameReach.none
        let first = Time(middleOfFrame: frames.lowerBound, rate: frameRate)
        for instruction in instructions[instructions.index(endingAfter: first)...] {
            let shown = self.frames(in: instruction.range)
            guard shown.lowerBound < frames.upperBound else { break }
            // What lies between two middles is not seen.
            guard !shown.isEmpty else { continue }
            for use in instruction.uses where seen.insert(use.effect).inserted {
                lead += effects[use.effect].plugin?.warmUp ?? 0
                window = window + (effects[use.effect].plugin?.window ?? .none)
            }
        }
        return (lead, window)
    }

    private var hasContext: Bool { effects.contains { $0.plugin?.warmUp != nil || $0.plugin?.window != nil } }

    /// Runs of frames that one worker must render in order: for each sequential effect the frames in which its time runs on, with
    /// those between, and for one that warms up those before which its time goes back, from what it is warmed up with then.
    /// What overlaps is joined. In order; runs that only touch stay apart.
    private func sequentialFrames() -> [Range<Int>] {
        guard effects.contains(where: \.hasState) else { return [] }
        let order = ownOrder
        var runs: [Range<Int>] = []
        for (effect, stretches) in order.stretches where effects[effect].hasState {
            if effects[effect].plugin?.state == .sequential {
                var run = stretches[0].frames
                for stretch in stretches.dropFirst() {
                    if stretch.before == nil { runs.append(run) }
                    run = (stretch.before == nil ? stretch.frames : run).lowerBound..<stretch.frames.upperBound
                }
                runs.append(run)
            } else {
                for stretch in stretches where stretch.isReturn {
                    let start = stretch.frames.lowerBound
                    let before = order.frames(
                        before: start, for: effect, since: nil, atMost: effects[effect].plugin?.warmUp ?? 0)
                    if let first = before.first { runs.append(first..<start + 1) }
                }
            }
        }
        // What comes after a run and looks back into it would need all of it again.
        let after = effects.reduce(0) { $0 + ($1.plugin?.warmUp ?? 0) + ($1.plugin?.window?.before ?? 0) }
        if after > 0 { runs = runs.map { $0.lowerBound..<min(frameCount, $0.upperBound + after) } }
        runs.sort { ($0.lowerBound, $0.upperBound) < ($1.lowerBound, $1.upperBound) }
        var joined: [Range<Int>] = []
        for run in runs {
            if let last = joined.last, last.upperBound > run.lowerBound {
                joined[joined.count - 1] = last.lowerBound..<max(last.upperBound, run.upperBound)
            } else {
                joined.append(run)
            }
        }
        return joined
    }
}

extension CompositionEffect {
    /// Its frames depend on those before them.
    public var hasState: Bool { plugin.map { $0.state != .pure } ?? false }
}
