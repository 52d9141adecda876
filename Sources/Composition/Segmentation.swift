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

    /// The frames that show `range` of output time: those whose middle lies in it.
    func frames(in range: TimeRange) -> Range<Int> {
        let first = firstFrame(middleFrom: range.start)
        return first..<max(first, firstFrame(middleFrom: range.end))
    }

    /// The first frame whose middle is at or after `time`.
    private func firstFrame(middleFrom time: Time) -> Int {
        let index = time.frameIndex(rate: frameRate)
        return Time(middleOfFrame: index, rate: frameRate) >= time ? index : index + 1
    }

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

    /// Runs of frames that one worker must render in order: for each effect with state the frames that show it without a
    /// break, and what overlaps joined. In order; runs that only touch stay apart.
    private func sequentialFrames() -> [Range<Int>] {
        var open: [Int: Range<Int>] = [:]
        var runs: [Range<Int>] = []
        for instruction in instructions {
            let frames = frames(in: instruction.range)
            guard !frames.isEmpty else { continue }
            for use in instruction.uses where effects[use.effect].plugin?.state == .sequential {
                if let run = open[use.effect], run.upperBound == frames.lowerBound {
                    open[use.effect] = run.lowerBound..<frames.upperBound
                } else {
                    open.updateValue(frames, forKey: use.effect).map { runs.append($0) }
                }
            }
        }
        runs += open.values
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
