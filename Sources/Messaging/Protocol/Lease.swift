/// The right to run a job once: its holder may report on the job as long as the host says that this lease is the
/// current one.
///
/// The epoch is a fencing token. The host counts it up with every lease it gives out, for all jobs together, so no two
/// leases are ever equal, not even those of two jobs that had the same name one after the other. Whatever a run
/// leaves behind (messages, temporary files) carries its epoch, and what carries another one is not looked at.
public struct Lease: Hashable, Sendable, Codable, CustomStringConvertible {
    public let job: JobID
    public let epoch: UInt64

    public init(job: JobID, epoch: UInt64) {
        self.job = job
        self.epoch = epoch
    }

    public var description: String { "\(job)@\(epoch)" }
}
