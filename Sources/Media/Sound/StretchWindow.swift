/// The stretch of input that ``TimeStretcher`` works on: every channel, and their mean for
/// comparing.
final class StretchWindow {
    private let channels: Int
    private let queue: SampleQueue
    private var isEmpty = true

    init(channels: Int) {
        self.channels = channels
        queue = SampleQueue(channels: channels + 1)
    }

    var start: Int { queue.start }
    var end: Int { queue.end }
    func samples(_ channel: Int) -> UnsafeMutablePointer<Float> { queue.samples(channel) }
    /// The mean of all channels, from ``start`` on.
    var mean: UnsafeMutablePointer<Float> { queue.samples(channels) }

    func reset() { isEmpty = true }

    /// Makes `range` available and discards everything before it.
    func load(_ range: Range<Int>, _ input: TimeStretcher.Input) throws(MediaError) {
        if isEmpty || range.lowerBound > queue.end || range.lowerBound < queue.start {
            queue.reset(to: range.lowerBound)
        }
        isEmpty = false
        queue.drop(before: range.lowerBound)
        let count = range.upperBound - queue.end
        guard count > 0 else { return }
        let from = queue.end
        try queue.append(upTo: count) { targets, _ throws(MediaError) in
            try input(from, count, Array(targets.dropLast()))
            let mean = targets[channels]
            let scale = 1 / Float(channels)
            mean.update(repeating: 0, count: count)
            for channel in 0..<channels {
                let samples = targets[channel]
                for index in 0..<count { mean[index] += samples[index] * scale }
            }
            return count
        }
    }

    /// The place of a grain's middle, among `places`, from which its first half looks most like the
    /// second half of the grain in the middle of which `last` lies. Every fourth place by every
    /// fourth sample first, then all around the best.
    func bestMatch(after last: Int, hop: Int, places: ClosedRange<Int>, exact: Int) -> Int {
        let template = mean + (last - start)
        var energy: Float = 0
        for index in stride(from: 0, to: hop, by: 4) { energy += template[index] * template[index] }
        // In silence nothing matches better than the exact place.
        guard energy > 1e-7 * Float(hop) else { return min(max(exact, places.lowerBound), places.upperBound) }
        let span = Float(max(1, places.count))
        func score(_ place: Int, step: Int) -> Float {
            let candidate = mean + (place - hop - start)
            var (product, norm): (Float, Float) = (0, 1e-9)
            var index = 0
            while index < hop {
                product += template[index] * candidate[index]
                norm += candidate[index] * candidate[index]
                index &+= step
            }
            // Between equally good places, choose the nearer one.
            return product / norm.squareRoot() * (1 - 0.05 * Float((place - exact).magnitude) / span)
        }
        func best(_ places: some Sequence<Int>, step: Int) -> Int? {
            var found: (place: Int, score: Float)?
            for place in places {
                let value = score(place, step: step)
                if value > found?.score ?? -.infinity { found = (place, value) }
            }
            return found?.place
        }
        guard let coarse = best(stride(from: places.lowerBound, through: places.upperBound, by: 4), step: 4) else {
            return exact
        }
        return best(max(places.lowerBound, coarse - 3)...min(places.upperBound, coarse + 3), step: 1) ?? coarse
    }
}
