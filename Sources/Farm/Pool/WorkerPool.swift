import Messaging
import OrderedCollections

/// The workers: how many processes of this machine there are to be, which workers live, what each does. Those from elsewhere come and go
/// by themselves (`WorkerPool+Remote.swift`); the drawing is of the others.
///
/// ```
///            spawn             hello: welcome            lost, refused, stop      seen ended       remains known
///   (nothing) ────▶ starting ────────────────▶ serving ──────────────────▶ ending ────────▶ ended ────────▶ (gone)
///                      └──────────────────────────┴──────── by itself ───────────────────────▲
/// ```
///
/// What holds at all times:
/// - A worker is given one job for each time it asked, and none while it has one.
/// - No name is used twice, but by slots of nodes.
/// - A worker that is being ended, or has ended, is given nothing and counts for nothing.
/// - A worker never unloads a library (``Worker/libraries``).
///
/// Only its own methods, one for each event, change it.
struct WorkerPool {
    /// The pool's limits. Defaults suit local workers.
    struct Policy: Sendable {
        /// At most this many processes of this machine serve at once. At least 1; where others come from elsewhere, 0 are enough.
        var workers: Int
        /// So many more than waiting jobs need are started beside them: where more jobs are soon to come, they need not wait for a start.
        var spares = 0
        /// What this machine has that some jobs need.
        var tags: Set<String> = []
        /// Workers come from elsewhere, too.
        var hasRemote = false
        /// The build that workers must be of.
        var engine: String
        /// A worker that is not heard for this long is taken for lost. Heartbeats come every half second.
        var leaseTimeout: Duration = .seconds(15)
        /// A job is stuck whose progress does not change for this long while its worker's process uses no processor time.
        var stallTimeout: Duration = .seconds(60)
        /// A job is stuck without progress for so many times ``stallTimeout``, however busy its worker's process is.
        var busyStalls = 3
        /// A process has this long to say hello.
        var startTimeout: Duration = .seconds(30)
        /// A worker has this long to end a cancelled job, or to leave; then it is killed.
        var grace: Duration = .seconds(2)
        /// The same for a worker from elsewhere; the machine that it is on has its own limits, which come first.
        var remoteGrace: Duration = .seconds(8)
        /// At most this many slots of one node serve at once.
        var slotsPerNode = 1024
        /// A job without progress on another machine is taken for lost after so many times ``stallTimeout``: that machine
        /// finds it first, after ``busyStalls`` at the latest.
        var remoteStalls = 4
        /// Starts in a row that may fail before all jobs do. The pause between them doubles from 0.1 s.
        var startAttempts = 4
        /// If a worker asks for a job this long after it was sent one, the message was lost and the job is sent again.
        var resendAfter: Duration = .seconds(2)
        /// Ticks further apart than this mean that the host itself stood still; nobody is blamed for the gap.
        var tickTolerance: Duration = .seconds(2)

        init(workers: Int, engine: String) {
            self.workers = workers
            self.engine = engine
        }
    }

    let policy: Policy
    /// Ordered, so that equal events lead to equal actions.
    var workers: OrderedDictionary<WorkerID, Worker> = [:]
    /// Workers that asked for a job and wait for one, in the order in which they asked.
    var idle = OrderedSet<WorkerID>()
    /// The workers of this machine that have a job; see `WorkerPool+Threads.swift`.
    var atWork = OrderedSet<WorkerID>()
    /// Where the live workers are in their sequences.
    private(set) var walkers = Walkers()
    private var liveCount = 0
    private var lastNumber = 0
    var startFailures = StartFailures()
    private var lastTick: Duration?

    init(policy: Policy) { self.policy = policy }

    var isEmpty: Bool { workers.isEmpty }

    // MARK: Coming

    /// The idle workers in the order in which they choose: those that are not late first, then those that may do least, so that the others stay
    /// fit for most; else as they asked.
    var idleByTurn: [WorkerID] {
        idle.enumerated().map { turn, id in
            (
                id: id, isLate: workers[id]?.isLate == true ? 1 : 0, libraries: workers[id]?.libraries.count ?? 0,
                turn: turn
            )
        }.sorted { ($0.isLate, $1.libraries, $0.turn) < ($1.isLate, $0.libraries, $1.turn) }.map(\.id)
    }

    /// How many more may be started.
    var room: Int { mostLocal - liveCount }
    private var mostLocal: Int { max(policy.hasRemote ? 0 : 1, policy.workers) }

    /// A worker is there, or may be started.
    var hasWorkers: Bool { mostLocal > 0 || workers.values.contains(where: \.isLive) }

    /// Whether a worker has what a job needs.
    /// - Parameter nodes: where the worker is not to be.
    func hasWorker(with needs: Set<String>, outside nodes: Set<String> = []) -> Bool {
        if mostLocal > 0, needs.isSubset(of: policy.tags), startFailures.count == 0 || nodes.isEmpty { return true }
        return workers.contains { id, worker in
            worker.isLive && worker.isRemote && needs.isSubset(of: worker.tags)
                && !(id.node.map(nodes.contains) ?? false)
        }
    }

    /// How many of the waiting jobs no live local worker is free to take. At least as many as there are: who might take jobs of several sets of
    /// libraries is counted for one. What workers from elsewhere will do is not counted on: those that are idle have their jobs by now.
    func unmet(_ demand: [WaitingJobs.Demand]) -> Int {
        var demand = demand
        // Those that fit least first.
        for worker in workers.values.filter({ $0.isFree && !$0.isRemote }).sorted(by: {
            $0.libraries.count > $1.libraries.count
        }) {
            let fitting = demand.indices.filter { demand[$0].count > 0 && worker.fits(demand[$0].libraries) }
            if let least = fitting.min(by: { demand[$0].libraries.count < demand[$1].libraries.count }) {
                demand[least].count -= 1
            }
        }
        return demand.reduce(0) { $0 + $1.count }
    }

    /// Whether a live worker is free to take a job of these libraries.
    func hasFree(for libraries: Set<String>) -> Bool { workers.values.contains { $0.isFree && $0.fits(libraries) } }

    /// How many workers more than the jobs need are to be started, beside those that are free already.
    private func missingSpares(_ demand: [WaitingJobs.Demand], unmet: Int) -> Int {
        let met = demand.reduce(0) { $0 + $1.count } - unmet
        let free = workers.values.count { $0.isFree && !$0.isRemote }
        return max(0, policy.spares - (free - met))
    }

    /// Starts workers for the jobs that no live worker is free to take, and spare ones.
    /// - Returns: the names of the new ones.
    mutating func staff(for demand: [WaitingJobs.Demand], at now: Duration) -> [WorkerID] {
        guard !demand.isEmpty, room > 0, now >= startFailures.nextStart else { return [] }
        // One that has failed to start is counted when it is known why; until then it is not known how many may be tried.
        if workers.values.contains(where: { $0.hasEnded && $0.isFailedStart }) { return [] }
        let unmet = unmet(demand)
        var wanted = min(unmet + missingSpares(demand, unmet: unmet), room)
        // While starts fail, one at a time tries whether they still do.
        if startFailures.count > 0 { wanted = min(wanted, workers.values.contains { $0.phase == .starting } ? 0 : 1) }
        return (0..<max(0, wanted)).map { _ in
            lastNumber += 1
            let id = WorkerID("w\(lastNumber)")
            workers[id] = Worker(startedAt: now, tags: policy.tags)
            liveCount += 1
            return id
        }
    }

    /// What a failed start leads to.
    struct FailedStart: Equatable {
        /// None had failed since the last worker that served well.
        var isFirst: Bool
        /// Nobody serves who could take a waiting job in time, and enough have failed in a row.
        var isLast: Bool
    }

    /// - Parameter demand: the jobs that wait.
    mutating func startFailed(startedAt: Duration, demand: [WaitingJobs.Demand], at now: Duration) -> FailedStart {
        let isFirst = startFailures.count == 0
        let isCounted = startFailures.add(startedAt: startedAt, at: now)
        // An idle worker that fits no waiting job is no help.
        let isServed = workers.values.contains { worker in
            worker.phase == .serving
                && (worker.work != nil || demand.isEmpty || demand.contains { worker.fits($0.libraries) })
        }
        let isLast = isCounted && startFailures.count >= policy.startAttempts && !isServed
        if isLast { startFailures = StartFailures() }
        return FailedStart(isFirst: isFirst, isLast: isLast)
    }

    // MARK: Going

    /// Takes a worker out of service; its exit is awaited.
    /// - Returns: whether it was in service.
    mutating func end(_ id: WorkerID, _ ending: Ending, at now: Duration) -> Bool {
        guard let worker = workers[id], worker.isLive else { return false }
        workers[id]?.phase = .ending(ending, since: now)
        leave(id)
        return true
    }

    /// Notes that a worker is being killed.
    mutating func kill(_ id: WorkerID, _ ending: Ending, at now: Duration) {
        workers[id]?.isKilled = true
        _ = end(id, ending, at: now)
    }

    /// A worker's process was seen ended. Messages of its may still be under way.
    mutating func ended(_ id: WorkerID) {
        guard let worker = workers[id] else { return }
        if case .ended = worker.phase { return }
        if worker.isLive { leave(id) }
        workers[id]?.phase = .ended(before: worker.phase)
    }

    /// Takes a worker out that is gone for good, or was never there.
    /// - Returns: what it was, in the phase that it ended in; nil where there is none of that name.
    mutating func remove(_ id: WorkerID) -> Worker? {
        ended(id)
        atWork.remove(id)
        guard var worker = workers.removeValue(forKey: id) else { return nil }
        if case .ended(let before) = worker.phase { worker.phase = before }
        return worker
    }

    private mutating func leave(_ id: WorkerID) {
        idle.remove(id)
        move(id, to: nil)
        if workers[id]?.isRemote == false { liveCount -= 1 }
    }

    /// Notes where a live worker is in a sequence; nil: in none any more.
    mutating func move(_ id: WorkerID, to place: WaitingJobs.Place?) {
        guard let index = workers.index(forKey: id) else { return }
        if let before = workers.values[index].place { walkers.remove(before) }
        if let place { walkers.insert(place) }
        workers.values[index].place = place
    }

    // MARK: Time

    /// The workers that have overstepped a limit, and which.
    /// - Parameter cancelled: since when the job of a lease is to end; nil where it is not.
    mutating func overdue(at now: Duration, cancelled: (Lease) -> Duration?) -> [(worker: WorkerID, ending: Ending)] {
        excuseGap(at: now)
        return workers.compactMap { id, worker in
            overstepped(id, worker, at: now, cancelled: cancelled).map { (id, $0) }
        }
    }

    private func overstepped(
        _ id: WorkerID, _ worker: Worker, at now: Duration, cancelled: (Lease) -> Duration?
    ) -> Ending? {
        switch worker.phase {
        case .starting:
            guard now - worker.startedAt > policy.startTimeout else { return nil }
            return .unfit("worker \(id) did not report within \(policy.startTimeout)")
        case .ending(let ending, let since):
            return now - since > policy.grace && !worker.isKilled ? ending : nil
        case .ended: return nil
        case .serving:
            if now - worker.lastHeard > policy.leaseTimeout {
                return .silent("was not heard for \(policy.leaseTimeout)")
            }
            guard let work = worker.work else { return nil }
            if let cancelled = work.voidSince ?? cancelled(work.lease) {
                return now - cancelled > (worker.isRemote ? policy.remoteGrace : policy.grace) ? .cancelled : nil
            }
            return stalled(work, isRemote: worker.isRemote, at: now)
        }
    }

    /// Tells slow from stuck: a job that makes no progress may be inside of one long call, which uses the processor.
    private func stalled(_ work: Worker.Work, isRemote: Bool, at now: Duration) -> Ending? {
        let limit = policy.stallTimeout * (isRemote ? policy.remoteStalls : policy.busyStalls)
        if now - work.progressAt > limit {
            return .stalled("made no progress for \(limit)" + (isRemote ? "" : ", though it was busy"))
        }
        guard !isRemote, now - max(work.progressAt, work.busyAt) > policy.stallTimeout else { return nil }
        return .stalled("made no progress for \(policy.stallTimeout), and did nothing")
    }

    /// The host stood still (stopped, starved, asleep): what workers sent meanwhile is only now being read.
    private mutating func excuseGap(at now: Duration) {
        defer { lastTick = now }
        guard let lastTick, now - lastTick > policy.tickTolerance else { return }
        let gap = now - lastTick
        func excused(_ time: Duration) -> Duration { min(now, time + gap) }
        for (id, worker) in workers {
            workers[id]?.lastHeard = excused(worker.lastHeard)
            workers[id]?.startedAt = excused(worker.startedAt)
            if let work = worker.work {
                workers[id]?.work?.progressAt = excused(work.progressAt)
                workers[id]?.work?.busyAt = excused(work.busyAt)
            }
        }
    }
}
