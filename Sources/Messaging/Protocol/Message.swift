import FoundationEssentials

/// Everything that host and workers say to each other.
///
/// A worker introduces itself with `hello` and says `ready` when it wants work; it is never given more than it asked
/// for. The host leases it a job with `assign`. While it works it sends a `heartbeat` from the loop that does the work,
/// then `completed` or `failed`, which it keeps and repeats until the host has answered with `acknowledge`. Every
/// message is idempotent: said twice, it has the effect of once.
public enum Message: Sendable, Equatable {
    // From a worker to the host.

    /// Who I am. Answered with `welcome` or `refused`.
    case hello(WorkerIntroduction)
    /// I have no job and want one. Repeated while idle; it is an idle worker's heartbeat.
    case ready
    /// I am at work on this lease and have come this far.
    case heartbeat(Lease, Progress)
    /// The job is done; `result` is for whoever submitted it.
    case completed(Lease, result: Data)
    /// The job could not be done.
    case failed(Lease, JobFailure)
    /// What people should hear of a run, whatever comes of it: a sentence. Nobody answers it.
    case remark(Lease, String)
    /// I leave, and hold nothing.
    case goodbye

    // From the host to a worker.

    /// You may say `ready`.
    case welcome
    /// You cannot work for this host, for the stated reason; leave. The form of this message never changes with the
    /// version.
    case refused(reason: String)
    /// I do not know you (I have been started anew, perhaps): say `hello`.
    case introduceYourself
    /// Run this job under this lease.
    case assign(Lease, kind: String, payload: Data)
    /// I have heard your result; forget it.
    case acknowledge(Lease)
    /// This lease is over: stop the run, or forget its result.
    case cancel(Lease)
    /// Take no more work; leave when your results are acknowledged.
    case stop
}

/// What a worker says about itself.
public struct WorkerIntroduction: Sendable, Equatable, Codable {
    public var worker: String
    public var process: Int32
    /// The protocol version it speaks; see `Wire.version`.
    public var `protocol`: UInt16
    /// The build it belongs to. Host and worker must be of one build, else equal plans need not give equal bytes.
    public var engine: String
    /// What it has given up, for people; nil where it says nothing of that.
    public var isolation: String?

    public init(
        worker: String, process: Int32, protocol: UInt16 = Wire.version, engine: String, isolation: String? = nil
    ) {
        self.worker = worker
        self.process = process
        self.protocol = `protocol`
        self.engine = engine
        self.isolation = isolation
    }
}
