import Farm
import FoundationEssentials
import Messaging

/// A slot of the node: the worker's side of the protocol for one job at a time. It does no I/O, has
/// no clock and starts nothing: each method takes an event and returns the actions that follow.
///
/// ```
///            hello, welcome            assign                its job has ended, acknowledged
///   stranger ─────────────▶ ready ───────────────▶ running ──────────────────────────────────▶ ready
///       ▲                     │                       │
///       └─────────────────────┴── introduceYourself ──┘
/// ```
/// After `introduceYourself` a run continues unless the server cancels it. Lost messages are
/// repeated: `hello` until it is answered, `ready` while idle, results until they are acknowledged.
struct Slot {
    /// A job that runs in the node's own queue.
    struct Run: Equatable {
        var lease: Lease
        /// The job's name in that queue.
        var job: JobID
        var progress = Progress()
        var isCancelled = false
        /// Whether its result is not wanted any more.
        var isAbandoned = false
        /// The result of an ended run whose files are still being sent.
        var made: Completion?
        /// Whether its files are being sent.
        var isSent = false
    }

    enum Action: Equatable {
        case send(Message)
        case submit(JobSpec)
        case cancel(JobID)
        /// Keep a result beyond this process.
        case keep(Completion)
        case forget(Lease)
        /// Send a run's files to the server.
        case deliver(JobID, Completion)
        /// Adopt the server's terms; comes before the first job.
        case adopt(WorkerTerms)
        /// The server refuses this node.
        case refused(reason: String)
        case log(String)
    }

    let id: WorkerID
    private let number: Int
    private let introduction: WorkerIntroduction
    private(set) var isWelcome = false
    private(set) var isDraining = false
    /// Whether the slot has said goodbye, and does nothing more.
    private(set) var hasLeft = false
    private(set) var run: Run?
    /// The ended runs whose leases the server does not know. A restarted server may adopt them when
    /// their jobs are submitted again. That may require other jobs first, so the slot takes jobs
    /// meanwhile.
    private(set) var owed: [Run] = []
    /// All runs that are reported to the server.
    private var runs: [Run] { [run].compactMap(\.self) + owed }
    private(set) var unacknowledged: [Completion]
    private var host = ""
    /// The highest epoch that was accepted. Epochs only grow, so an `assign` at or below it is a
    /// repetition.
    private var lastEpoch: UInt64 = 0
    private var nextWord = Duration.zero
    private var nextRepeat = Duration.zero
    private var hellos = 0

    private static let interval = Duration.milliseconds(500)
    private static let firstInterval = Duration.milliseconds(100)
    private static let firstHellos = 10
    private static let repeatInterval = Duration.seconds(2)
    /// The time that a node on which no worker starts stays away.
    private static let sickLeave = Duration.seconds(30)

    /// Starts a slot.
    /// - Parameters:
    ///   - introduction: the node's; the slot's name is added.
    ///   - kept: results of an earlier process.
    init(_ number: Int, of node: String, _ introduction: WorkerIntroduction, kept: [Completion] = []) {
        id = WorkerID(node: node, slot: number)
        self.number = number
        var introduction = introduction
        introduction.worker = id.name
        self.introduction = introduction
        unacknowledged = kept.filter { $0.delivery == nil }
        owed = kept.filter { $0.delivery != nil }.map {
            Run(lease: $0.lease, job: name(of: $0.lease, of: $0.host), made: $0)
        }
    }

    /// Returns the name of a lease's job in the node's own queue.
    private func name(of lease: Lease, of host: String) -> JobID {
        JobID("slot-\(number)-lease-\(lease.epoch)-\(host)")
    }

    /// Whether the slot holds nothing.
    var isFree: Bool { run == nil && owed.isEmpty && unacknowledged.isEmpty }

    // MARK: Time

    mutating func tick(at now: Duration) -> [Action] {
        guard !hasLeft else { return [] }
        if isDraining, isFree {
            hasLeft = true
            return isWelcome ? [.send(.goodbye)] : []
        }
        var actions: [Action] = []
        if now >= nextWord {
            nextWord = now + Self.interval
            if !isWelcome {
                hellos += 1
                // The first messages are often sent before the connection is up.
                if hellos <= Self.firstHellos { nextWord = now + Self.firstInterval }
                actions.append(.send(.hello(hello)))
            } else {
                actions += runs.map { .send(.heartbeat($0.lease, $0.progress)) }
                if run == nil, !isDraining { actions.append(.send(.ready)) }
            }
        }
        if isWelcome, now >= nextRepeat {
            nextRepeat = now + Self.repeatInterval
            actions += unacknowledged.map { .send($0.message) }
        }
        return actions
    }

    private var hello: WorkerIntroduction {
        var hello = introduction
        hello.node?.leases = unacknowledged.map(\.lease) + runs.map(\.lease)
        return hello
    }

    // MARK: Messages of the server

    mutating func hear(_ message: Message, at now: Duration) -> [Action] {
        guard !hasLeft else { return [] }
        switch message {
        case .welcome(let terms): return welcomed(terms, at: now)
        case .introduceYourself:
            isWelcome = false
            nextWord = now
        case .refused(let reason): return [.refused(reason: reason)]
        case .assign(let lease, let job): return take(lease, job, at: now)
        case .acknowledge(let lease): return forget { $0.lease == lease }
        case .cancel(let lease): return cancel(lease, at: now)
        case .stop:
            // The server is ending; its jobs mean nothing to the next one.
            isWelcome = false
            nextWord = now + Self.interval
            return abandon()
        // The node's own queue shares the node's processors.
        case .share: break
        case .hello, .ready, .heartbeat, .completed, .failed, .warning, .goodbye: break  // Never sent to a worker.
        }
        return []
    }

    private mutating func welcomed(_ terms: WorkerTerms, at now: Duration) -> [Action] {
        isWelcome = true
        nextWord = now
        var actions: [Action] = []
        if terms.host != host {
            // Another server may give out the same epochs again, and knows nothing of the runs of
            // the previous one.
            if !host.isEmpty {
                actions += abandon()
                lastEpoch = 0
            }
            host = terms.host
            actions += forget { $0.host != terms.host }
            actions += abandonOwed { $0.made?.host != terms.host }
        }
        nextRepeat = now
        return actions + [.adopt(terms)] + deliver()
    }

    private mutating func deliver() -> [Action] {
        var actions: [Action] = []
        for index in owed.indices { actions += Self.deliver(&owed[index]) }
        if var run {
            actions += Self.deliver(&run)
            self.run = run
        }
        return actions
    }

    private static func deliver(_ run: inout Run) -> [Action] {
        guard let made = run.made, !run.isSent else { return [] }
        run.isSent = true
        return [.deliver(run.job, made)]
    }

    private mutating func take(_ lease: Lease, _ job: Assignment, at now: Duration) -> [Action] {
        // A repetition: the run continues, or its result is repeated.
        guard isWelcome, !isDraining, run == nil, lease.epoch > lastEpoch,
            !unacknowledged.contains(where: { $0.lease == lease }), !owed.contains(where: { $0.lease == lease })
        else { return [] }
        lastEpoch = lease.epoch
        let spec = JobSpec(
            id: name(of: lease, of: host), kind: job.kind, payload: job.payload,
            libraries: job.libraries, fence: lease.epoch)
        run = Run(lease: lease, job: spec.id)
        nextWord = now + Self.interval
        return [.submit(spec)]
    }

    private mutating func cancel(_ lease: Lease, at now: Duration) -> [Action] {
        if run?.lease == lease {
            guard run?.isCancelled == false, let job = run?.job else { return [] }
            run?.isCancelled = true
            guard run?.made != nil else { return [.cancel(job)] }
            return [.cancel(job)] + end(job, .failed(lease, JobFailure(Cancelled())), at: now)
        }
        if let run = owed.first(where: { $0.lease == lease }) {
            return [.cancel(run.job)] + end(run.job, .failed(lease, JobFailure(Cancelled())), at: now)
        }
        let isKnown = unacknowledged.contains { $0.lease == lease }
        if isKnown || lease.epoch <= lastEpoch { return forget { $0.lease == lease } }
        // The server waits for the end of a run that never began.
        lastEpoch = lease.epoch
        return [.send(.failed(lease, JobFailure(Cancelled())))]
    }

    private mutating func forget(_ isOver: (Completion) -> Bool) -> [Action] {
        let gone = unacknowledged.filter(isOver)
        unacknowledged.removeAll(where: isOver)
        return gone.map { .forget($0.lease) }
    }

    private mutating func abandon() -> [Action] { abandonOwed { _ in true } + abandonRun() }

    private mutating func abandonRun() -> [Action] {
        guard let job = run?.job, run?.isAbandoned == false else { return [] }
        if let made = run?.made {
            run = nil
            return [.cancel(job), .forget(made.lease)]
        }
        run?.isAbandoned = true
        run?.isCancelled = true
        return [.cancel(job)]
    }

    private mutating func abandonOwed(_ isOver: (Run) -> Bool) -> [Action] {
        let gone = owed.filter(isOver)
        owed.removeAll(where: isOver)
        return gone.flatMap { [.cancel($0.job), .forget($0.lease)] }
    }

    // MARK: Events of its job

    mutating func heard(_ event: JobEvent, at now: Duration) -> [Action] {
        guard let current = run, current.job == event.job else { return [] }
        switch event {
        case .started: return []
        case .progressed(_, let progress):
            run?.progress = progress
            return []
        case .retrying(_, let reason):
            let text = "job \(current.lease.job) is retried on \(id.node ?? ""): \(reason)"
            return isWelcome && !current.isAbandoned ? [.send(.warning(current.lease, text))] : []
        case .completed(_, let result): return end(current.job, .completed(current.lease, result: result), at: now)
        case .cancelled: return end(current.job, .failed(current.lease, JobFailure(Cancelled())), at: now)
        case .failed(_, let failure) where failure.category == .unavailable:
            return leaveSick(failure, at: now)
        case .failed(let job, let failure):
            return end(
                job, .failed(current.lease, failure.renamed(from: job, to: current.lease.job, on: id)), at: now)
        }
    }

    /// Notes progress of a job that is not running yet, or is sending its files.
    mutating func advanced(_ job: JobID) {
        if run?.job == job { run?.progress.steps &+= 1 }
        for index in owed.indices where owed[index].job == job { owed[index].progress.steps &+= 1 }
    }

    /// Notes that a job is done and that the server must get its files first.
    mutating func made(_ job: JobID, _ result: Data, _ delivery: Delivery, at now: Duration) -> [Action] {
        guard let current = run, current.job == job else { return [] }
        if current.isAbandoned || current.isCancelled {
            return end(current.job, .failed(current.lease, JobFailure(Cancelled())), at: now)
        }
        let completion = Completion(
            lease: current.lease, message: .completed(current.lease, result: result), host: host, delivery: delivery)
        run?.made = completion
        return [.keep(completion)] + (isWelcome ? deliver() : [])
    }

    /// Notes that the server does not know the lease of a finished run, or not yet.
    mutating func unclaimed(_ job: JobID, at now: Duration) {
        guard let current = run, current.job == job, current.made != nil else { return }
        owed.append(current)
        run = nil
        nextWord = now
    }

    /// Notes that the server has the files, or refuses them.
    mutating func delivered(_ job: JobID, _ failure: JobFailure?, at now: Duration) -> [Action] {
        guard let current = runs.first(where: { $0.job == job }), let made = current.made else { return [] }
        return end(job, failure.map { .failed(current.lease, $0) } ?? made.message, at: now)
    }

    /// Forwards a worker's warning to the server's users.
    func warned(_ text: String, on job: JobID) -> [Action] {
        guard isWelcome, let run, run.job == job, !run.isAbandoned else { return [] }
        return [.send(.warning(run.lease, text))]
    }

    private mutating func end(_ job: JobID, _ message: Message, at now: Duration) -> [Action] {
        let ended: Run
        if let run, run.job == job {
            ended = run
            self.run = nil
        } else if let index = owed.firstIndex(where: { $0.job == job }) {
            ended = owed.remove(at: index)
        } else {
            return []
        }
        nextWord = now
        if ended.isAbandoned { return [] }
        let completion = Completion(lease: ended.lease, message: message, host: host)
        unacknowledged.append(completion)
        return [.keep(completion)] + (isWelcome ? [.send(message)] : [])
    }

    /// Leaves for a while because no worker can be started. That is the node's fault and not the
    /// job's, so another node gets the job.
    private mutating func leaveSick(_ failure: JobFailure, at now: Duration) -> [Action] {
        run = nil
        let goodbye: [Action] = isWelcome ? [.send(.goodbye)] : []
        isWelcome = false
        nextWord = now + Self.sickLeave
        return goodbye + [.log("\(failure.message) This node tries again in \(Self.sickLeave).")]
    }

    // MARK: Leaving

    /// Takes no more jobs, and leaves when what runs has ended and was acknowledged.
    mutating func drain() { isDraining = true }

    /// Gives back the job that still runs. A finished result is kept until the server has it, or
    /// does not want it.
    mutating func handBack() -> [Action] { run?.made == nil ? abandonRun() : [] }
}

extension JobFailure {
    /// Returns the failure with the job's name on the server, and with the slot.
    fileprivate func renamed(from inner: JobID, to outer: JobID, on slot: WorkerID) -> JobFailure {
        func renamed(_ text: String) -> String { text.replacing(inner.name, with: outer.name) }
        return JobFailure(
            category, renamed(message), details: details.map(renamed) + ["on node \(slot.node ?? ""), slot \(slot)"],
            blame: blame, fault: fault, isTransient: isTransient)
    }
}
