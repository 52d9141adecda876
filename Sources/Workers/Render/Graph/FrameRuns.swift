/// Values by frame: each holds for a run of frames, and between runs there may be gaps.
struct FrameRuns<Value> {
    private(set) var runs: [(frames: Range<Int>, value: Value)] = []

    /// - Parameter frames: after those of all values that were added before; nothing is added where
    ///   it is empty.
    mutating func add(_ value: Value, for frames: Range<Int>) {
        guard !frames.isEmpty else { return }
        precondition(runs.last.map { $0.frames.upperBound <= frames.lowerBound } ?? true, "runs come in order")
        runs.append((frames, value))
    }

    /// The value at a frame; nil in a gap.
    subscript(_ frame: Int) -> Value? { index(of: frame).map { runs[$0].value } }

    /// The frames around `frame` for which its value holds; nil in a gap.
    func run(at frame: Int) -> Range<Int>? { index(of: frame).map { runs[$0].frames } }

    /// The frames of `range` that lie around `frame` without a gap between; empty in a gap.
    func stretch(around frame: Int, within range: Range<Int>) -> Range<Int> {
        guard var first = index(of: frame) else { return frame..<frame }
        var last = first
        while runs[first].frames.lowerBound > range.lowerBound, first > 0,
            runs[first - 1].frames.upperBound == runs[first].frames.lowerBound
        { first -= 1 }
        while runs[last].frames.upperBound < range.upperBound, last + 1 < runs.count,
            runs[last + 1].frames.lowerBound == runs[last].frames.upperBound
        { last += 1 }
        return (runs[first].frames.lowerBound..<runs[last].frames.upperBound).clamped(to: range)
    }

    private func index(of frame: Int) -> Int? {
        var (low, high) = (0, runs.count)
        while low < high {
            let middle = (low + high) / 2
            if runs[middle].frames.upperBound > frame { high = middle } else { low = middle + 1 }
        }
        return low < runs.count && runs[low].frames.contains(frame) ? low : nil
    }
}
