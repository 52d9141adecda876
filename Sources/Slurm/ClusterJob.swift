/// A node of the farm as a job of the cluster.
public struct ClusterJob: Hashable, Sendable {
    public enum State: Hashable, Sendable {
        /// The job waits for resources, or its machines are being prepared.
        case pending
        case running
        /// The job has resources but does not run.
        case suspended
        /// The job's processes are ending.
        case ending
    }

    /// The job id of the cluster.
    public var id: Int64
    /// The node's number, which counts up and is never reused.
    public var number: Int
    public var state: State
    /// The remaining time; nil without a limit, or if it is unknown.
    public var timeLeft: Duration?
    public var timeLimit: Duration?

    public init(id: Int64, number: Int, state: State, timeLeft: Duration? = nil, timeLimit: Duration? = nil) {
        (self.id, self.number, self.state) = (id, number, state)
        (self.timeLeft, self.timeLimit) = (timeLeft, timeLimit)
    }
}

// MARK: Output of squeue

extension ClusterJob {
    /// The output format that ``jobs(in:named:)`` parses. Names come last because they may contain
    /// anything.
    public static let format = "%i|%T|%L|%l|%j"

    /// Returns the nodes among the jobs in the output of `squeue`, without ended jobs and jobs of
    /// other names.
    /// - Parameter prefix: the beginning of the nodes' names; a number follows.
    public static func jobs(in listing: String, named prefix: String) -> [ClusterJob] {
        listing.split(separator: "\n").compactMap { ClusterJob(line: $0, prefix) }
    }

    private init?(line: Substring, _ prefix: String) {
        let fields = line.split(separator: "|", maxSplits: 4, omittingEmptySubsequences: false).map(String.init)
        guard fields.count == 5, let id = Int64(fields[0]), fields[4].hasPrefix(prefix),
            let number = Int(fields[4].dropFirst(prefix.count)), number > 0, let state = State(fields[1])
        else { return nil }
        self.init(
            id: id, number: number, state: state, timeLeft: Self.duration(fields[2]),
            timeLimit: Self.duration(fields[3]))
    }

    /// Parses `[days-]hours:minutes:seconds` or `minutes:seconds`; nil for words such as UNLIMITED.
    static func duration(_ text: String) -> Duration? {
        let halves = text.split(separator: "-", omittingEmptySubsequences: false)
        guard let clock = halves.last, halves.count <= 2 else { return nil }
        let days = halves.count == 2 ? Int(halves[0]) : 0
        let parts = clock.split(separator: ":", omittingEmptySubsequences: false).map { Int($0) }
        guard let days, (0...100_000).contains(days), (1...3).contains(parts.count) else { return nil }
        var seconds = 0
        for part in parts {
            guard let part, (0...1_000_000).contains(part) else { return nil }
            seconds = seconds * 60 + part
        }
        return .seconds(days * 86_400 + seconds)
    }
}

extension ClusterJob.State {
    /// Parses a state.
    /// - Parameter word: a state of `squeue`; the result is nil for the states of ended jobs, and
    ///   for unknown words.
    init?(_ word: String) {
        switch word {
        case "PENDING", "CONFIGURING", "REQUEUED", "REQUEUE_FED", "REQUEUE_HOLD", "RESV_DEL_HOLD", "SPECIAL_EXIT":
            self = .pending
        case "RUNNING", "SIGNALING", "RESIZING", "STAGE_OUT": self = .running
        case "SUSPENDED", "STOPPED": self = .suspended
        case "COMPLETING": self = .ending
        default: return nil
        }
    }
}
