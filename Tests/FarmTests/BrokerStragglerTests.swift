import FoundationEssentials
import Messaging
import Testing

@testable import Farm

/// Late jobs near the end of a flow get backup runs.
@Suite struct BrokerStragglerTests {
    private static let slow: WorkerID = "slow/1", fast: WorkerID = "fast/1", third: WorkerID = "third/1"

    private static func spec(_ name: String, mayRunTwice: Bool = true, _ change: (inout JobSpec) -> Void = { _ in })
        -> JobSpec
    {
        var spec = JobSpec(id: JobID(name), kind: "segment", mayRunTwice: mayRunTwice)
        change(&spec)
        return spec
    }

    private func join(_ bench: inout BrokerBench, _ id: WorkerID, tags: [String] = []) {
        let node = NodeIntroduction(session: "s-\(id)", tags: tags)
        bench.say(.hello(WorkerIntroduction(worker: "", process: 1, engine: "test", node: node)), from: id)
        bench.say(.ready, from: id)
    }

    private func done(_ bench: inout BrokerBench, _ id: WorkerID) throws {
        let lease = try #require(bench.lease(of: id))
        bench.say(.completed(lease, result: Data("\(lease)".utf8)), from: id)
        bench.say(.ready, from: id)
    }

    /// Three jobs have taken a second each; the slow worker has had the last one since the first of
    /// them.
    private func late(_ last: JobSpec = spec("late"), helpers: [WorkerID] = [fast]) throws -> BrokerBench {
        var bench = BrokerBench(workers: 0) { $0.hasRemote = true }
        join(&bench, Self.slow, tags: Array(last.needs))
        bench.feed(.submit([last]))
        #expect(bench.lease(of: Self.slow)?.job == last.id)
        for helper in helpers { join(&bench, helper) }
        for number in 0..<3 {
            bench.feed(.submit([Self.spec("quick-\(number)")]))
            bench.pass(.seconds(1), alive: [Self.slow] + helpers)
            try done(&bench, try #require(helpers.first { bench.lease(of: $0)?.job.name == "quick-\(number)" }))
        }
        return bench
    }

    private var all: [WorkerID] { [Self.slow, Self.fast, Self.third] }

    @Test func theFirstToFinishCountsAndTheOtherIsToldToStop() throws {
        for winner in [Self.slow, Self.fast] {
            var bench = try late()
            let first = try #require(bench.lease(of: Self.slow))
            let actions = bench.pass(.seconds(1), alive: all)
            #expect(actions.assigned.map(\.worker) == [Self.fast])
            let second = try #require(bench.lease(of: Self.fast))
            #expect(second.job == "late" && second.epoch > first.epoch && bench.broker.counters.backups == 1)
            #expect(bench.pass(.seconds(5), alive: all).assigned.isEmpty, "twice is enough")
            let (won, lost) = winner == Self.slow ? (first, second) : (second, first)
            let loser = winner == Self.slow ? Self.fast : Self.slow
            let end = bench.say(.completed(won, result: Data("won".utf8)), from: winner)
            #expect(end.contains(.job(.completed("late", result: Data("won".utf8)))))
            #expect(end.sends(.acknowledge(won), to: winner) && end.sends(.cancel(lost), to: loser))
            // Its reports change nothing, and it gets nothing until it has stopped.
            #expect(bench.say(.heartbeat(lost, Progress(done: 9)), from: loser).sends(.cancel(lost), to: loser))
            bench.feed(.submit([Self.spec("next")]))
            #expect(bench.lease(of: loser) == lost)
            let late = bench.say(.completed(lost, result: Data("late".utf8)), from: loser)
            #expect(late.sends(.acknowledge(lost), to: loser) && late.count == 1)
            #expect(bench.say(.completed(lost, result: Data()), from: loser).sends(.cancel(lost), to: loser))
            bench.say(.ready, from: winner)
            bench.say(.ready, from: loser)
            #expect(bench.lease(of: winner)?.job == "next" || bench.lease(of: loser)?.job == "next")
        }
    }

    /// Multiplying by the reported number would overflow a duration.
    @Test func aLateWorkerThatSaysExtremesIsLateAllTheSame() throws {
        var bench = try late()
        let lease = try #require(bench.lease(of: Self.slow))
        var (header, _) = Message.heartbeat(lease, Progress(done: 1)).encoded()
        for offset in 24..<32 { header[header.startIndex + offset] = offset == 31 ? 0x7F : 0xFF }
        bench.say(try Message.decode([header, Data(count: 8)]).get(), from: Self.slow)
        #expect(bench.pass(.seconds(1), alive: [Self.fast]).assigned.map(\.worker) == [Self.fast])
    }

    @Test func whoWasLateChoosesLastUntilItKeepsUp() throws {
        var bench = try late()
        bench.pass(.seconds(1), alive: all)
        #expect(bench.broker.pool.workers[Self.slow]?.isLate == true)
        try done(&bench, Self.slow)
        bench.say(.failed(try #require(bench.lease(of: Self.fast)), JobFailure(Cancelled())), from: Self.fast)
        bench.say(.ready, from: Self.fast)
        // It asked first.
        bench.feed(.submit([Self.spec("next")]))
        #expect(bench.lease(of: Self.fast)?.job == "next" && bench.lease(of: Self.slow) == nil)
        // Alone it is asked.
        bench.feed(.submit([Self.spec("more")]))
        #expect(bench.lease(of: Self.slow)?.job == "more")
        bench.pass(.seconds(1), alive: all)
        try done(&bench, Self.slow)
        #expect(bench.broker.pool.workers[Self.slow]?.isLate == false)
    }

    @Test func whatComesToNothingLeavesTheOtherRunAlone() throws {
        let failures: [JobFailure] = [
            JobFailure(.input, "It is wrong."), JobFailure(.declined, "It has no folder."),
            JobFailure(.internal, "Oops."),
            JobFailure(.cancelled, "It was told to."), JobFailure(.plugin, "Once.", fault: JobFault("it crashed")),
        ]
        for failure in failures {
            for isFirst in [false, true] {
                var bench = try late()
                bench.pass(.seconds(1), alive: all)
                let (loser, other) = isFirst ? (Self.slow, Self.fast) : (Self.fast, Self.slow)
                let (lost, kept) = (try #require(bench.lease(of: loser)), try #require(bench.lease(of: other)))
                #expect(bench.say(.failed(lost, failure), from: loser).sends(.acknowledge(lost), to: loser))
                #expect(bench.end(of: "late") == nil && bench.lease(of: other) == kept, "\(failure)")
                let job = try #require(bench.broker.leases.jobs["late"])
                #expect(job.holder?.lease == kept && job.backup == nil && job.faults == (failure.fault == nil ? 0 : 1))
                bench.say(.completed(kept, result: Data([1])), from: other)
                #expect(bench.end(of: "late") == .job(.completed("late", result: Data([1]))))
            }
        }
    }

    @Test func aWorkerThatIsLostLeavesTheOtherRunAlone() throws {
        for loser in [Self.slow, Self.fast] {
            var bench = try late()
            bench.pass(.seconds(1), alive: all)
            let other = loser == Self.slow ? Self.fast : Self.slow
            let kept = try #require(bench.lease(of: other))
            bench.say(.goodbye, from: loser)
            #expect(bench.broker.leases.jobs["late"]?.holder?.lease == kept)
            // Both are gone: it waits again, like any other.
            bench.say(.goodbye, from: other)
            #expect(bench.broker.leases.jobs["late"]?.phase == .waiting)
        }
    }

    @Test func aCancelledJobEndsBothRuns() throws {
        var bench = try late()
        bench.pass(.seconds(1), alive: all)
        let (first, second) = (try #require(bench.lease(of: Self.slow)), try #require(bench.lease(of: Self.fast)))
        let actions = bench.feed(.cancel(["late"]))
        #expect(actions.sends(.cancel(first), to: Self.slow) && actions.sends(.cancel(second), to: Self.fast))
        bench.say(.failed(first, JobFailure(.cancelled, "Yes.")), from: Self.slow)
        #expect(bench.end(of: "late") == .job(.cancelled("late")))
        bench.say(.failed(second, JobFailure(.cancelled, "Yes.")), from: Self.fast)
        #expect(bench.lease(of: Self.fast) == nil)
    }

    /// A loser that does not stop is lost, like any other that does not stop a cancelled job.
    @Test func aLoserThatDoesNotStopIsGivenUp() throws {
        var bench = try late()
        bench.pass(.seconds(1), alive: all)
        let second = try #require(bench.lease(of: Self.fast))
        bench.say(.completed(second, result: Data()), from: Self.fast)
        bench.pass(.seconds(7), alive: all)
        #expect(bench.broker.pool.workers[Self.slow] != nil)
        bench.pass(.seconds(2), alive: all)
        #expect(bench.broker.pool.workers[Self.slow] == nil && bench.broker.leases.isEmpty)
    }

    @Test func onlyWhatIsLateIsGivenOutTwiceAndOnlyWhereItMay() throws {
        // A job that must not run twice, one with a tag that the other lacks, and one that must not
        // go to the other's machine.
        for last in [Self.spec("late", mayRunTwice: false), Self.spec("late") { $0.needs = ["gpu"] }] {
            var bench = try late(last)
            #expect(bench.pass(.seconds(20), alive: all).assigned.isEmpty, "\(last.needs)")
        }
        // A nearly completed job.
        var bench = try late()
        let lease = try #require(bench.lease(of: Self.slow))
        bench.say(.heartbeat(lease, Progress(done: 90, total: 100)), from: Self.slow)
        #expect(bench.pass(.seconds(3), alive: all).assigned.isEmpty)
        // Other workers of the same node have no more resources than the first one.
        bench = try late()
        bench.say(.goodbye, from: Self.fast)
        join(&bench, "slow/2")
        #expect(bench.pass(.seconds(20), alive: all + ["slow/2"]).assigned.isEmpty)
        // While other jobs of its flow wait, they come first.
        bench = try late(helpers: [Self.fast, Self.third])
        bench.feed(.submit([Self.spec("other") { $0.needs = ["gpu"] }]))
        #expect(bench.pass(.seconds(20), alive: all).assigned.isEmpty)
    }

    /// Nothing else of a flow is like the job that joins its parts. It is late when it takes long
    /// compared with the flow and with its bytes, and never within ten seconds.
    @Test(arguments: [(segment: 1, bytes: 0, late: 10), (100, 0, 100), (1, 125_000_000, 30)])
    func `a job that joins parts is late compared with its flow`(segment: Int, bytes: Int64, late: Int) throws {
        var bench = BrokerBench(workers: 0) { $0.hasRemote = true }
        for id in [Self.fast, Self.third] { join(&bench, id) }
        for number in 0..<4 { bench.feed(.submit([Self.spec("\(number)")])) }
        for _ in 0..<2 {
            for _ in 0..<segment { bench.pass(.seconds(1), alive: all) }
            for id in [Self.fast, Self.third] { try done(&bench, id) }
        }
        for id in [Self.fast, Self.third] { bench.say(.goodbye, from: id) }
        join(&bench, Self.slow)
        let whole = JobSpec(id: "whole", kind: "assemble", mayRunTwice: true, joined: bytes)
        bench.feed(.submit([whole]))
        #expect(bench.lease(of: Self.slow)?.job == "whole")
        join(&bench, Self.fast)
        for _ in 0..<late { #expect(bench.pass(.seconds(1), alive: all).assigned.isEmpty) }
        #expect(bench.pass(.seconds(1), alive: all).assigned.map(\.worker) == [Self.fast])
        #expect(bench.lease(of: Self.fast)?.job == "whole" && bench.broker.pool.workers[Self.slow]?.isLate == true)
    }

    /// A flow has run other kinds of jobs, such as probes, and few segments.
    @Test func `a part is not compared with other kinds of jobs`() throws {
        var bench = BrokerBench(workers: 0) { $0.hasRemote = true }
        for id in all { join(&bench, id) }
        for number in 0..<4 {
            bench.feed(.submit([Self.spec("probe-\(number)") { $0.kind = "probe" }]))
            try done(&bench, try #require(all.first { bench.lease(of: $0) != nil }))
        }
        bench.feed(.submit([Self.spec("0"), Self.spec("1")]))
        let holders = all.filter { bench.lease(of: $0) != nil }
        #expect(bench.pass(.seconds(60), alive: all).assigned.isEmpty)
        for id in holders { try done(&bench, id) }
        #expect(holders.allSatisfy { bench.broker.pool.workers[$0]?.isLate == false })
    }

    /// The product overflowed a duration.
    @Test func `the usual time of costly jobs is bounded after one that took centuries`() throws {
        var paces = Paces()
        let old = JobSpec(id: "old", kind: "segment")
        let costly = JobSpec(id: "costly", kind: "segment", cost: .max)
        for _ in 0..<Paces.enough {
            #expect(paces.expected(costly) == nil)
            paces.finished(old, after: .seconds(20_000_000_000), by: Self.slow)
        }
        #expect(paces.expected(costly) == Paces.longest && paces.expected(old) == Paces.longest)
        let whole = JobSpec(id: "whole", kind: "assemble", cost: .max, joined: .max)
        #expect(try #require(paces.expected(whole)) > Paces.longest)
    }

    /// A failed backup run may be followed by another, but not for ever.
    @Test func backupsAreFew() throws {
        var bench = try late(helpers: [Self.fast, Self.third])
        var count = 0
        for _ in 0..<20 {
            bench.pass(.seconds(1), alive: all)
            guard let helper = [Self.fast, Self.third].first(where: { bench.lease(of: $0) != nil }) else { break }
            count += 1
            bench.say(.failed(try #require(bench.lease(of: helper)), JobFailure(.input, "No.")), from: helper)
            bench.say(.ready, from: helper)
        }
        #expect(count == LeaseTable.mostBackups && bench.end(of: "late") == nil)
    }
}
