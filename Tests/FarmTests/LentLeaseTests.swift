import FoundationEssentials
import Messaging
import Testing

@testable import Farm

/// Leases from an earlier queue continue if the node comes back with them and the job is submitted
/// again.
@Suite struct LentLeaseTests {
    private static let slot: WorkerID = "n/1", other: WorkerID = "m/1"
    private static let lease = Lease(job: "a", epoch: 7)

    private func bench() -> BrokerBench {
        var bench = BrokerBench(workers: 0) { $0.hasRemote = true }
        bench.broker = Broker(
            leases: LeaseTable(lastEpoch: 99), pool: bench.broker.pool,
            lent: LentLeases([LentLease(Self.lease, of: Self.slot)]))
        return bench
    }

    private func hello(_ leases: [Lease] = []) -> Message {
        .hello(
            WorkerIntroduction(
                worker: "", process: 1, engine: "test", node: NodeIntroduction(session: "s", leases: leases)))
    }

    @Test func aResultOfBeforeCounts() throws {
        var bench = bench()
        bench.say(hello([Self.lease]), from: Self.slot)
        bench.say(.ready, from: Self.slot)
        let report = Message.completed(Self.lease, result: Data([7]))
        #expect(bench.say(report, from: Self.slot).isEmpty, "its job has not come: it is said again")
        // A job that a render needs before it submits its parts.
        #expect(bench.submit("probe").assigned.map(\.lease) == [Lease(job: "probe", epoch: 100)])
        #expect(bench.submit("a").assigned.isEmpty, "nobody else gets the job")
        bench.say(hello(), from: Self.other)
        #expect(bench.say(.ready, from: Self.other).assigned.isEmpty)
        #expect(bench.say(report, from: Self.slot).sends(.acknowledge(Self.lease), to: Self.slot))
        #expect(bench.end(of: "a") == .job(.completed("a", result: Data([7]))))
        #expect(bench.lease(of: Self.slot)?.job == "probe", "that goes on")
    }

    @Test func aSlotThatIsLostMeanwhileLosesIt() throws {
        var bench = bench()
        bench.say(hello([Self.lease]), from: Self.slot)
        bench.submit("a")
        bench.pass(.seconds(16))
        #expect(bench.broker.leases.waiting.count == 1)
        bench.say(hello([Self.lease]), from: Self.slot)
        let answer = bench.say(.completed(Self.lease, result: Data()), from: Self.slot)
        #expect(answer.sends(.cancel(Self.lease), to: Self.slot))
    }

    @Test func aRunOfBeforeGoesOn() throws {
        var bench = bench()
        bench.submit("a")
        #expect(bench.say(.heartbeat(Self.lease, Progress()), from: Self.slot).sends(.introduceYourself, to: Self.slot))
        bench.say(hello([Self.lease]), from: Self.slot)
        let beat = bench.say(.heartbeat(Self.lease, Progress(done: 1, total: 2, steps: 1)), from: Self.slot)
        #expect(beat == [.progressed("a", Progress(done: 1, total: 2, steps: 1))])
        #expect(
            bench.say(.completed(Self.lease, result: Data()), from: Self.slot).sends(
                .acknowledge(Self.lease), to: Self.slot))
        #expect(bench.broker.lent.isEmpty && bench.broker.leases.isEmpty)
    }

    @Test func whoComesWithoutItHasLostIt() throws {
        var bench = bench()
        bench.submit("a")
        bench.say(hello(), from: Self.slot)
        let lease = try #require(bench.say(.ready, from: Self.slot).assigned.first?.lease)
        #expect(lease.job == "a" && lease.epoch == 100 && bench.broker.counters.losses == 1)
    }

    @Test func whoDoesNotComeLosesIt() throws {
        var bench = bench()
        bench.submit("a")
        bench.pass(.seconds(14))
        #expect(bench.broker.leases.waiting.isEmpty)
        bench.pass(.seconds(2))
        #expect(bench.broker.leases.waiting.count == 1)
        // Its later reports do not count.
        bench.say(hello([Self.lease]), from: Self.slot)
        let answer = bench.say(.completed(Self.lease, result: Data()), from: Self.slot)
        #expect(answer.sends(.cancel(Self.lease), to: Self.slot))
    }

    @Test func whatNobodyAsksForIsCancelled() throws {
        var bench = bench()
        bench.say(hello([Self.lease]), from: Self.slot)
        let beat = Message.heartbeat(Self.lease, Progress())
        #expect(!bench.say(beat, from: Self.slot).sends(.cancel(Self.lease), to: Self.slot))
        bench.pass(.seconds(125), alive: [Self.slot])
        #expect(bench.broker.lent.isEmpty)
        #expect(bench.say(beat, from: Self.slot).sends(.cancel(Self.lease), to: Self.slot))
        bench.submit("a")
        #expect(bench.lease(of: Self.slot)?.epoch == 100)
    }

    @Test func anothersNameIsNoUse() throws {
        var bench = bench()
        bench.say(hello([Self.lease]), from: Self.other)
        bench.submit("a")
        let answer = bench.say(.completed(Self.lease, result: Data()), from: Self.other)
        #expect(answer.sends(.cancel(Self.lease), to: Self.other), "it is no lease of that worker's")
    }

    @Test(arguments: [true, false]) func aCancelledJobEnds(byShutdown: Bool) throws {
        var bench = bench()
        bench.submit("a")
        if byShutdown {
            #expect(bench.feed(.shutdown(graceful: true)).contains(.closed))
        } else {
            bench.feed(.cancel(["a"]))
        }
        #expect(bench.end(of: "a") == .job(.cancelled("a")))
    }
}
