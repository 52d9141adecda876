/// When samples are captured or heard, by what the device says with each block: a median, because a
/// busy machine gets single answers wrong.
struct SampleTimes {
    private let sampleRate: Int64
    /// Nanoseconds from a sample's place to its time, of the last blocks.
    private var offsets: [Int64] = []

    /// Blocks that count.
    private static let count = 20
    /// Half of the last blocks are this close together, in nanoseconds, where the device runs
    /// evenly.
    private static let closeness: Int64 = 5_000_000

    init(sampleRate: Int) { self.sampleRate = Int64(sampleRate) }

    /// - Parameters:
    ///   - time: what the device says, in nanoseconds.
    ///   - sample: counts from the device's first one.
    mutating func note(_ time: Int64, of sample: Int64) {
        if offsets.count == Self.count { offsets.removeFirst() }
        offsets.append(time - sample * 1_000_000_000 / sampleRate)
    }

    /// Forgets what the device has said: it may have waited for samples since.
    mutating func forget() { offsets = [] }

    /// Whether so many blocks have come that the median is one.
    var areMany: Bool { offsets.count == Self.count }

    /// Whether the device runs evenly.
    var areSteady: Bool {
        let sorted = offsets.sorted()
        return sorted.count == Self.count
            && sorted[Self.count * 3 / 4] - sorted[Self.count / 4] <= Self.closeness
    }

    /// The time of a sample, in nanoseconds; nil: the device has not said anything.
    func time(of sample: Int64) -> Int64? {
        let sorted = offsets.sorted()
        return sorted.isEmpty ? nil : sorted[sorted.count / 2] + sample * 1_000_000_000 / sampleRate
    }
}
