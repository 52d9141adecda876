/// What a filter sees of one stretch of its input: a window that moves on, with silence past the
/// stretch's ends.
final class SoundWindow {
    /// Samples before and after a block that are seen with it.
    private let before: Int
    private let after: Int
    private let end: Int
    private let block: SoundBlock
    /// The sample at the block's offset zero, and the one after the last that is there.
    private var base: Int
    private var filled: Int

    /// - Parameters:
    ///   - stretch: the samples of the stretch.
    ///   - most: the largest block.
    init(_ stretch: Range<Int>, before: Int, after: Int, most: Int, channels: Int) {
        (self.before, self.after, end) = (before, after, stretch.upperBound)
        // Large against what is moved when the room is used up.
        block = SoundBlock(channels: channels, capacity: max(4096, 2 * (before + most + after)))
        base = stretch.lowerBound - before
        filled = stretch.lowerBound
    }

    /// Samples `range`, with those before and after it, from the offset on. Ranges adjoin, from the
    /// stretch's first sample on.
    func move(to range: Range<Int>, from input: any SoundStream) throws -> (block: SoundBlock, offset: Int) {
        let last = range.upperBound + after
        if last - base > block.stride { shift(to: range.lowerBound - before) }
        if filled < min(last, end) {
            let planes = block.planes(from: filled - base)
            let count = min(last, end) - filled
            try input.read(count: count, into: planes)
            // NaN in a file is not the fault of the filter that would pass it on.
            for plane in planes { for index in 0..<count where !plane[index].isFinite { plane[index] = 0 } }
            filled += count
        }
        if filled < last {
            for plane in block.planes(from: filled - base) { plane.update(repeating: 0, count: last - filled) }
            filled = last
        }
        return (block, range.lowerBound - before - base)
    }

    private func shift(to first: Int) {
        for plane in block.planes(from: 0) { plane.update(from: plane + (first - base), count: max(0, filled - first)) }
        base = first
    }
}
