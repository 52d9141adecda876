/// The right to run a job once: its holder may report on the job as long as this is the host's
/// current lease for it.
///
/// The epoch is a fencing token. The host increments it with every lease, over all jobs, so no two
/// leases are ever equal, even for two jobs that had the same name one after the other. Everything
/// that a run leaves behind (messages, temporary files) carries its epoch, and anything with
/// another epoch is ignored.
public struct Lease: Hashable, Sendable, Codable, CustomStringConvertible {
    public let job: JobID
    public let epoch: UInt64

    public init(job: JobID, epoch: UInt64) {
        self.job = job
        self.epoch = epoch
    }

    public var description: String { "\(job)@\(epoch)" }
}
