import Messaging
import OrderedCollections

/// The workers: how many processes of this machine there should be, which workers live, and what
/// each does. Remote workers come and go by themselves (`WorkerPool+Remote.swift`); the diagram
/// shows local ones.
///
/// ```
///            spawn             hello: welcome            lost, refused, stop      seen ended       remains known
///   (nothing) ────▶ starting ────────────────▶ serving ──────────────────▶ ending ────────▶ ended ────────▶ (gone)
///                      └──────────────────────────┴──────── by itself ───────────────────────▲
/// ```
///
/// Invariants:
/// - A worker is given one job for each request, and none while it has one.
/// - No name is used twice, except for slots of nodes.
/// - A worker that is being ended, or has ended, is given nothing and counts for nothing.
/// - A worker never loses a library (``Worker/libraries``).
///
/// Only its own methods change it, one for each event.
struct WorkerPool {
    /// The pool's limits. The defaults suit local workers.
    struct Policy: Sendable {
        /// The most local processes at a time. At least 1; with remote workers, 0 is enough.
        var workers: Int
        /// The number of workers that are started beyond those that waiting jobs need, so that jobs
        /// that come soon need not wait for a start.
        var spares = 0
        /// The tags of this machine.
        var tags: Set<String> = []
        /// Whether there are remote workers, too.
        var hasRemote = false
        /// The build that workers must have.
        var engine: String
        /// The time without a message after which a worker counts as lost. Heartbeats come every
        /// half second.
        var leaseTimeout: Duration = .seconds(15)
        /// The time after which a job is stuck if its progress does not change and its process uses
        /// no processor time.
        var stallTimeout: Duration = .seconds(60)
        /// The multiple of ``stallTimeout`` after which a job without progress is stuck, however
        /// busy its process is.
        var busyStalls = 3
        /// The time in which a process must send hello.
        var startTimeout: Duration = .seconds(30)
        /// The time in which a worker must end a cancelled job, or leave; then it is killed.
        var grace: Duration = .seconds(2)
        /// The same time for a remote worker; its own machine enforces shorter limits first.
        var remoteGrace: Duration = .seconds(8)
        /// The most slots of one node that serve at a time.
        var slotsPerNode = 1024
        /// The multiple of ``stallTimeout`` after which a job without progress on another machine
        /// counts as lost; that machine notices it first, after ``busyStalls`` at the latest.
        var remoteStalls = 4
        /// The number of consecutive failed starts after which all jobs fail. The pause between
        /// starts doubles from 0.1 s.
        var startAttempts = 4
        /// The time after which a worker that asks for a job again is sent its job again: the
        /// message was lost.
        var resendAfter: Duration = .seconds(2)
        /// A longer gap between ticks means that the host itself was stopped; no worker is blamed
        /// for the gap.
        var tickTolerance: Duration = .seconds(2)

        init(workers: Int, engine: String) {
            self.workers = workers
            self.engine = engine
        }
    }

    let policy: Policy
    /// Ordered, so that equal events lead to equal actions.
    var workers: OrderedDictionary<WorkerID, Worker> = [:]
    /// The workers that wait for a job, in the order of their requests.
    var idle = OrderedSet<WorkerID>()
    /// The local workers that have a job; see `WorkerPool+Threads.swift`.
    var atWork = OrderedSet<WorkerID>()
    /// The positions of the live workers in their sequences.
    private(set) var walkers = Walkers()
    private var liveCount = 0
    private var lastNumber = 0
    var startFailures = StartFailures()
    private var lastTick: Duration?

    init(policy: Policy) { self.policy = policy }

    var isEmpty: Bool { workers.isEmpty }

    // MARK: Joining

    /// The idle workers in the order in which they choose: those that are not late first, then
    /// those that fit the fewest jobs, so that the others stay fit for most; otherwise in the order
    /// of their requests.
    var idleByTurn: [WorkerID] {
        idle.enumerated().map { turn, id in
            (
                id: id, isLate: workers[id]?.isLate == true ? 1 : 0, libraries: workers[id]?.libraries.count ?? 0,
                turn: turn
            )
        }.sorted { ($0.isLate, $1.libraries, $0.turn) < ($1.isLate, $0.libraries, $1.turn) }.map(\.id)
    }

    /// The number of workers that may still be started.
    var room: Int { mostLocal - liveCount }
    private var mostLocal: Int { max(policy.hasRemote ? 0 : 1, policy.workers) }

    /// Whether a worker exists, or may be started.
    var hasWorkers: Bool { mostLocal > 0 || workers.values.contains(where: \.isLive) }

    /// Returns whether a worker has the tags that a job needs.
    /// - Parameter nodes: the nodes to leave out.
    func hasWorker(with needs: Set<String>, outside nodes: Set<String> = []) -> Bool {
        if mostLocal > 0, needs.isSubset(of: policy.tags), startFailures.count == 0 || nodes.isEmpty { return true }
        return workers.contains { id, worker in
            worker.isLive && worker.isRemote && needs.isSubset(of: worker.tags)
                && !(id.node.map(nodes.contains) ?? false)
        }
    }

    /// Returns the number of waiting jobs that no live local worker is free to take, and at least
    /// the true number: a worker that could take jobs of several sets of libraries is counted for
    /// one. Remote workers are not counted on: idle ones have their jobs by now.
    func unmet(_ demand: [WaitingJobs.Demand]) -> Int {
        var demand = demand
        // The workers that fit the fewest jobs come first.
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

    /// Returns whether a live worker is free to take a job with these libraries.
    func hasFree(for libraries: Set<String>) -> Bool { workers.values.contains { $0.isFree && $0.fits(libraries) } }

    /// Returns how many spare workers are missing, given those that are free already.
    private func missingSpares(_ demand: [WaitingJobs.Demand], unmet: Int) -> Int {
        let met = demand.reduce(0) { $0 + $1.count } - unmet
        let free = workers.values.count { $0.isFree && !$0.isRemote }
        return max(0, policy.spares - (free - met))
    }

    /// Starts workers for the jobs that no live worker is free to take, and spare ones.
    /// - Returns: the names of the new workers.
    mutating func staff(for demand: [WaitingJobs.Demand], at now: Duration) -> [WorkerID] {
        guard !demand.isEmpty, room > 0, now >= startFailures.nextStart else { return [] }
        // A failed start is counted once its cause is known; until then it is unknown how many may
        // be tried.
        if workers.values.contains(where: { $0.hasEnded && $0.isFailedStart }) { return [] }
        let unmet = unmet(demand)
        var wanted = min(unmet + missingSpares(demand, unmet: unmet), room)
        // While starts fail, one worker at a time probes whether they still do.
        if startFailures.count > 0 { wanted = min(wanted, workers.values.contains { $0.phase == .starting } ? 0 : 1) }
        return (0..<max(0, wanted)).map { _ in
            lastNumber += 1
            let id = WorkerID("w\(lastNumber)")
            workers[id] = Worker(startedAt: now, tags: policy.tags)
            liveCount += 1
            return id
        }
    }

    /// The consequences of a failed start.
    struct FailedStart: Equatable {
        /// Whether it is the first failure since the last worker that served.
        var isFirst: Bool
        /// Whether jobs should fail: enough consecutive starts have failed, and no worker could
        /// take a waiting job in time.
        var isLast: Bool
    }

    /// Counts a failed start.
    /// - Parameter demand: the jobs that wait.
    mutating func startFailed(startedAt: Duration, demand: [WaitingJobs.Demand], at now: Duration) -> FailedStart {
        let isFirst = startFailures.count == 0
        let isCounted = startFailures.add(startedAt: startedAt, at: now)
        // An idle worker that fits no waiting job does not help.
        let isServed = workers.values.contains { worker in
            worker.phase == .serving
                && (worker.work != nil || demand.isEmpty || demand.contains { worker.fits($0.libraries) })
        }
        let isLast = isCounted && startFailures.count >= policy.startAttempts && !isServed
        if isLast { startFailures = StartFailures() }
        return FailedStart(isFirst: isFirst, isLast: isLast)
    }

    // MARK: Leaving

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

    /// Notes that a worker's process has ended. Messages from it may still arrive.
    mutating func ended(_ id: WorkerID) {
        guard let worker = workers[id] else { return }
        if case .ended = worker.phase { return }
        if worker.isLive { leave(id) }
        workers[id]?.phase = .ended(before: worker.phase)
    }

    /// Removes a worker that is gone for good, or never existed.
    /// - Returns: the worker, in the phase in which it ended; nil if the name is unknown.
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

    /// Notes the position of a live worker in a sequence; nil if it is in none any more.
    mutating func move(_ id: WorkerID, to place: WaitingJobs.Place?) {
        guard let index = workers.index(forKey: id) else { return }
        if let before = workers.values[index].place { walkers.remove(before) }
        if let place { walkers.insert(place) }
        workers.values[index].place = place
    }

    // MARK: Time limits

    /// Returns the workers that exceed a limit, and which.
    /// - Parameter cancelled: returns the time since when a lease's job is being cancelled; nil if
    ///   it is not.
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
                return .silent("was silent for \(policy.leaseTimeout)")
            }
            guard let work = worker.work else { return nil }
            if let cancelled = work.voidSince ?? cancelled(work.lease) {
                return now - cancelled > (worker.isRemote ? policy.remoteGrace : policy.grace) ? .cancelled : nil
            }
            return stalled(work, isRemote: worker.isRemote, at: now)
        }
    }

    /// Tells slow from stuck: a job without progress may be inside one long call, which uses the
    /// processor.
    private func stalled(_ work: Worker.Work, isRemote: Bool, at now: Duration) -> Ending? {
        let limit = policy.stallTimeout * (isRemote ? policy.remoteStalls : policy.busyStalls)
        if now - work.progressAt > limit {
            return .stalled("made no progress for \(limit)" + (isRemote ? "" : " although it was busy"))
        }
        guard !isRemote, now - max(work.progressAt, work.busyAt) > policy.stallTimeout else { return nil }
        return .stalled("made no progress for \(policy.stallTimeout) while idle")
    }

    /// Excuses a gap during which the host itself was stopped, starved or asleep: what workers sent
    /// meanwhile is only now being read.
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
