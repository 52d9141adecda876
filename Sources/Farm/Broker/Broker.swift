import Messaging

/// The queue's state machine: it connects the jobs and their leases (``LeaseTable``) with the
/// workers (``WorkerPool``). It does no I/O, has no clock and starts nothing: it takes events and
/// returns actions.
///
/// Invariants, beside those of its parts:
/// - A lease ends with a report of its holder, after the holder's process was *seen* to have ended
///   or, for a remote worker, when the worker is lost: it was silent for too long, has left, or its
///   node's key was revoked. There are two exceptions. If a job has a backup run, the result of one
///   run ends the other, and a cancellation ends the backup; that worker is told to stop, and gets
///   nothing else until it has. A lease from an earlier queue (``LentLeases``) also ends when its
///   job is cancelled, or its worker does not come back with it.
/// - No message can stop it: an unexpected one is counted, and answered if that helps the sender.
/// - Every change of a job is an action, and precedes the messages that follow from it.
///
/// Times are durations since any fixed moment, on a clock that stops while the machine sleeps.
struct Broker {
    var leases: LeaseTable
    var pool: WorkerPool
    var closing: Closing?
    var counters = Counters()
    /// The warnings of workers so far; bounded.
    var warnings: Set<String> = []
    static let mostWarnings = 1000
    /// The terms for remote workers, sent to each on arrival.
    let terms: WorkerTerms
    /// The leases that an earlier queue gave to nodes, and that they may still hold.
    var lent: LentLeases
    var roster = Roster()
    /// The usual times of jobs, by which late ones are recognised.
    var paces = Paces()
    var nextStragglerCheck = Duration.zero
    /// The time since when jobs wait without any worker; for people.
    var lonelySince: Duration?
    var hasToldLoneliness = false

    var now: Duration = .zero
    /// The actions of the current event so far.
    var actions: [Action] = []

    enum Closing: Equatable { case underWay, done }

    /// Counters for diagnosis and tests; they only grow.
    struct Counters: Equatable {
        /// The results that had been accepted before.
        var duplicates = 0
        /// The reports under a lease that is not current.
        var stale = 0
        /// The unreadable messages.
        var problems = 0
        /// The messages of unknown workers.
        var strangers = 0
        /// The remote workers that were refused.
        var refusals = 0
        /// The leases that were released because a remote worker was lost.
        var losses = 0
        /// The backup runs of late jobs.
        var backups = 0
    }

    init(
        leases: LeaseTable = LeaseTable(), pool: WorkerPool, terms: WorkerTerms = WorkerTerms(),
        lent: LentLeases = LentLeases()
    ) {
        self.leases = leases
        self.pool = pool
        self.terms = terms
        self.lent = lent
    }

    enum Event {
        case message(Message, from: WorkerID)
        case problem(MessageProblem, from: WorkerID)
        /// A process could not be spawned.
        case spawnFailed(WorkerID, reason: String)
        /// A worker's process was seen to have ended. Its files are being examined: `exited`
        /// follows.
        case ended(WorkerID)
        /// The remains of a worker whose process has ended. Nothing of it comes after this.
        case exited(WorkerID, WorkerExit)
        /// The nodes whose keys may not connect any more.
        case revoked(Set<String>)
        /// The outputs of these jobs are missing, or differ from what their workers reported.
        case worthless([JobID])
        case submit([JobSpec])
        case cancel([JobID])
        case cancelAll
        /// Time has passed. Expected about every 0.1 s while `needsTicks`.
        case tick
        /// Cancels all jobs and ends all workers: within the grace period if graceful, else by
        /// killing them at once.
        case shutdown(graceful: Bool)
    }

    enum Action: Equatable {
        case send(Message, to: WorkerID)
        case spawn(WorkerID)
        /// Kill the process by SIGKILL. Its `exited` event is still to come.
        case kill(WorkerID)
        /// A job has changed.
        case job(JobTransition)
        /// A run has made progress, which does not change the job.
        case progressed(JobID, Progress)
        case log(LogLevel, String, worker: WorkerID?, job: JobID?)
        /// Follows `shutdown` once no job and no process is left.
        case closed
    }

    enum LogLevel: Equatable { case debug, info, warning, error }

    /// Handles an event and returns the resulting actions, in order.
    mutating func handle(_ event: Event, at time: Duration) -> [Action] {
        now = max(now, time)
        record(leases.resume(at: now))
        switch event {
        case .message(let message, let worker): hear(message, from: worker)
        case .problem(let problem, let worker): hear(problem, from: worker)
        case .spawnFailed(let worker, let reason): spawnFailed(worker, reason)
        case .ended(let worker): pool.ended(worker)
        case .exited(let worker, let exit): exited(worker, exit)
        case .revoked(let nodes): revoke(nodes)
        case .worthless(let jobs): blame(jobs)
        case .submit(let specs): submit(specs)
        case .cancel(let ids): cancel(ids)
        case .cancelAll: cancelAll()
        case .tick: tick()
        case .shutdown(let graceful): shutdown(graceful: graceful)
        }
        dispatch()
        shareThreads()
        staff()
        finishClosing()
        defer { actions.removeAll(keepingCapacity: true) }
        return actions
    }

    /// Whether time alone can change anything.
    var needsTicks: Bool { !pool.isEmpty || !leases.waiting.isEmpty || leases.hasPaused || !lent.isEmpty }

    // MARK: Actions

    mutating func record(_ transition: JobTransition) { actions.append(.job(transition)) }
    mutating func record(_ transitions: [JobTransition]) { actions += transitions.lazy.map { .job($0) } }

    mutating func send(_ message: Message, to id: WorkerID) { actions.append(.send(message, to: id)) }

    mutating func log(_ level: LogLevel, _ text: String, worker: WorkerID? = nil, job: JobID? = nil) {
        actions.append(.log(level, text, worker: worker, job: job))
    }
}
