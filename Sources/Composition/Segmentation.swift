import Draft

extension Composition {
    /// Seconds of output that one segment holds where nothing forbids the cut: long enough that a key frame more does not
    /// matter, short enough that many workers share even a short clip.
    static let segmentSeconds: Int64 = 2

    /// Where the picture is cut into segments: every two seconds of frames, but never inside a stretch whose effect
    /// carries state from frame to frame. A last segment of less than a quarter of the usual length joins its neighbour.
    public func segmentFrames() -> [Range<Int>] {
        guard frameCount > 0 else { return [] }
        let usual = max(1, Time(flicks: Time.flicksPerSecond * Self.segmentSeconds).rounded(rate: frameRate))
        let together = sequentialFrames()
        var result: [Range<Int>] = []
        var start = 0
        while start < frameCount {
            var end = start + usual
            if let run = together.first(where: { $0.lowerBound < end && end < $0.upperBound }) { end = run.upperBound }
            if frameCount - end < usual / 4 { end = frameCount }
            result.append(start..<min(end, frameCount))
            start = end
        }
        return result
    }

    /// Runs of frames that one worker must render in order, merged where they touch.
    private func sequentialFrames() -> [Range<Int>] {
        var runs: [Range<Int>] = []
        for instruction in instructions {
            let uses = instruction.effects + instruction.layers.flatMap(\.effects)
            guard uses.contains(where: { (effects[$0.effect].plugin?.state ?? .pure) != .pure }) else { continue }
            let first = instruction.range.start.frameCount(rate: frameRate)
            let frames = first..<max(first, instruction.range.end.frameCount(rate: frameRate))
            if let last = runs.last, last.upperBound >= frames.lowerBound {
                runs[runs.count - 1] = last.lowerBound..<frames.upperBound
            } else {
                runs.append(frames)
            }
        }
        return runs
    }
}
