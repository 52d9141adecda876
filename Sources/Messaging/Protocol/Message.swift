import FoundationEssentials

/// Everything that host and workers say to each other.
///
/// A worker introduces itself with `hello` and says `ready` when it wants work; it is never given more than it asked
/// for. The host leases it a job with `assign`. While it works a thread of its own sends a `heartbeat` each half
/// second, whatever the loop is inside of, then comes `completed` or `failed`, which it keeps and repeats until the host has answered with `acknowledge`. Every
/// message is idempotent: said twice, it has the effect of once.
public enum Message: Sendable, Equatable {
    // From a worker to the host.

    /// Who I am. Answered with `welcome` or `refused`.
    case hello(WorkerIntroduction)
    /// I have no job and want one. Repeated while idle; it is an idle worker's heartbeat.
    case ready
    /// I am at work on this lease and have come this far.
    case heartbeat(Lease, Progress, Vitals = Vitals())
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
    case welcome(WorkerTerms = WorkerTerms())
    /// You cannot work for this host, for the stated reason; leave. The form of this message never changes with the
    /// version.
    case refused(reason: String)
    /// I do not know you (I have been started anew, perhaps): say `hello`.
    case introduceYourself
    /// Run this job under this lease.
    case assign(Lease, Assignment)
    /// So many threads are for the run under this lease from now on; see ``Assignment/threads``.
    case share(Lease, threads: Int)
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
    /// What a worker from elsewhere says besides; nil for one that the host has started.
    public var node: NodeIntroduction?

    public init(
        worker: String, process: Int32, protocol: UInt16 = Wire.version, engine: String, isolation: String? = nil,
        node: NodeIntroduction? = nil
    ) {
        self.worker = worker
        self.process = process
        self.protocol = `protocol`
        self.engine = engine
        self.isolation = isolation
        self.node = node
    }
}

/// What a worker from elsewhere says of itself and its machine.
public struct NodeIntroduction: Sendable, Equatable, Codable {
    /// Drawn when its process has started: another one under the same name holds nothing of what this one held, but ``leases``.
    public var session: String
    /// What it runs, or has results of.
    public var leases: [Lease]
    /// What jobs may need (``Assignment``'s sender decides).
    public var tags: [String]
    public var cores: Int
    /// Bytes.
    public var memory: Int64

    public init(session: String, leases: [Lease] = [], tags: [String] = [], cores: Int = 0, memory: Int64 = 0) {
        self.session = session
        self.leases = leases
        self.tags = tags
        self.cores = min(max(0, cores), Self.mostCores)
        self.memory = min(max(0, memory), Self.mostMemory)
    }

    private static let (mostCores, mostMemory) = (1 << 20, Int64(1) << 56)

    /// A node may say anything: numbers outside of their bounds become the nearest ones inside.
    public init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            session: try fields.decode(String.self, forKey: .session),
            leases: try fields.decode([Lease].self, forKey: .leases),
            tags: try fields.decode([String].self, forKey: .tags),
            cores: try fields.decode(Int.self, forKey: .cores),
            memory: try fields.decode(Int64.self, forKey: .memory))
    }
}

/// What a host asks of a worker that it has not started itself: others are told so on their command line.
public struct WorkerTerms: Sendable, Equatable, Codable {
    /// Drawn by each host: leases of another one mean nothing to it.
    public var host: String
    /// Folders that jobs may write to.
    public var writable: [String]
    /// Plugins get their frames in guarded memory.
    public var isParanoid: Bool
    /// A job without progress for this long is stuck, in seconds, at most ``longestStall``; 0: as usual.
    public var stallSeconds: Double
    /// The host's folders that machines share, by name: a worker may have them elsewhere.
    public var roots: [String: String]
    /// The port at which the host gives content to those that do not share its storage; nil: it gives none.
    public var contentPort: UInt16?

    public init(
        host: String = "", writable: [String] = [], isParanoid: Bool = false, stallSeconds: Double = 0,
        roots: [String: String] = [:], contentPort: UInt16? = nil
    ) {
        self.contentPort = contentPort
        self.host = host
        self.writable = writable
        self.isParanoid = isParanoid
        self.stallSeconds = stallSeconds.isFinite ? min(max(0, stallSeconds), Self.longestStall) : 0
        self.roots = roots
    }

    /// A week.
    public static let longestStall = 604_800.0

    /// A host may say anything: a stall time-out outside of its bounds becomes the nearest one inside.
    public init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            host: try fields.decode(String.self, forKey: .host),
            writable: try fields.decode([String].self, forKey: .writable),
            isParanoid: try fields.decode(Bool.self, forKey: .isParanoid),
            stallSeconds: try fields.decode(Double.self, forKey: .stallSeconds),
            roots: try fields.decode([String: String].self, forKey: .roots),
            contentPort: try fields.decodeIfPresent(UInt16.self, forKey: .contentPort))
    }
}

/// A job as a worker gets it.
public struct Assignment: Sendable, Equatable {
    public var kind: String
    public var payload: Data
    /// What the job may leave behind in its process; for a worker from elsewhere, which has processes of its own.
    public var libraries: Set<String>
    /// The epoch under which the job was lent to this machine, where it was: names of files have it besides the lease's own. 0: it was not.
    public var fence: UInt64
    /// How many threads may compute at once, at least 1. It changes how fast the job is done, and not what it makes.
    public var threads: Int

    /// More threads than this are not given to one job.
    public static let mostThreads = 1024

    public init(kind: String, payload: Data, libraries: Set<String> = [], fence: UInt64 = 0, threads: Int = 1) {
        self.kind = kind
        self.payload = payload
        self.libraries = libraries
        self.fence = fence
        self.threads = Self.bounded(threads)
    }

    /// A host may say anything: a number out of bounds becomes the nearest one inside.
    static func bounded(_ threads: Int) -> Int { min(max(1, threads), mostThreads) }
}
