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

    /// Runs of frames that one worker must render in order: for each effect with state the frames that show it without a
    /// break, and what overlaps joined. In order; runs that only touch stay apart.
    private func sequentialFrames() -> [Range<Int>] {
        var open: [Int: Range<Int>] = [:]
        var runs: [Range<Int>] = []
        for instruction in instructions {
            let frames = frames(in: instruction.range)
            guard !frames.isEmpty else { continue }
            let uses = instruction.effects + instruction.layers.flatMap(\.effects)
            for use in uses where (effects[use.effect].plugin?.state ?? .pure) != .pure {
                if let run = open[use.effect], run.upperBound == frames.lowerBound {
                    open[use.effect] = run.lowerBound..<frames.upperBound
                } else {
                    open.updateValue(frames, forKey: use.effect).map { runs.append($0) }
                }
            }
        }
        runs += open.values
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
