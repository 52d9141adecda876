import FoundationEssentials
import Messaging
import TestSupport
import Testing

@testable import Farm

/// A simulated farm: a broker, workers that follow the worker's side of the protocol, and a network
/// that delays, reorders, repeats and loses messages, while processes are killed, stopped, crash
/// and fail to start. Everything is drawn from one seed. Each step checks the invariants.
struct BrokerSimulation {
    /// The behaviour of a job, by its `kind`.
    static let kinds = [
        "fine", "fine", "fine", "fine", "crash", "crash-once", "input", "internal-once", "internal", "stall", "hang",
        "busy-once", "busy",
    ]

    /// A process. Like `HostConnection` and `WorkerSession`, without the I/O.
    struct Process {
        var isWelcome = false
        var isStopping = false
        /// Whether it was killed or has crashed; the broker may not know yet.
        var isDead = false
        /// The time until which it is stopped by a signal.
        var frozenUntil = Duration.zero
        /// Set for a slot of a node, which joins by itself; see `BrokerSimulation+Remote.swift`.
        var origin: Worker.Origin?
        var run: Run?
        var unacknowledged: [(lease: Lease, message: Message)] = []
        var lastEpoch: UInt64 = 0
        /// The libraries that its jobs have loaded.
        var libraries: Set<String> = []
        var nextBeat = Duration.zero
        var nextRepeat = Duration.zero

        struct Run {
            var lease: Lease
            var kind: String
            var endsAt: Duration
            var done = 0
            var isCancelled = false
        }
    }

    struct Flight {
        var at: Duration
        var message: Message
        var worker: WorkerID
        var isToHost: Bool
    }

    /// The seed to reproduce a failure: `CUTROOM_SEED` and the round.
    let seed: String
    var random: SplitMix64
    var broker: Broker
    /// The broker's jobs, rebuilt from its transitions: by the table's own rules, and by the
    /// ledger's.
    var replayed: LeaseTable
    var ledger: JobLedger
    var now = Duration.zero
    var processes: [WorkerID: Process] = [:]
    var order: [WorkerID] = []
    var flights: [Flight] = []
    var pending: [(at: Duration, event: Broker.Event)] = []
    /// Kills that have not taken effect yet: a process may be in a system call for a while.
    var kills: [(at: Duration, worker: WorkerID)] = []

    /// The nodes by name, with their faults.
    var nodes: [String: Node] = [:]

    /// The facts about each submission, for the checks.
    var kindOf: [JobID: String] = [:]
    var needsOf: [JobID: Set<String>] = [:]
    var librariesOf: [JobID: Set<String>] = [:]
    /// The leases under which a job may be reported now.
    var current: [JobID: Set<Lease>] = [:]
    var assigned: Set<Lease> = []
    var faults: [JobID: Int] = [:]
    var losses: [JobID: Int] = [:]
    var marks: Set<JobID> = []
    var cancelled: Set<JobID> = []
    var ends: [JobID: Int] = [:]
    var isClosed = false
    /// Whether faults are no longer injected, so that everything can end.
    var isCalm = false

    init(seed: UInt64, round: Int) {
        self.seed = "\(seed), round \(round)"
        random = SplitMix64.forCase(round, of: seed)
        var policy = WorkerPool.Policy(workers: Int.random(in: 1...8, using: &random), engine: "test")
        policy.spares = Int.random(in: 0...2, using: &random)
        policy.leaseTimeout = .seconds(3)
        policy.stallTimeout = .seconds(6)
        policy.startTimeout = .seconds(5)
        policy.startAttempts = 30
        // Half of the farms have nodes, some of them nothing else.
        let count = round.isMultiple(of: 2) ? 0 : Int.random(in: 1...3, using: &random)
        policy.hasRemote = count > 0
        if count > 0, Int.random(in: 0...2, using: &random) == 0 { policy.workers = 0 }
        let leases = LeaseTable(policy: LeaseTable.Policy(lossesPerJob: 6))
        broker = Broker(leases: leases, pool: WorkerPool(policy: policy))
        replayed = leases
        ledger = JobLedger(seed: self.seed)
        addNodes(count)
    }

    mutating func chance(_ probability: Double) -> Bool { Double.random(in: 0..<1, using: &random) < probability }
    mutating func time(_ milliseconds: ClosedRange<Int>) -> Duration {
        .milliseconds(Int.random(in: milliseconds, using: &random))
    }

    // MARK: The course of events

    mutating func run(jobs count: Int) {
        let waves = 3
        for wave in 0..<waves {
            let specs = (0..<count / waves).map { index in
                let kind = Self.kinds.randomElement(using: &random) ?? "fine"
                let id = JobID("\(kind)-\(wave)-\(index)")
                kindOf[id] = kind
                let libraries = Set(chance(0.5) ? [] : ["a", "b", "c"].filter { _ in chance(0.4) })
                librariesOf[id] = libraries
                let needs: Set<String> = !nodes.isEmpty && chance(0.15) ? [Self.tag] : []
                needsOf[id] = needs
                return JobSpec(
                    id: id, kind: kind, priority: Int.random(in: 0...2, using: &random),
                    flow: JobSpec.Flow(name: needs.isEmpty ? "any" : "needy"),
                    sequence: chance(0.5) ? .init(group: "g\(wave)", index: index) : nil, libraries: libraries,
                    needs: needs, mayRunTwice: chance(0.7))
            }
            feed(.submit(specs))
            for _ in 0..<100 { step() }
            if chance(0.5) { cancel(specs.filter { _ in chance(0.2) }.map(\.id)) }
        }
        for _ in 0..<30_000 where ends.count < kindOf.count {
            step()
            if now > .seconds(120) { isCalm = true }
        }
        #expect(
            ends.count == kindOf.count, "seed \(seed): jobs never ended: \(Set(kindOf.keys).subtracting(ends.keys))")
        feed(.shutdown(graceful: chance(0.5)))
        for _ in 0..<400 where !isClosed { step() }
        #expect(isClosed, "seed \(seed): the broker did not close")
        #expect(processes.values.allSatisfy { $0.isDead || $0.origin != nil }, "seed \(seed): a process is left")
    }

    private mutating func cancel(_ ids: [JobID]) {
        cancelled.formUnion(ids)
        feed(.cancel(ids))
    }

    private mutating func step() {
        now += time(10...90)
        // Now and then the host itself is stopped.
        if !isCalm, chance(0.0005) { now += .seconds(20) }
        deliver()
        for kill in kills where kill.at <= now { die(kill.worker, WorkerExit(.signal(9))) }
        kills.removeAll { $0.at <= now }
        hinderNodes()
        for worker in order { live(worker) }
        order.removeAll { processes[$0]?.isDead ?? true }
        let due = pending.filter { $0.at <= now }
        pending.removeAll { $0.at <= now }
        for (_, event) in due { feed(event) }
        feed(.tick)
    }

    private mutating func deliver() {
        let due = flights.filter { $0.at <= now }.sorted { $0.at < $1.at }
        flights.removeAll { $0.at <= now }
        for flight in due {
            if flight.isToHost, let node = flight.worker.node, nodes[node]?.isRevoked ?? true {
                // The driver drops it.
            } else if flight.isToHost {
                feed(.message(flight.message, from: flight.worker))
            } else {
                hear(flight.message, flight.worker)
            }
        }
        if !isCalm, chance(0.01), let worker = order.randomElement(using: &random) {
            feed(
                .problem(
                    [.notOurs, .malformed("x"), .frames(count: 1)].randomElement(using: &random) ?? .notOurs,
                    from: worker))
        }
    }

    mutating func transmit(_ message: Message, _ worker: WorkerID, toHost: Bool) {
        if !isCalm, chance(0.02) || isCut(worker) { return }
        let copies = !isCalm && chance(0.1) ? 2 : 1
        for _ in 0..<copies {
            let delay = !isCalm && chance(0.04) ? time(0...5000) : time(0...60)
            flights.append(Flight(at: now + delay, message: message, worker: worker, isToHost: toHost))
        }
    }

    // MARK: The worker's side

    private mutating func live(_ id: WorkerID) {
        guard var process = processes[id], !process.isDead, process.frozenUntil <= now else { return }
        if process.origin != nil { return liveElsewhere(id) }
        if !isCalm {
            if chance(0.002) { return die(id, WorkerExit(.signal(9))) }
            if chance(0.002) { process.frozenUntil = now + time(100...6000) }
        }
        defer { if processes[id]?.isDead == false { processes[id] = process } }
        if let run = process.run {
            switch run.kind {
            case "hang": return
            case "crash" where now >= run.endsAt,
                "crash-once" where now >= run.endsAt && !marks.contains(run.lease.job):
                marks.insert(run.lease.job)
                return die(id, WorkerExit(.signal(11), errorTail: "crash"))
            default: break
            }
            if now >= process.nextBeat {
                process.nextBeat = now + .milliseconds(500)
                if run.kind != "stall" { process.run?.done += 1 }
                transmit(.heartbeat(run.lease, Progress(done: process.run?.done ?? 0)), id, toHost: true)
            }
            guard run.isCancelled || (now >= run.endsAt && run.kind != "stall") else { return }
            let message = outcome(of: run)
            process.run = nil
            process.unacknowledged.append((run.lease, message))
            transmit(message, id, toHost: true)
            process.nextBeat = now
        } else {
            if now >= process.nextBeat {
                process.nextBeat = now + .milliseconds(500)
                let hello = WorkerIntroduction(worker: id.name, process: 1, engine: "test")
                if !process.isWelcome {
                    transmit(.hello(hello), id, toHost: true)
                } else if !process.isStopping {
                    transmit(.ready, id, toHost: true)
                }
            }
            if process.isStopping, process.unacknowledged.isEmpty, chance(0.05) { return die(id, WorkerExit(.code(0))) }
            if now >= process.nextRepeat {
                process.nextRepeat = now + .seconds(2)
                for result in process.unacknowledged { transmit(result.message, id, toHost: true) }
            }
        }
    }

    mutating func outcome(of run: Process.Run) -> Message {
        if run.isCancelled { return .failed(run.lease, JobFailure(.cancelled, "cancelled")) }
        switch run.kind {
        case "input": return .failed(run.lease, JobFailure(.input, "wrong input"))
        case "internal": return .failed(run.lease, JobFailure(.internal, "internal"))
        case "busy": return .failed(run.lease, JobFailure(.plugin, "busy", isTransient: true))
        case "busy-once" where marks.insert(run.lease.job).inserted:
            return .failed(run.lease, JobFailure(.plugin, "busy", isTransient: true))
        case "internal-once" where marks.insert(run.lease.job).inserted:
            return .failed(run.lease, JobFailure(.internal, "internal"))
        default: return .completed(run.lease, result: Data("\(run.lease)".utf8))
        }
    }

    private mutating func hear(_ message: Message, _ id: WorkerID) {
        guard var process = processes[id], !process.isDead else { return }
        if process.origin != nil { return hearElsewhere(message, id) }
        defer { processes[id] = process }
        switch message {
        case .welcome:
            process.isWelcome = true
            process.nextBeat = now
        case .introduceYourself: process.isWelcome = false
        case .refused: Issue.record("seed \(seed): \(id) was refused")
        case .stop: process.isStopping = true
        case .acknowledge(let lease): process.unacknowledged.removeAll { $0.lease == lease }
        case .cancel(let lease):
            process.unacknowledged.removeAll { $0.lease == lease }
            if process.run?.lease == lease { process.run?.isCancelled = true }
        case .share(_, let threads): checkShare(threads)
        case .assign(let lease, let job):
            guard lease.epoch > process.lastEpoch else { return }
            checkShare(job.threads)
            #expect(process.run == nil, "seed \(seed): a second job for \(id)")
            process.lastEpoch = lease.epoch
            checkExclusive(lease, id)
            let libraries = librariesOf[lease.job] ?? []
            #expect(
                process.libraries.isSubset(of: libraries),
                "seed \(seed): \(lease) with \(libraries) runs where \(process.libraries) were left")
            process.libraries.formUnion(libraries)
            process.run = Process.Run(lease: lease, kind: job.kind, endsAt: now + length())
        default: Issue.record("seed \(seed): the host said \(message)")
        }
    }

    /// The threads of a job are at least one, and at most as many as workers may serve.
    private func checkShare(_ threads: Int) {
        let most = max(1, broker.pool.policy.workers)
        #expect((1...most).contains(threads), "seed \(seed): \(threads) threads for one of \(most) workers")
    }

    /// How long a run takes. Some machines are slow for a while.
    mutating func length() -> Duration { !isCalm && chance(0.2) ? time(8000...30_000) : time(20...2000) }

    /// Ends a process; the broker learns of it some time later.
    private mutating func die(_ id: WorkerID, _ exit: WorkerExit) {
        guard processes[id]?.isDead == false else { return }
        if let job = processes[id]?.run?.lease.job {
            if exit.status.isFromOutside { losses[job, default: 0] += 1 } else { faults[job, default: 0] += 1 }
        }
        processes[id]?.isDead = true
        let seen = now + time(0...300)
        pending.append((seen, .ended(id)))
        pending.append((seen + (chance(0.5) ? .zero : time(0...8000)), .exited(id, exit)))
    }

    // MARK: What the broker does

    mutating func feed(_ event: Broker.Event) {
        let actions = broker.handle(event, at: now)
        for case .job(let transition) in actions {
            replayed.apply(transition)
            ledger.take(transition, at: now)
            switch transition {
            case .leased(let lease, _): current[lease.job] = [lease]
            case .backupAdded(let lease, _): current[lease.job]?.insert(lease)
            case .runDropped(let lease, _): current[lease.job]?.remove(lease)
            default: break
            }
        }
        checkReplay(afterChange: actions.contains { if case .job = $0 { true } else { false } })
        for action in actions { perform(action) }
        let live = broker.pool.workers.values.count { $0.isLive && !$0.isRemote }
        #expect(live <= broker.pool.policy.workers && broker.pool.room >= 0, "seed \(seed): \(live) workers at once")
        for (id, worker) in broker.pool.workers where worker.work != nil {
            let needs = worker.work.flatMap { needsOf[$0.lease.job] } ?? []
            #expect(needs.isSubset(of: worker.tags), "seed \(seed): \(id) lacks what its job needs")
        }
    }

    /// Checks that a replay of the transitions equals the broker's state: after each transition
    /// and, because nothing may change without one, now and then between them.
    private mutating func checkReplay(afterChange: Bool) {
        guard afterChange || random.chance(1, in: 50) else { return }
        #expect(ledger.difference(to: broker.leases) == nil, "seed \(seed)")
        #expect(ledger.difference(to: replayed) == nil, "seed \(seed)")
        #expect(replayed.lastEpoch == broker.leases.lastEpoch && ledger.lastEpoch == replayed.lastEpoch, "seed \(seed)")
        #expect(replayed.waiting.ids == broker.leases.waiting.ids, "seed \(seed)")
        // The broker must not notice the difference.
        if random.chance(1, in: 20) { broker.leases = replayed }
    }

    private mutating func perform(_ action: Broker.Action) {
        switch action {
        case .spawn(let id):
            if !isCalm, chance(0.05) {
                pending.append((now, .spawnFailed(id, reason: "no memory")))
            } else {
                processes[id] = Process(nextBeat: now + time(10...200))
                order.append(id)
                if !isCalm, chance(0.05) { die(id, WorkerExit(.code(1))) }
            }
        case .kill(let id): kills.append((now + time(0...600), id))
        case .send(let message, let id):
            if case .assign(let lease, _) = message {
                if assigned.insert(lease).inserted { checkExclusive(lease, id) }
            }
            transmit(message, id, toHost: false)
        case .job(.completed(let job, let result)):
            end(job)
            #expect(
                current[job]?.contains { "\($0)" == String(decoding: result, as: UTF8.self) } == true,
                "seed \(seed): an old run's result")
            #expect(
                ["fine", "crash-once", "internal-once", "busy-once"].contains(kindOf[job]),
                "seed \(seed): \(job) completed")
        case .job(.failed(let job, let failure)):
            end(job)
            checkReason(job, failure)
        case .job(.cancelled(let job)):
            end(job)
            #expect(cancelled.contains(job), "seed \(seed): \(job) was cancelled by nobody")
        case .closed: isClosed = true
        case .job, .progressed, .log: break
        }
    }

    private mutating func end(_ job: JobID) {
        ends[job, default: 0] += 1
        #expect(ends[job] == 1, "seed \(seed): \(job) ended twice")
    }

    /// Checks that no live process of this machine runs the job under another lease, except one of
    /// two runs of a late job. A remote one may: its messages and files have another epoch.
    private func checkExclusive(_ lease: Lease, _ holder: WorkerID) {
        for (id, process) in processes where id != holder && !process.isDead && process.origin == nil {
            #expect(
                process.run?.lease.job != lease.job
                    || process.run.map { current[lease.job]?.contains($0.lease) ?? false } == true,
                "seed \(seed): \(lease) was given to \(holder) while \(id) runs it"
            )
        }
    }

    private func checkReason(_ job: JobID, _ failure: JobFailure) {
        #expect(!failure.message.isEmpty)
        let text = failure.message
        let isOfItsKind =
            switch kindOf[job] {
            case "input": failure.category == .input
            case "internal", "busy": text == kindOf[job]
            // The broker ended the worker of a run that hung or fell silent: that counts, too.
            case "crash", "crash-once":
                text.contains("crashed")
                    && faults[job, default: 0]
                        + failure.details.count { $0.contains("made no progress") || $0.contains("was silent") } >= 3
            default: false
            }
        // Whatever a job does, its worker may each time have been lost, have hung, or have fallen
        // silent in foreign code.
        #expect(
            isOfItsKind || ["lost", "no progress", "was silent"].contains { text.contains($0) },
            "seed \(seed): \(job) failed because: \(text)")
        if text.contains("lost") { #expect(failure.details.count >= 6) }
    }
}

@Suite struct BrokerSimulationTests {
    @Test(arguments: 0..<6) func everyJobEndsOnceWhateverHappens(round: Int) { Self.simulate(round) }

    /// More rounds.
    @Suite struct Sweep {
        @Test(arguments: 0..<48) func everyJobEndsOnceWhateverHappens(round: Int) { simulate(round) }

        @Test func nodesAreLostAndTheirLateResultsAreRefused() { loseNodes(rounds: 8) }
    }

    private static func simulate(_ round: Int) {
        let seed = round % 6 == 0 ? Seed.announced(for: "broker simulation", cases: 6) : Seed.current
        var simulation = BrokerSimulation(seed: seed, round: round)
        simulation.run(jobs: 60)
    }

    /// Farms with nodes, until all faults have occurred.
    @Test func nodesAreLostAndTheirLateResultsAreRefused() { Self.loseNodes(rounds: 2) }

    /// Loses nodes.
    /// - Parameter rounds: the least number; as many more follow as needed, up to 30.
    private static func loseNodes(rounds: Int) {
        let seed = Seed.announced(for: "broker simulation with nodes", cases: rounds)
        var (losses, stale, strangers, backups) = (0, 0, 0, 0)
        var isSeen: Bool { losses > 5 && stale > 5 && strangers > 5 && backups > 0 }
        for round in stride(from: 101, to: 161, by: 2) where round < 101 + 2 * rounds || !isSeen {
            var simulation = BrokerSimulation(seed: seed, round: round)
            simulation.run(jobs: 60)
            losses += simulation.broker.counters.losses
            stale += simulation.broker.counters.stale
            strangers += simulation.broker.counters.strangers
            backups += simulation.broker.counters.backups
        }
        #expect(isSeen, "seed \(seed): \(losses), \(stale), \(strangers), \(backups)")
    }
}
