/// A node of the farm as the cluster sees it: one of its jobs.
public struct ClusterJob: Hashable, Sendable {
    public enum State: Hashable, Sendable {
        /// It waits for a place, or its machines are being made ready.
        case pending
        case running
        /// It has a place and does not run there.
        case suspended
        /// Its processes are ending.
        case ending
    }

    /// The cluster's number of it.
    public var id: Int64
    /// Ours: counted up, never used twice.
    public var number: Int
    public var state: State
    /// What is left of its time; nil where there is no limit, or it is not known.
    public var timeLeft: Duration?
    public var timeLimit: Duration?

    public init(id: Int64, number: Int, state: State, timeLeft: Duration? = nil, timeLimit: Duration? = nil) {
        (self.id, self.number, self.state) = (id, number, state)
        (self.timeLeft, self.timeLimit) = (timeLeft, timeLimit)
    }
}

// MARK: What squeue says

extension ClusterJob {
    /// The format that ``jobs(in:named:)`` reads; names come last, as they may contain anything.
    public static let format = "%i|%T|%L|%l|%j"

    /// The nodes among the jobs that `squeue` lists. Jobs of other names are somebody else's affair; ended ones are none any more.
    /// - Parameter prefix: what the names of the farm's nodes begin with; a number follows.
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

    /// `[days-]hours:minutes:seconds`, `minutes:seconds`; nil for words such as UNLIMITED.
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
    /// - Parameter word: as squeue has it; nil is for those of jobs that have ended, and words that nobody knows yet.
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
