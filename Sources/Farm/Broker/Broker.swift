import Messaging
import OrderedCollections

/// The queue's state machine: which job is where, which worker lives, what happens next. It does no I/O, has no clock
/// and starts nothing; it is told what happened and answers with what is to be done.
///
/// ```
///              submit                lease given              result accepted
///   (nothing) ───────▶ waiting ─────────────────────▶ leased ─────────────────▶ (ended)
///                         ▲                             │ worker SEEN ended
///                         └──────── next epoch ─────────┘ (or failed, and may again)
///
///            spawn             hello: welcome            lost, refused, stop      exit seen
///   (nothing) ────▶ starting ────────────────▶ serving ──────────────────▶ ending ─────────▶ (gone)
/// ```
///
/// What holds at all times:
/// - A job has at most one lease, and gets the next one only after its holder was *seen* ended or has given it back
///   itself: two runs of one job never write at the same time.
/// - Every report carries its lease. A result is accepted if its lease is the job's current one (compare and set),
///   answered again without effect if it was accepted before, and dropped otherwise.
/// - A worker is given one job for each time it asked, and none while it has one.
/// - Lost infrastructure (killed from outside, silent) never counts against a job, up to a limit that ends an endless
///   loop; a crash, a stall, an internal and a transient error do.
/// - No message can stop it: what does not fit is counted, and answered where that helps the sender.
///
/// Times are durations since any fixed moment, on a clock that stands still while the machine sleeps.
///
/// For the durable queue (later), the journal takes the actions that concern jobs before they are carried out; the
/// machine stays as it is, started from the journal's jobs and its highest epoch.
struct Broker {
    let policy: Policy

    var now: Duration = .zero
    var lastTick: Duration?
    /// What the current event has led to so far.
    var actions: [Action] = []

    var jobs: [JobID: Job] = [:]
    var waiting = WaitingJobs()
    /// Jobs that wait for a time before they wait for a worker.
    var paused: [(id: JobID, until: Duration)] = []
    var nextOrder: UInt64 = 0
    var lastEpoch: UInt64
    /// Leases that ended with a result lately, to tell a repeated result from an outdated one.
    var settled = OrderedSet<Lease>()

    /// Ordered, so that equal events lead to equal actions.
    var workers: OrderedDictionary<WorkerID, Worker> = [:]
    /// Workers that asked for a job and wait for one, in the order in which they asked.
    var idle = OrderedSet<WorkerID>()
    /// Workers that are not ending.
    var liveCount = 0
    var lastWorkerNumber = 0
    var startFailures = StartFailures()

    var closing: Closing?
    var counters = Counters()

    /// - Parameter lastEpoch: the highest epoch that was ever given out; leases continue above it.
    init(policy: Policy, lastEpoch: UInt64 = 0) {
        self.policy = policy
        self.lastEpoch = lastEpoch
    }

    /// Takes in an event and returns what is to be done, in order.
    mutating func handle(_ event: Event, at time: Duration) -> [Action] {
        now = max(now, time)
        resumePaused()
        switch event {
        case .message(let message, let worker): hear(message, from: worker)
        case .problem(let problem, let worker): hear(problem, from: worker)
        case .spawnFailed(let worker, let reason): spawnFailed(worker, reason)
        case .exited(let worker, let exit): exited(worker, exit)
        case .submit(let specs): submit(specs)
        case .cancel(let ids): cancel(ids)
        case .cancelAll: cancelAll()
        case .tick: tick()
        case .shutdown(let graceful): shutdown(graceful: graceful)
        }
        dispatch()
        staff()
        finishClosing()
        defer { actions.removeAll(keepingCapacity: true) }
        return actions
    }

    /// Whether there is anything that time alone can change.
    var needsTicks: Bool { !workers.isEmpty || !waiting.isEmpty || !paused.isEmpty }
}
