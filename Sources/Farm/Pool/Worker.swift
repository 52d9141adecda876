import Messaging

/// A worker in the pool: a process of this machine, or a slot of a node.
struct Worker: Equatable {
    /// The facts about a remote worker.
    struct Origin: Equatable {
        /// A random name of its process.
        var session: String
        var tags: Set<String>
        var cores = 0
        /// The machine's memory in bytes.
        var memory: Int64 = 0
    }

    enum Phase: Equatable {
        case starting
        case serving
        /// It was told to leave, or is being killed.
        case ending(Ending, since: Duration)
        /// Its process has ended; its files are still being examined. `before` is the phase in
        /// which it ended.
        indirect case ended(before: Phase)
    }

    /// A job that was assigned to a worker.
    struct Work: Equatable {
        /// A sample of the processor time of the worker's process, in milliseconds.
        struct Mark: Equatable {
            var processor: Int
            var at: Duration
        }

        var lease: Lease
        /// The number of threads that it may use, as last sent.
        var threads: Int
        /// The time of the last assignment.
        var since: Duration
        var progress = Progress()
        var progressAt: Duration
        var vitals = Vitals()
        /// The sample of an earlier heartbeat, with which later ones are compared.
        var mark: Mark?
        /// The time at which its process was last seen busy.
        var busyAt: Duration
        /// The time since when its result is not wanted, because another run has finished first.
        /// The worker was told to stop.
        var voidSince: Duration?

        init(lease: Lease, threads: Int = 1, since: Duration) {
            (self.lease, self.threads, self.since, progressAt, busyAt) = (lease, threads, since, since, since)
        }

        /// Takes in the processor time of the worker's process.
        mutating func note(_ new: Vitals, at now: Duration) {
            vitals = new
            let before = mark ?? Mark(processor: new.processor, at: now)
            mark = before
            guard now - before.at >= Self.window else { return }
            let used = Duration.milliseconds(new.processor - before.processor)
            if used >= (now - before.at) * Self.busyShare { busyAt = now }
            mark = Mark(processor: new.processor, at: now)
        }

        /// The window and the share of a core by which a process counts as busy. A process that
        /// only sends heartbeats uses a thousandth; one that computes on a machine with ten times
        /// too much load uses a tenth.
        private static let (window, busyShare) = (Duration.milliseconds(400), 0.05)
    }

    /// The facts about a remote worker; nil for a process of this machine.
    var origin: Origin?
    var phase = Phase.starting
    var startedAt: Duration
    var lastHeard: Duration
    var work: Work?
    /// The position of its current or last job in a sequence.
    var place: WaitingJobs.Place?
    /// The libraries of all jobs that it was given, which its process has loaded.
    var libraries: Set<String> = []
    /// Whether it has finished a job, with any result.
    var isProven = false
    /// Whether its process was sent SIGKILL.
    var isKilled = false
    /// Whether its last or current job takes far longer than usual: the machine, or its connection,
    /// is slow.
    var isLate = false

    /// The tags of its machine.
    let tags: Set<String>

    init(startedAt: Duration, tags: Set<String> = []) {
        self.startedAt = startedAt
        self.tags = tags
        lastHeard = startedAt
    }

    /// Makes a remote worker, which serves at once.
    init(from origin: Origin, at now: Duration) {
        self.init(startedAt: now, tags: origin.tags)
        self.origin = origin
        phase = .serving
    }

    var isRemote: Bool { origin != nil }

    /// Whether it serves, or is about to, and has no job.
    var isFree: Bool { isLive && work == nil }

    /// Returns whether a job with these libraries may run in it.
    func fits(_ libraries: Set<String>) -> Bool { self.libraries.isSubset(of: libraries) }

    var isServing: Bool { if case .serving = phase { true } else { false } }
    var hasEnded: Bool { if case .ended = phase { true } else { false } }

    /// Whether its end counts as a failed start: it never did anything useful.
    var isFailedStart: Bool {
        switch phase {
        case .starting, .ending(.unfit, _), .ended(before: .starting), .ended(before: .ending(.unfit, _)): true
        case .serving, .ended(before: .serving): work == nil && !isProven
        case .ending, .ended: false
        }
    }

    /// Whether it serves, or is about to.
    var isLive: Bool {
        switch phase {
        case .starting, .serving: true
        case .ending, .ended: false
        }
    }
}

/// The reason why the host ends a worker.
enum Ending: Equatable, CustomStringConvertible {
    /// It was not heard for too long.
    case silent(String)
    /// Its job made no progress for too long.
    case stalled(String)
    /// Its job was cancelled and did not stop.
    case cancelled
    /// It never sent hello, or was refused: a failed start.
    case unfit(String)
    /// It left or was asked to leave, after an error that another worker retries, or at shutdown.
    case dismissed

    /// Half a sentence that continues after the worker's name, or after a colon.
    var description: String {
        switch self {
        case .silent(let reason), .stalled(let reason), .unfit(let reason): reason
        case .cancelled: "did not stop its cancelled job"
        case .dismissed: "is not needed any more"
        }
    }
}
