/// How far a job has come, in units of its own (frames, samples). A change tells the host that the job is not stuck.
///
/// Workers and nodes say these numbers, so they are bounded wherever a value is made: sums and products of a few of them
/// never overflow.
public struct Progress: Hashable, Sendable {
    /// From 0 to ``largest``, and not above `total` where that is known.
    public let done: Int
    /// From 0 to ``largest``; 0 when it is not known.
    public let total: Int
    /// What was finished on the way to the next unit (packets read on the way to a frame), counted since the job began.
    public var steps: Int

    /// More units than any job has: 46 years of sound at 192 kHz.
    public static let largest = 1 << 48

    public init(done: Int = 0, total: Int = 0, steps: Int = 0) {
        self.total = min(max(0, total), Self.largest)
        self.done = min(max(0, done), self.total > 0 ? self.total : Self.largest)
        self.steps = steps
    }
}
