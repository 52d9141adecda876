import FoundationEssentials

/// The work that a worker can do: the session hands it one job at a time, on the thread that runs
/// the session.
public protocol JobHandler {
    /// Runs a job and returns its result, at most `Wire.largestPayload` bytes.
    ///
    /// Call `context.pulse()` often (per frame, per packet), so that the job can be cancelled, and
    /// let its error pass. An error thrown here fails the job: with its own report if it is
    /// `JobFailureConvertible`, else as an internal fault. Everything that the job writes must be
    /// complete under its final name, or gone, when this returns.
    func run(kind: String, payload: Data, context: JobContext) throws -> Data

    /// Releases resources that the handler keeps for the next job and that others may need. Called
    /// once, on the same thread, when no job has followed the last one for two seconds.
    func rest()
}

extension JobHandler {
    public func rest() {}
}

/// An error that ends a job that the host has cancelled.
public struct Cancelled: JobFailureConvertible, CustomStringConvertible {
    public init() {}
    public var description: String { "the job was cancelled" }
    public var jobFailure: JobFailure { JobFailure(.cancelled, "The job was cancelled.") }
}
