import FoundationEssentials

/// The messages between a host and its workers.
///
/// A worker introduces itself with `hello` and sends `ready` when it wants work; it never gets more
/// than it asked for. The host leases it a job with `assign`. During the job, a separate thread
/// sends a `heartbeat` each half second, even while the job is inside one long call. Then
/// `completed` or `failed` follows, which the worker keeps and repeats until the host answers with
/// `acknowledge`. Every message is idempotent.
public enum Message: Sendable, Equatable {
    // Messages from a worker to the host.

    /// Introduces the worker. Answered with `welcome` or `refused`.
    case hello(WorkerIntroduction)
    /// Asks for a job. Repeated while idle, as an idle worker's heartbeat.
    case ready
    /// Reports that a lease's job is running, and its progress.
    case heartbeat(Lease, Progress, Vitals = Vitals())
    /// Reports that a job is done; `result` is for its submitter.
    case completed(Lease, result: Data)
    /// Reports that a job has failed.
    case failed(Lease, JobFailure)
    /// Reports a sentence for people about a run, whatever its result. It is not answered.
    case warning(Lease, String)
    /// Announces that the worker leaves, and holds nothing.
    case goodbye

    // Messages from the host to a worker.

    /// Accepts a worker, which may now send `ready`.
    case welcome(WorkerTerms = WorkerTerms())
    /// Refuses a worker for the stated reason; it must leave. The encoding of this message never
    /// changes with the version.
    case refused(reason: String)
    /// Asks a worker that the host does not know, perhaps after a restart, to send `hello`.
    case introduceYourself
    /// Assigns a job under a lease.
    case assign(Lease, Assignment)
    /// Sets the number of threads of a lease's run from now on; see ``Assignment/threads``.
    case share(Lease, threads: Int)
    /// Confirms that a result was received; the worker drops it.
    case acknowledge(Lease)
    /// Ends a lease: the worker stops the run, or drops its result.
    case cancel(Lease)
    /// Tells a worker to take no more jobs, and to leave once its results are acknowledged.
    case stop
}

/// A worker's description of itself.
public struct WorkerIntroduction: Sendable, Equatable, Codable {
    public var worker: String
    public var process: Int32
    /// The protocol version that it uses; see `Wire.version`.
    public var `protocol`: UInt16
    /// The build that it belongs to. Host and worker must be of one build, otherwise equal plans
    /// may not give equal bytes.
    public var engine: String
    /// The rights that it has given up, for people; nil if it does not say.
    public var isolation: String?
    /// Further facts about a remote worker; nil for one that the host has started.
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

/// A remote worker's description of itself and its machine.
public struct NodeIntroduction: Sendable, Equatable, Codable {
    /// A random name of the worker's process: another process under the same name holds nothing of
    /// the previous one but ``leases``.
    public var session: String
    /// The leases that it runs, or has results of.
    public var leases: [Lease]
    /// The tags of the machine, which jobs may require.
    public var tags: [String]
    public var cores: Int
    /// The machine's memory in bytes.
    public var memory: Int64

    public init(session: String, leases: [Lease] = [], tags: [String] = [], cores: Int = 0, memory: Int64 = 0) {
        self.session = session
        self.leases = leases
        self.tags = tags
        self.cores = min(max(0, cores), Self.mostCores)
        self.memory = min(max(0, memory), Self.mostMemory)
    }

    private static let (mostCores, mostMemory) = (1 << 20, Int64(1) << 56)

    /// Decodes an introduction. Numbers out of bounds, which a node may send, are clamped.
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

/// The host's terms for a remote worker; local ones get them on their command line.
public struct WorkerTerms: Sendable, Equatable, Codable {
    /// A random name of the host: leases of another host mean nothing to it.
    public var host: String
    /// The folders that jobs may write to.
    public var writable: [String]
    /// Whether plugins get their frames in guarded memory.
    public var isParanoid: Bool
    /// The seconds without progress after which a job counts as stuck, at most ``longestStall``; 0
    /// for the default.
    public var stallSeconds: Double
    /// The host's shared folders, by name; a worker may have them under other paths.
    public var roots: [String: String]
    /// The port of the content service for machines without the host's storage; nil if there is
    /// none.
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

    /// One week.
    public static let longestStall = 604_800.0

    /// Decodes terms. A stall time-out out of bounds, which a host may send, is clamped.
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

/// A job as a worker receives it.
public struct Assignment: Sendable, Equatable {
    public var kind: String
    public var payload: Data
    /// The libraries that the job loads into its process, for a remote worker with processes of its
    /// own.
    public var libraries: Set<String>
    /// The epoch under which the job was lent to this machine, which becomes a part of file names
    /// besides the lease's own; 0 if it was not lent.
    public var fence: UInt64
    /// The number of threads that may compute at a time, at least 1. It changes the speed of the
    /// job, and not its output.
    public var threads: Int

    /// The most threads of one job.
    public static let mostThreads = 1024

    public init(kind: String, payload: Data, libraries: Set<String> = [], fence: UInt64 = 0, threads: Int = 1) {
        self.kind = kind
        self.payload = payload
        self.libraries = libraries
        self.fence = fence
        self.threads = Self.bounded(threads)
    }

    /// Clamps a number of threads, because a host may send any number.
    static func bounded(_ threads: Int) -> Int { min(max(1, threads), mostThreads) }
}
