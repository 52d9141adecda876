import Farm
import FoundationEssentials
import Messaging

/// A slot of the node: one job at a time, and the worker's side of the protocol for it. It does no I/O, has no clock and starts nothing; it is
/// told what happened and answers with what is to be done.
///
/// ```
///            hello, welcome            assign                its job has ended, acknowledged
///   stranger ─────────────▶ ready ───────────────▶ running ──────────────────────────────────▶ ready
///       ▲                     │                       │
///       └─────────────────────┴── introduceYourself ──┘     (the run goes on; the server cancels it where it is over)
/// ```
/// Whatever gets lost is said again: `hello` until it is answered, `ready` while idle, results until they are acknowledged.
struct Slot {
    /// A job that runs in the node's own queue.
    struct Run: Equatable {
        var lease: Lease
        /// Its name there.
        var job: JobID
        var progress = Progress()
        var isCancelled = false
        /// Nobody wants its result.
        var isAbandoned = false
        /// It has ended, and its files are on their way.
        var made: Completion?
        /// Somebody sends them.
        var isSent = false
    }

    enum Action: Equatable {
        case send(Message)
        case submit(JobSpec)
        case cancel(JobID)
        /// A result is to outlive this process.
        case keep(Completion)
        case forget(Lease)
        /// The server gets a run's files.
        case deliver(JobID, Completion)
        /// How the server wants jobs done, before the first of them.
        case heed(WorkerTerms)
        /// The server does not want this node.
        case refused(reason: String)
        case log(String)
    }

    let id: WorkerID
    private let number: Int
    private let introduction: WorkerIntroduction
    private(set) var isWelcome = false
    private(set) var isDraining = false
    /// It has said goodbye, and does nothing more.
    private(set) var hasLeft = false
    private(set) var run: Run?
    /// The runs that have ended under leases which the server does not know: one that was started anew may come to know them, when it submits their
    /// jobs. For that it needs what other jobs tell, so the slot takes these meanwhile.
    private(set) var owed: [Run] = []
    /// All runs that the server is told of.
    private var runs: [Run] { [run].compactMap(\.self) + owed }
    private(set) var unacknowledged: [Completion]
    private var host = ""
    /// The highest epoch that was taken on. Epochs only grow, so an `assign` at or below it has come a second time.
    private var lastEpoch: UInt64 = 0
    private var nextWord = Duration.zero
    private var nextRepeat = Duration.zero
    private var hellos = 0

    private static let interval = Duration.milliseconds(500)
    private static let firstInterval = Duration.milliseconds(100)
    private static let firstHellos = 10
    private static let repeatInterval = Duration.seconds(2)
    /// A node on which no worker starts comes again after this long.
    private static let sickLeave = Duration.seconds(30)

    /// - Parameters:
    ///   - introduction: the node's; the slot's name is put in.
    ///   - kept: results that outlived a process before this one.
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

    /// A lease's job in the node's own queue.
    private func name(of lease: Lease, of host: String) -> JobID {
        JobID("slot-\(number)-lease-\(lease.epoch)-\(host)")
    }

    /// Whether it holds nothing.
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
                // The first ones find no connection.
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

    // MARK: What the server says

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
            // The server ends; its jobs are of no use to the next one.
            isWelcome = false
            nextWord = now + Self.interval
            return abandon()
        // The node's own queue shares the node's processors.
        case .share: break
        case .hello, .ready, .heartbeat, .completed, .failed, .remark, .goodbye: break  // Not for a worker to hear.
        }
        return []
    }

    private mutating func welcomed(_ terms: WorkerTerms, at now: Duration) -> [Action] {
        isWelcome = true
        nextWord = now
        var actions: [Action] = []
        if terms.host != host {
            // Another server may give out the same epochs once more: what was done for the one before means nothing to it.
            if !host.isEmpty {
                actions += abandon()
                lastEpoch = 0
            }
            host = terms.host
            actions += forget { $0.host != terms.host }
            actions += abandonOwed { $0.made?.host != terms.host }
        }
        nextRepeat = now
        return actions + [.heed(terms)] + deliver()
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
        // Said again because the server doubts that it arrived: the run goes on, or its result is repeated.
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

    // MARK: What becomes of its job

    mutating func heard(_ event: JobEvent, at now: Duration) -> [Action] {
        guard let current = run, current.job == event.job else { return [] }
        switch event {
        case .started: return []
        case .progressed(_, let progress):
            run?.progress = progress
            return []
        case .retrying(_, let reason):
            let text = "job \(current.lease.job) is tried again on \(id.node ?? ""): \(reason)"
            return isWelcome && !current.isAbandoned ? [.send(.remark(current.lease, text))] : []
        case .completed(_, let result): return end(current.job, .completed(current.lease, result: result), at: now)
        case .cancelled: return end(current.job, .failed(current.lease, JobFailure(Cancelled())), at: now)
        case .failed(_, let failure) where failure.category == .unavailable:
            return leaveSick(failure, at: now)
        case .failed(let job, let failure):
            return end(
                job, .failed(current.lease, failure.renamed(from: job, to: current.lease.job, on: id)), at: now)
        }
    }

    /// It has begun no run yet, or sends what it has made, and gets on with that.
    mutating func advanced(_ job: JobID) {
        if run?.job == job { run?.progress.steps &+= 1 }
        for index in owed.indices where owed[index].job == job { owed[index].progress.steps &+= 1 }
    }

    /// Its job is done, and the server gets files before it hears of that.
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

    /// The server does not know the lease of what was made, or does not know it yet.
    mutating func unclaimed(_ job: JobID, at now: Duration) {
        guard let current = run, current.job == job, current.made != nil else { return }
        owed.append(current)
        run = nil
        nextWord = now
    }

    /// The server has the files, or does not take them.
    mutating func delivered(_ job: JobID, _ failure: JobFailure?, at now: Duration) -> [Action] {
        guard let current = runs.first(where: { $0.job == job }), let made = current.made else { return [] }
        return end(job, failure.map { .failed(current.lease, $0) } ?? made.message, at: now)
    }

    /// People hear of it at the server.
    func remarked(_ text: String, on job: JobID) -> [Action] {
        guard isWelcome, let run, run.job == job, !run.isAbandoned else { return [] }
        return [.send(.remark(run.lease, text))]
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

    /// No worker can be started: that is the node's fault and not the job's, which another node gets.
    private mutating func leaveSick(_ failure: JobFailure, at now: Duration) -> [Action] {
        run = nil
        let goodbye: [Action] = isWelcome ? [.send(.goodbye)] : []
        isWelcome = false
        nextWord = now + Self.sickLeave
        return goodbye + [.log("\(failure.message) This node works again in \(Self.sickLeave) where it can.")]
    }

    // MARK: Leaving

    /// Takes nothing more, and leaves when what runs has ended and was acknowledged.
    mutating func drain() { isDraining = true }

    /// Gives back what still runs. What was made is kept, for the server or until it does not want it.
    mutating func handBack() -> [Action] { run?.made == nil ? abandonRun() : [] }
}

extension JobFailure {
    /// The same with the job's name as the server knows it, and with the place.
    fileprivate func renamed(from inner: JobID, to outer: JobID, on slot: WorkerID) -> JobFailure {
        func renamed(_ text: String) -> String { text.replacing(inner.name, with: outer.name) }
        return JobFailure(
            category, renamed(message), details: details.map(renamed) + ["on node \(slot.node ?? ""), slot \(slot)"],
            blame: blame, fault: fault, isTransient: isTransient)
    }
}
