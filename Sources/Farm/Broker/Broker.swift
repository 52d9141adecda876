import Messaging

/// The queue's state machine: it joins the jobs and their leases (``LeaseTable``) with the workers (``WorkerPool``) and says
/// what happens next. It does no I/O, has no clock and starts nothing; it is told what happened and answers with what is
/// to be done.
///
/// What holds at all times, beside what holds in its parts:
/// - A job's lease ends with a report of its holder, after the holder's process was *seen* ended or, of a worker from elsewhere, when it is lost:
///   it has said nothing for too long, has left, or its node may not work here any more.
/// - No message can stop it: what does not fit is counted, and answered where that helps the sender.
/// - Every change of a job is an action, and comes before the messages that tell of it.
///
/// Times are durations since any fixed moment, on a clock that stands still while the machine sleeps.
struct Broker {
    var leases: LeaseTable
    var pool: WorkerPool
    var closing: Closing?
    var counters = Counters()
    /// What workers have remarked so far; bounded.
    var remarks: Set<String> = []
    static let mostRemarks = 1000
    /// What workers from elsewhere are told when they come.
    let terms: WorkerTerms
    /// What a queue before this one gave to nodes, and they may still have.
    var lent: LentLeases
    var roster = Roster()
    /// What late jobs are measured by.
    var paces = Paces()
    var nextStragglerCheck = Duration.zero
    /// Since when jobs wait and nobody is there to do them; for people.
    var lonelySince: Duration?
    var hasToldLoneliness = false

    var now: Duration = .zero
    /// What the current event has led to so far.
    var actions: [Action] = []

    enum Closing: Equatable { case underWay, done }

    /// For diagnosis and tests; they only grow.
    struct Counters: Equatable {
        /// Results that had been accepted before.
        var duplicates = 0
        /// Reports under a lease that is not the current one.
        var stale = 0
        /// Bytes that were no message.
        var problems = 0
        /// Messages from nobody we started or have welcomed.
        var strangers = 0
        /// Workers from elsewhere that were refused.
        var refusals = 0
        /// Leases that were released because a worker from elsewhere was lost.
        var losses = 0
        /// Jobs that were given out a second time, as they were late.
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
        /// A process that was to be spawned could not be.
        case spawnFailed(WorkerID, reason: String)
        /// A worker's process was seen ended. What it left behind is being looked at: `exited` follows.
        case ended(WorkerID)
        /// What is left of a worker whose process was seen ended. Nothing it does comes after this.
        case exited(WorkerID, WorkerExit)
        /// Nodes whose keys may not connect any more.
        case revoked(Set<String>)
        /// What these jobs' workers said they had written is not there, or is something else.
        case worthless([JobID])
        case submit([JobSpec])
        case cancel([JobID])
        case cancelAll
        /// Time has passed. Expected every 0.1 s or so while `needsTicks`.
        case tick
        /// Ends all jobs as cancelled and all workers. Graceful: within the grace period; otherwise by killing them at
        /// once.
        case shutdown(graceful: Bool)
    }

    enum Action: Equatable {
        case send(Message, to: WorkerID)
        case spawn(WorkerID)
        /// End the process by SIGKILL. Its `exited` event is still to come.
        case kill(WorkerID)
        /// A job has changed.
        case job(JobTransition)
        /// A run has come further, which changes nothing about the job.
        case progressed(JobID, Progress)
        case log(LogLevel, String, worker: WorkerID?, job: JobID?)
        /// After `shutdown`: no job and no process is left.
        case closed
    }

    enum LogLevel: Equatable { case debug, info, warning, error }

    /// Takes in an event and returns what is to be done, in order.
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

    /// Whether there is anything that time alone can change.
    var needsTicks: Bool { !pool.isEmpty || !leases.waiting.isEmpty || leases.hasPaused || !lent.isEmpty }

    // MARK: What it says

    mutating func record(_ transition: JobTransition) { actions.append(.job(transition)) }
    mutating func record(_ transitions: [JobTransition]) { actions += transitions.lazy.map { .job($0) } }

    mutating func send(_ message: Message, to id: WorkerID) { actions.append(.send(message, to: id)) }

    mutating func log(_ level: LogLevel, _ text: String, worker: WorkerID? = nil, job: JobID? = nil) {
        actions.append(.log(level, text, worker: worker, job: job))
    }
}
