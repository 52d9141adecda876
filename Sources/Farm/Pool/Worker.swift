import Messaging

/// A worker, as the pool sees it: a process of this machine, or a slot of a node.
struct Worker: Equatable {
    /// What is known of a worker from elsewhere.
    struct Origin: Equatable {
        /// Drawn by its process: another one has another.
        var session: String
        var tags: Set<String>
        var cores = 0
        /// Bytes.
        var memory: Int64 = 0
    }

    enum Phase: Equatable {
        case starting
        case serving
        /// It was told to leave, or is being killed.
        case ending(Ending, since: Duration)
        /// Its process was seen ended; what it left behind is still being looked at. `before` is the phase that it ended in.
        indirect case ended(before: Phase)
    }

    /// A job that it was given.
    struct Work: Equatable {
        /// The processor time that the worker's process had used at a time, in milliseconds.
        struct Mark: Equatable {
            var processor: Int
            var at: Duration
        }

        var lease: Lease
        /// How many threads it was told to use, last.
        var threads: Int
        /// When it was sent the job, last.
        var since: Duration
        var progress = Progress()
        var progressAt: Duration
        var vitals = Vitals()
        /// The processor time in milliseconds at a heartbeat a moment ago, by which the next ones are judged.
        var mark: Mark?
        /// When its process was last seen busy.
        var busyAt: Duration
        /// Since when nobody wants its result, as another run has finished first. It has been told to stop.
        var voidSince: Duration?

        init(lease: Lease, threads: Int = 1, since: Duration) {
            (self.lease, self.threads, self.since, progressAt, busyAt) = (lease, threads, since, since, since)
        }

        /// Takes in how much processor time the worker's process has used.
        mutating func note(_ new: Vitals, at now: Duration) {
            vitals = new
            let before = mark ?? Mark(processor: new.processor, at: now)
            mark = before
            guard now - before.at >= Self.window else { return }
            let used = Duration.milliseconds(new.processor - before.processor)
            if used >= (now - before.at) * Self.busyShare { busyAt = now }
            mark = Mark(processor: new.processor, at: now)
        }

        /// A process is judged by what it has used in about half a second. One that only sends heartbeats uses
        /// a thousandth; one that computes on a machine with ten times too much to do uses a tenth.
        private static let (window, busyShare) = (Duration.milliseconds(400), 0.05)
    }

    /// nil for a process of this machine.
    var origin: Origin?
    var phase = Phase.starting
    var startedAt: Duration
    var lastHeard: Duration
    var work: Work?
    /// Where it is or was last in a sequence.
    var place: WaitingJobs.Place?
    /// What the jobs that it was given may have left behind in it.
    var libraries: Set<String> = []
    /// Has finished a job, well or not.
    var isProven = false
    /// Its process has been sent SIGKILL.
    var isKilled = false
    /// What it did last took far longer than such jobs usually take, or does so yet: a slow machine, or one at the end of a slow line.
    var isLate = false

    /// What its machine has that some jobs need.
    let tags: Set<String>

    init(startedAt: Duration, tags: Set<String> = []) {
        self.startedAt = startedAt
        self.tags = tags
        lastHeard = startedAt
    }

    /// A worker from elsewhere, which serves from its coming to its going.
    init(from origin: Origin, at now: Duration) {
        self.init(startedAt: now, tags: origin.tags)
        self.origin = origin
        phase = .serving
    }

    var isRemote: Bool { origin != nil }

    /// Serves, or is about to, and has no job.
    var isFree: Bool { isLive && work == nil }

    /// Whether a job of these libraries may run in it.
    func fits(_ libraries: Set<String>) -> Bool { self.libraries.isSubset(of: libraries) }

    var isServing: Bool { if case .serving = phase { true } else { false } }
    var hasEnded: Bool { if case .ended = phase { true } else { false } }

    /// Whether its end is a failed start: it was no use to anybody.
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

/// Why a worker is being ended by us.
enum Ending: Equatable, CustomStringConvertible {
    /// Not heard for too long.
    case silent(String)
    /// Its job made no progress for too long.
    case stalled(String)
    /// Its job was cancelled and did not stop.
    case cancelled
    /// It never said hello, or was refused: a failed start.
    case unfit(String)
    /// It left or was asked to leave: an error that another is to try again, shutdown.
    case dismissed

    /// Goes on after the worker's name, or after a colon.
    var description: String {
        switch self {
        case .silent(let reason), .stalled(let reason), .unfit(let reason): reason
        case .cancelled: "did not stop its job, which nobody wants any more"
        case .dismissed: "is not needed any more"
        }
    }
}
