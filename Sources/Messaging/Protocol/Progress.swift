/// The progress of a job, in units of its own (frames, samples). A change shows that the job is not
/// stuck.
///
/// Workers and nodes send these numbers, so they are clamped wherever a value is made: sums and
/// products of a few of them never overflow.
public struct Progress: Hashable, Sendable {
    /// The completed units, from 0 to ``largest``, and at most `total` if that is known.
    public let done: Int
    /// The total units, from 0 to ``largest``; 0 if unknown.
    public let total: Int
    /// The steps within units (packets read on the way to a frame), counted since the job started.
    public var steps: Int

    /// A number above the units of any job: 46 years of sound at 192 kHz.
    public static let largest = 1 << 48

    public init(done: Int = 0, total: Int = 0, steps: Int = 0) {
        self.total = min(max(0, total), Self.largest)
        self.done = min(max(0, done), self.total > 0 ? self.total : Self.largest)
        self.steps = steps
    }
}
