import FoundationEssentials
import Messaging
import TestSupport
import Testing

@testable import Farm

extension LeaseTable {
    /// Leases the job that a worker without libraries should run next.
    fileprivate mutating func lease(
        to worker: WorkerID, after place: WaitingJobs.Place?, others: Walkers
    ) -> (lease: Lease, spec: JobSpec, transition: JobTransition)? {
        waiting.next(after: place, others: others).flatMap { lease($0, to: worker) }
    }
}

/// Jobs and leases without workers and messages, under any reports.
@Suite struct LeaseTableTests {
    @Test func aLeaseIsOverOnce() throws {
        var table = LeaseTable()
        #expect(table.submit(JobSpec("a", "test")) == .submitted(JobSpec("a", "test"), order: 1))
        #expect(table.submit(JobSpec("a", "test")) == nil)
        let lease = try #require(table.lease(to: "w1", after: nil, others: [])?.lease)
        #expect(table.jobs["a"]?.phase == .leased(lease, to: "w1") && table.job(under: lease, of: "w1") != nil)
        #expect(table.lease(to: "w2", after: nil, others: []) == nil)
        #expect(table.settle(lease, by: "w2", .success(Data()), at: .zero) == .outdated)
        #expect(
            table.settle(lease, by: "w1", .success(Data([1])), at: .zero)
                == .accepted(.completed("a", result: Data([1])), for: .stays))
        #expect(table.settle(lease, by: "w1", .success(Data([1])), at: .zero) == .repeated)
        #expect(table.lose(lease, of: "w1", .lost(reason: "", evidence: [])) == nil)
        #expect(table.isEmpty && table.waiting.isEmpty)
    }

    @Test func aTransientFailurePausesTheJobAndFreesItsWorker() throws {
        var table = LeaseTable()
        _ = table.submit(JobSpec("a", "test"))
        let lease = try #require(table.lease(to: "w1", after: nil, others: [])?.lease)
        let busy = JobFailure(.plugin, "Busy.", isTransient: true)
        let release = JobTransition.Release(
            cause: .retriableFailure, reason: "Busy.", evidence: ["worker w1: Busy."], pausedUntil: .seconds(4))
        #expect(
            table.settle(lease, by: "w1", .failure(busy), at: .seconds(3))
                == .accepted(.released("a", release), for: .makesRoom))
        #expect(table.jobs["a"]?.phase == .paused(until: .seconds(4)) && table.jobs["a"]?.retriableFailures == 1)
        #expect(table.lease(to: "w2", after: nil, others: []) == nil)
        #expect(table.resume(at: .milliseconds(3999)).isEmpty && table.hasPaused)
        #expect(table.resume(at: .seconds(4)) == [.resumed("a")] && !table.hasPaused)
        #expect(table.lease(to: "w2", after: nil, others: [])?.lease == Lease(job: "a", epoch: 2))
    }

    @Test func aCancelledJobEndsHoweverItsRunDoes() throws {
        let ends: [(String, (inout LeaseTable, Lease) -> JobTransition?, JobTransition)] = [
            ("its worker is lost", { $0.lose($1, of: "w1", .lost(reason: "", evidence: [])) }, .cancelled("a")),
            (
                "it crashes", { $0.lose($1, of: "w1", .fault(reason: "", evidence: [], culprit: nil, blame: nil)) },
                .cancelled("a")
            ),
            (
                "it fails",
                { table, lease in
                    let settlement = table.settle(lease, by: "w1", .failure(JobFailure(.internal, "")), at: .zero)
                    return if case .accepted(let transition, .stays) = settlement { transition } else { nil }
                }, .cancelled("a")
            ),
            (
                "it was done before it heard",
                { table, lease in
                    let settlement = table.settle(lease, by: "w1", .success(Data()), at: .zero)
                    return if case .accepted(let transition, .stays) = settlement { transition } else { nil }
                }, .completed("a", result: Data())
            ),
        ]
        for (name, end, expected) in ends {
            var table = LeaseTable()
            _ = table.submit(JobSpec("a", "test"))
            let lease = try #require(table.lease(to: "w1", after: nil, others: [])?.lease)
            #expect(table.cancel("a", at: .seconds(1)) == .cancelling("a", since: .seconds(1)))
            #expect(table.cancel("a", at: .seconds(2)) == nil && table.cancelled(lease) == .seconds(1))
            #expect(end(&table, lease) == expected, "\(name)")
            #expect(table.isEmpty)
        }
    }

    @Test func leasesGoOnAboveTheHighestEpoch() {
        var table = LeaseTable(lastEpoch: 41)
        _ = table.submit(JobSpec("a", "test"))
        #expect(table.lease(to: "w1", after: nil, others: [])?.lease.epoch == 42)
    }

    /// A transition that does not fit, as in a damaged journal, changes nothing.
    @Test func whatDoesNotFitChangesNothing() {
        var table = LeaseTable()
        _ = table.submit(JobSpec("a", "test"))
        let before = table.jobs
        let lease = Lease(job: "b", epoch: 1)
        for transition in [
            JobTransition.submitted(JobSpec("a", "other"), order: 9), .leased(lease, to: "w1"),
            .cancelling("a", since: .zero), .cancelling("b", since: .zero), .resumed("b"), .cancelled("b"),
            .released("a", .init(cause: .fault, reason: "", evidence: [])),
            .released("b", .init(cause: .fault, reason: "", evidence: [])), .resumed("a"),
            .completed("a", result: Data()),
        ] {
            table.apply(transition)
            #expect(table.jobs == before && table.waiting.ids == ["a"] && table.lastEpoch == 0, "\(transition)")
        }
    }

    /// Random reports, true, late and forged ones, compared with an oracle that knows the leases
    /// from outside.
    @Test func onlyTheHolderOfTheCurrentLeaseIsHeard() { Self.report(33) }

    /// More reports.
    @Suite struct Sweep {
        @Test func onlyTheHolderOfTheCurrentLeaseIsHeard() { report(100) }
    }

    private static func report(_ cases: Int) {
        Seed.rounds(cases, of: "lease table") { name, random in
            var run = RandomRun(seed: name, random: random)
            for _ in 0..<400 { run.step() }
        }
    }
}

/// A random run of a lease table, and an observer's knowledge.
private struct RandomRun {
    let seed: String
    var random: SplitMix64
    var table = LeaseTable(policy: LeaseTable.Policy(lossesPerJob: 3))
    var ledger: JobLedger
    var now = Duration.zero
    /// Every lease so far, with its holder.
    var given: [(lease: Lease, worker: WorkerID)] = []
    /// The leases that are over, and whether a report has ended them.
    var over: [Lease: Bool] = [:]

    init(seed: String, random: SplitMix64) {
        self.seed = seed
        self.random = random
        ledger = JobLedger(seed: seed)
    }

    mutating func step() {
        now += .milliseconds(Int.random(in: 0...300, using: &random))
        note(table.resume(at: now))
        #expect(
            !table.jobs.values.contains { if case .paused(let until) = $0.phase { until <= now } else { false } },
            "seed \(seed): a pause is over and the job does not go on")
        switch Int.random(in: 0..<20, using: &random) {
        case 0..<5: submit()
        case 5..<10: lease()
        case 10..<15: settle()
        case 15..<17: lose()
        case 17, 18:
            if let id = ledger.jobs.keys.sorted(by: { $0.name < $1.name }).randomElement(using: &random) { cancel(id) }
        default: if random.chance(1, in: 5) { note(table.failWaiting(JobFailure(.unavailable, "none"))) }
        }
        #expect(ledger.difference(to: table) == nil && ledger.lastEpoch == table.lastEpoch, "seed \(seed)")
        let waiting = ledger.jobs.values.filter { $0.phase == .waiting }.sorted { $0.order < $1.order }
        #expect(table.waiting.ids == waiting.map(\.spec.id), "seed \(seed)")
    }

    private mutating func note(_ transitions: [JobTransition]) {
        for transition in transitions { ledger.take(transition, at: now) }
    }

    private mutating func submit() {
        let id = JobID("job-\(Int.random(in: 0..<10, using: &random))")
        let spec = JobSpec(
            id: id, kind: "test", priority: Int.random(in: 0...2, using: &random),
            sequence: random.chance(1, in: 2) ? .init(group: "g", index: Int.random(in: 0..<20, using: &random)) : nil)
        let transition = table.submit(spec)
        #expect((transition == nil) == (ledger.jobs[id] != nil), "seed \(seed)")
        note(transition.map { [$0] } ?? [])
    }

    private mutating func lease() {
        let worker = WorkerID("w\(Int.random(in: 1...4, using: &random))")
        let place = WaitingJobs.Place(JobSpec(id: "x", kind: "", sequence: .init(group: "g", index: 7)))
        let best = ledger.jobs.values.filter { $0.phase == .waiting }.map(\.spec.priority).max()
        let new = table.lease(to: worker, after: random.chance(1, in: 2) ? place : nil, others: [])
        #expect(new?.spec.priority == best, "seed \(seed): a job of lower priority went first, or none did")
        guard let new else { return }
        given.append((new.lease, worker))
        note([new.transition])
    }

    private mutating func settle() {
        guard let (lease, holder) = given.randomElement(using: &random) else { return }
        let worker = random.chance(4, in: 5) ? holder : WorkerID("w\(Int.random(in: 1...4, using: &random))")
        let result: Result<Data, JobFailure> =
            switch Int.random(in: 0..<4, using: &random) {
            case 0: .success(Data("\(lease)".utf8))
            case 1: .failure(JobFailure(.input, "wrong"))
            case 2: .failure(JobFailure(.internal, "internal"))
            default: .failure(JobFailure(.plugin, "busy", isTransient: true))
            }
        switch table.settle(lease, by: worker, result, at: now) {
        case .accepted(let transition, _):
            #expect(over[lease] == nil && worker == holder, "seed \(seed): \(lease) was heard from \(worker)")
            over[lease] = true
            note([transition])
        case .repeated: #expect(over[lease] == true, "seed \(seed): \(lease) had not been heard before")
        case .outdated:
            #expect(
                over[lease] == false || (over[lease] == nil && worker != holder), "seed \(seed): \(lease) was not heard"
            )
        }
    }

    private mutating func lose() {
        guard let (lease, worker) = given.suffix(8).randomElement(using: &random) else { return }
        let loss: LeaseTable.Loss =
            random.chance(1, in: 2)
            ? .lost(reason: "lost", evidence: ["lost"])
            : .fault(reason: "fault", evidence: ["fault"], culprit: nil, blame: nil)
        let transition = table.lose(lease, of: worker, loss)
        #expect((transition != nil) == (over[lease] == nil), "seed \(seed): \(lease)")
        guard let transition else { return }
        over[lease] = false
        note([transition])
    }

    private mutating func cancel(_ id: JobID) {
        let isNew = !(ledger.jobs[id]?.isCancelling ?? true)
        let transition = table.cancel(id, at: now)
        #expect((transition != nil) == isNew, "seed \(seed)")
        note(transition.map { [$0] } ?? [])
    }
}
