import Media

/// The sound of a part: puts what each source delivers at its place, in a track of its own or in
/// one mix.
final class PartSound {
    private let writer: TakeWriter
    /// When the part began, on the monotonic clock in nanoseconds.
    private let base: Int64
    private var lanes: [Lane]
    private var mix: Mix?
    /// The highest level since it was set to zero.
    var peak: Float = 0

    /// One source's sound.
    private struct Lane {
        let sampleRate: Int
        let channels: Int
        /// The samples that were written.
        var position = 0
        /// Up to when its sound has come, in nanoseconds.
        var time: Int64

        /// The samples in a number of nanoseconds.
        func samples(_ nanoseconds: Int64) -> Int {
            Int(Int128(nanoseconds) * Int128(sampleRate) / 1_000_000_000)
        }
    }

    /// The sum of all lanes, which have the same form.
    private struct Mix {
        /// The samples that were written.
        var position = 0
        /// Those after them, by channel.
        var sums: [[Float]]
    }

    /// Silence at once, at most.
    private static let longestGap = 60

    /// - Parameter sources: the form of each source's sound; for a mix they are the same.
    init(_ sources: [TakeSound], mixes: Bool, base: Int64, writer: TakeWriter) {
        (self.writer, self.base) = (writer, base)
        lanes = sources.map { Lane(sampleRate: $0.sampleRate, channels: $0.channels, time: base) }
        mix = mixes && sources.count > 1 ? Mix(sums: (0..<sources[0].channels).map { _ in [] }) : nil
    }

    var isEmpty: Bool { lanes.isEmpty }

    /// Whether all sources have delivered their sound up to a moment.
    func hasArrived(upTo time: Int64) -> Bool { lanes.allSatisfy { $0.time >= time } }

    /// Takes what a source has delivered. A gap becomes silence, and what comes twice is left out.
    /// - Parameter end: when the part ends; nil: not known yet.
    func take(_ samples: LiveSamples, of index: Int, until end: Int64?) throws(MediaError) {
        let lane = lanes[index]
        let rate = Int64(lane.sampleRate)
        lanes[index].time = max(lane.time, samples.time + Int64(samples.count) * 1_000_000_000 / rate)
        // Where in the part the first sample belongs. The times of a source's blocks follow on each
        // other, unless its sound has a gap.
        let place = lane.samples(samples.time - base)
        let tolerance = lane.sampleRate / 25
        var first = max(0, -place)
        if place > lane.position + tolerance || lane.position == 0 && place > 0 {
            try append(silence: min(place - lane.position, Self.longestGap * lane.sampleRate), to: index)
        } else if place < lane.position - tolerance {
            first = max(first, lane.position - place)
        }
        var count = samples.count - first
        if let end { count = min(count, lane.samples(end - base) - lanes[index].position) }
        guard count > 0 else { return }
        try samples.samples.withUnsafeBufferPointer { (all: UnsafeBufferPointer<Float>) throws(MediaError) in
            guard let start = all.baseAddress else { return }
            let planes = (0..<lane.channels).map { start + $0 * samples.count + first }
            for plane in planes { for index in 0..<count { peak = max(peak, abs(plane[index])) } }
            try append(planes, count, to: index)
        }
    }

    /// Sound that has not come is silence: all tracks end together.
    func complete(to end: Int64) throws(MediaError) {
        for (index, lane) in lanes.enumerated() {
            let missing = lane.samples(end - base) - lane.position
            try append(silence: min(max(0, missing), Self.longestGap * lane.sampleRate), to: index)
        }
    }

    private func append(silence count: Int, to index: Int) throws(MediaError) {
        guard count > 0 else { return }
        lanes[index].position += count
        if mix == nil { return try writer.append(silence: count, to: index) }
        try writeMix()
    }

    private func append(_ planes: [UnsafePointer<Float>], _ count: Int, to index: Int) throws(MediaError) {
        let position = lanes[index].position
        lanes[index].position += count
        guard var mix else { return try writer.append(planes, count: count, to: index) }
        self.mix = nil
        let start = position - mix.position
        for (channel, plane) in planes.enumerated() {
            let missing = start + count - mix.sums[channel].count
            if missing > 0 { mix.sums[channel] += repeatElement(0, count: missing) }
            for sample in 0..<count { mix.sums[channel][start + sample] += plane[sample] }
        }
        self.mix = mix
        try writeMix()
    }

    /// Writes what all lanes have.
    private func writeMix() throws(MediaError) {
        guard var mix, let end = lanes.map(\.position).min(), end > mix.position else { return }
        let count = end - mix.position
        var blocks: [[Float]] = []
        for channel in mix.sums.indices {
            // A lane of silence adds nothing.
            let missing = count - mix.sums[channel].count
            if missing > 0 { mix.sums[channel] += repeatElement(0, count: missing) }
            blocks.append(mix.sums[channel].prefix(count).map { min(max($0, -1), 1) })
            mix.sums[channel].removeFirst(count)
        }
        mix.position = end
        self.mix = mix
        try Self.withPlanes(blocks[...]) { planes throws(MediaError) in try writer.append(planes, count: count) }
    }

    private static func withPlanes(
        _ blocks: ArraySlice<[Float]>, _ planes: [UnsafePointer<Float>] = [],
        _ body: ([UnsafePointer<Float>]) throws(MediaError) -> Void
    ) throws(MediaError) {
        guard let first = blocks.first else { return try body(planes) }
        try first.withUnsafeBufferPointer { (block: UnsafeBufferPointer<Float>) throws(MediaError) in
            guard let start = block.baseAddress else { return }
            try withPlanes(blocks.dropFirst(), planes + [start], body)
        }
    }
}
