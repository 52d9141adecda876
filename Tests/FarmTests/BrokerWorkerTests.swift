import FoundationEssentials
import Messaging
import Testing

@testable import Farm

/// How workers start, are watched, are refused, and end.
@Suite struct BrokerWorkerTests {
    @Test func workersAreSpawnedForWorkAndNoMoreThanAllowed() {
        var bench = BrokerBench(workers: 3)
        #expect(bench.feed(.tick).spawns == 0)
        #expect(bench.submit("a").spawns == 1)
        #expect(bench.submit("b", "c", "d", "e").spawns == 2)
    }

    @Test func aWorkerGetsNothingItDidNotAskFor() {
        var bench = BrokerBench(workers: 1)
        #expect(
            bench.submit("a", "b") == [
                .job(.submitted(JobSpec("a", "test"), order: 1)), .job(.submitted(JobSpec("b", "test"), order: 2)),
                .spawn("w1"),
            ])
        let worker: WorkerID = "w1"
        let hello = bench.say(.hello(WorkerIntroduction(worker: worker.name, process: 1, engine: "test")), from: worker)
        #expect(hello == [.send(.welcome(), to: worker)])
        #expect(bench.say(.ready, from: worker).assigned.count == 1)
        #expect(bench.say(.ready, from: worker).assigned.isEmpty, "one at a time")
    }

    @Test func anAssignmentThatGotLostIsGivenAgain() throws {
        var bench = BrokerBench(workers: 1)
        let worker = bench.start(bench.submit("a"))[0]
        let lease = try #require(bench.lease(of: worker))
        #expect(bench.say(.ready, from: worker).isEmpty, "its question may have crossed the answer")
        bench.now += .seconds(2)
        let again = bench.say(.ready, from: worker)
        #expect(again.assigned.map(\.lease) == [lease], "under the same lease")
        #expect(bench.say(.ready, from: worker).isEmpty)
    }

    @Test func aSilentWorkersJobIsFreeOnlyWhenItsEndWasSeen() throws {
        var bench = BrokerBench(workers: 2)
        let worker = bench.start(bench.submit("a"))[0]
        let lease = try #require(bench.lease(of: worker))
        let actions = bench.pass(.seconds(16))
        #expect(actions.kills == [worker])
        #expect(actions.spawns == 0 && actions.assigned.isEmpty)
        bench.pass(.seconds(60))
        #expect(bench.log.assigned.map(\.lease) == [lease], "not yet seen ended")
        let next = bench.start(bench.feed(.exited(worker, killed)))
        #expect(bench.lease(of: try #require(next.first))?.job == "a")
    }

    @Test func aResultThatArrivesBeforeTheEndIsSeenCounts() throws {
        var bench = BrokerBench(workers: 1)
        let worker = bench.start(bench.submit("a"))[0]
        let lease = try #require(bench.lease(of: worker))
        #expect(bench.pass(.seconds(16)).kills == [worker])
        bench.say(.completed(lease, result: Data()), from: worker)
        #expect(bench.end(of: "a") == .job(.completed("a", result: Data())))
        #expect(bench.feed(.exited(worker, killed)).spawns == 0)
    }

    @Test func anIdleWorkerThatFallsSilentIsReplacedWhenThereIsWork() throws {
        var bench = BrokerBench(workers: 1)
        let worker = bench.start(bench.submit("a"))[0]
        bench.say(.completed(try #require(bench.lease(of: worker)), result: Data()), from: worker)
        #expect(bench.pass(.seconds(16)).kills == [worker])
        bench.feed(.exited(worker, killed))
        #expect(bench.submit("b").spawns == 1)
    }

    @Test func aHeartThatBeatsWithoutProgressIsAStall() {
        var bench = BrokerBench(workers: 1)
        let first = bench.start(bench.submit("a"))[0]
        #expect(bench.pass(.seconds(59), alive: [first]).kills.isEmpty)
        #expect(bench.pass(.seconds(2), alive: [first]).kills == [first])
        let second = bench.start(bench.feed(.exited(first, killed)))[0]
        bench.pass(.seconds(61), alive: [second])
        let third = bench.start(bench.feed(.exited(second, killed)))[0]
        bench.pass(.seconds(61), alive: [third])
        #expect(bench.end(of: "a") == nil)
        bench.feed(.exited(third, killed))
        #expect(bench.failure(of: "a")?.message.contains("no progress") ?? false)
    }

    @Test func progressKeepsAJobAlive() throws {
        var bench = BrokerBench(workers: 1)
        let worker = bench.start(bench.submit("a"))[0]
        let lease = try #require(bench.lease(of: worker))
        for step in 1...10 {
            let actions = bench.say(.heartbeat(lease, Progress(done: step, total: 10)), from: worker)
            #expect(actions == [.progressed("a", Progress(done: step, total: 10))])
            #expect(bench.pass(.seconds(50), alive: [worker]).kills.isEmpty)
        }
    }

    @Test func aHeartbeatUnderAnOldLeaseStopsThatRun() throws {
        var bench = BrokerBench(workers: 1)
        let worker = bench.start(bench.submit("a"))[0]
        let old = Lease(job: "a", epoch: 999)
        #expect(bench.say(.heartbeat(old, Progress(done: 1)), from: worker) == [.send(.cancel(old), to: worker)])
    }

    @Test func nobodyIsBlamedForTheHostsOwnStandstill() {
        var bench = BrokerBench(workers: 1)
        let worker = bench.start(bench.submit("a"))[0]
        bench.pass(.seconds(1), alive: [worker])
        bench.now += .seconds(3600)
        #expect(bench.feed(.tick).kills.isEmpty)
        #expect(bench.pass(.seconds(14)).kills.isEmpty)
        #expect(bench.pass(.seconds(2)).kills == [worker])
    }

    @Test func strangersAreRefusedAndChangeNothing() {
        var bench = BrokerBench()
        let hello = WorkerIntroduction(worker: "x", process: 1, engine: "test")
        #expect(
            bench.say(.hello(hello), from: "x").contains { if case .send(.refused, "x") = $0 { true } else { false } })
        for message in [Message.ready, .goodbye, .stop, .completed(Lease(job: "a", epoch: 1), result: Data())] {
            #expect(bench.say(message, from: "x").isEmpty)
        }
        #expect(bench.broker.counters.strangers == 5)
        #expect(bench.feed(.exited("x", killed)).isEmpty)
    }

    @Test func otherBuildsAndVersionsAreRefusedWithTheReason() {
        for introduction in [
            WorkerIntroduction(worker: "w1", process: 1, engine: "other"),
            WorkerIntroduction(worker: "w1", process: 1, protocol: 99, engine: "test"),
        ] {
            var bench = BrokerBench(workers: 1)
            bench.submit("a")
            let reasons = bench.say(.hello(introduction), from: "w1").compactMap {
                if case .send(.refused(let reason), "w1") = $0 { reason } else { nil }
            }
            #expect(reasons.count == 1 && (reasons[0].contains("other") || reasons[0].contains("99")))
            #expect(bench.say(.ready, from: "w1").assigned.isEmpty)
        }
        var bench = BrokerBench(workers: 1)
        bench.submit("a")
        let actions = bench.feed(.problem(.version(7), from: "w1"))
        #expect(
            actions.contains { if case .send(.refused(let reason), "w1") = $0 { reason.contains("7") } else { false } })
    }

    @Test func garbageIsCountedAndLoggedLessAndLess() {
        var bench = BrokerBench(workers: 1)
        let worker = bench.start(bench.submit("a"))[0]
        for _ in 0..<1000 { bench.feed(.problem(.notOurs, from: worker)) }
        #expect(bench.broker.counters.problems == 1000)
        #expect(bench.log.count { if case .log(.warning, _, _, _) = $0 { true } else { false } } == 10)
        #expect(bench.lease(of: worker) != nil, "it goes on working")
    }

    @Test func aWorkerThatForgotToSayHelloIsAskedTo() {
        var bench = BrokerBench(workers: 1)
        bench.submit("a")
        #expect(bench.say(.ready, from: "w1") == [.send(.introduceYourself, to: "w1")])
    }

    @Test func startsThatFailAreTriedAgainWithPausesAndThenGivenUp() {
        var bench = BrokerBench(workers: 8)
        bench.feed(.submit((0..<8).map { JobSpec("j\($0)", "test") }))
        var attempts = 0
        while bench.failure(of: "j0") == nil, attempts < 100 {
            let waiting = bench.broker.pool.workers.keys
            attempts += waiting.isEmpty ? 0 : 1
            for worker in waiting { bench.feed(.spawnFailed(worker, reason: "no such program")) }
            bench.pass(.milliseconds(100))
        }
        #expect(attempts == 4, "eight that fail together count once, then one at a time")
        for index in 0..<8 {
            #expect(bench.failure(of: JobID("j\(index)"))?.message.contains("no such program") ?? false)
        }
        #expect(bench.submit("later").spawns == 1, "a later submission is a new attempt")
    }

    @Test func aFailedStartDoesNotHurtWhileOthersServe() throws {
        var bench = BrokerBench(workers: 2)
        let worker = bench.start(bench.submit("a"))[0]
        bench.submit("b")
        for _ in 0..<20 {
            for (id, state) in bench.broker.pool.workers where state.phase == .starting {
                bench.feed(.spawnFailed(id, reason: "no memory"))
            }
            bench.pass(.seconds(1), alive: [worker])
        }
        #expect(bench.end(of: "b") == nil)
        bench.say(.completed(try #require(bench.lease(of: worker)), result: Data()), from: worker)
        bench.say(.ready, from: worker)
        #expect(bench.lease(of: worker)?.job == "b")
    }

    @Test func aProcessThatNeverReportsIsEndedAndCounted() {
        var bench = BrokerBench(workers: 1) { $0.startAttempts = 1 }
        bench.submit("a")
        #expect(bench.pass(.seconds(31)).kills == ["w1"])
        bench.feed(.exited("w1", killed))
        #expect(bench.failure(of: "a")?.message.contains("did not report") ?? false)
    }

    @Test func idleWorkersThatKeepDyingAreGivenUp() {
        var bench = BrokerBench(workers: 1)
        bench.submit("a")
        for _ in 0..<4 {
            for worker in bench.broker.pool.workers.keys {
                bench.say(.hello(WorkerIntroduction(worker: worker.name, process: 1, engine: "test")), from: worker)
                bench.feed(.exited(worker, crashed))
            }
            bench.pass(.seconds(1))
        }
        #expect(bench.failure(of: "a")?.message.contains("last words") ?? false)
    }

    @Test func goodbyeGivesTheJobBackWhenTheProcessHasEnded() throws {
        var bench = BrokerBench(workers: 1)
        let worker = bench.start(bench.submit("a"))[0]
        #expect(bench.say(.goodbye, from: worker).assigned.isEmpty)
        #expect(bench.end(of: "a") == nil)
        let next = bench.start(bench.feed(.exited(worker, WorkerExit(.code(0)))))
        #expect(bench.lease(of: try #require(next.first))?.job == "a")
    }

    @Test func shutdownCancelsStopsAndThenKills() throws {
        var bench = BrokerBench(workers: 2)
        let workers = bench.start(bench.submit("a", "b"))
        let leases = workers.compactMap { bench.lease(of: $0) }
        bench.submit("c")
        let actions = bench.feed(.shutdown(graceful: true))
        for (worker, lease) in zip(workers, leases) {
            #expect(actions.sends(.cancel(lease), to: worker) && actions.sends(.stop, to: worker))
        }
        #expect(bench.end(of: "c") == .job(.cancelled("c")))
        bench.say(.failed(leases[0], JobFailure(.cancelled, "")), from: workers[0])
        bench.say(.goodbye, from: workers[0])
        bench.feed(.exited(workers[0], WorkerExit(.code(0))))
        #expect(bench.pass(.seconds(3)).kills == [workers[1]])
        #expect(bench.feed(.exited(workers[1], killed)).last == .closed)
        bench.submit("late")
        #expect(bench.end(of: "late") == .job(.cancelled("late")))
    }

    @Test func aSecondShutdownKillsAtOnce() {
        var bench = BrokerBench(workers: 2)
        let workers = bench.start(bench.submit("a", "b"))
        #expect(bench.feed(.shutdown(graceful: true)).kills.isEmpty)
        #expect(bench.feed(.shutdown(graceful: false)).kills.sorted() == workers.sorted())
    }

    @Test func anUnusedBrokerClosesAtOnce() {
        var bench = BrokerBench()
        #expect(bench.feed(.shutdown(graceful: true)) == [.closed])
        #expect(bench.feed(.shutdown(graceful: false)).isEmpty)
    }

    @Test func aWarningIsPassedOnOnce() {
        var bench = BrokerBench(workers: 2)
        let workers = bench.start(bench.submit("a", "b"))
        let warnings = workers.flatMap { worker in
            ["Odd.", "Odd.", "Odder."].flatMap { text in
                bench.lease(of: worker).map { bench.say(.warning($0, text), from: worker) } ?? []
            }
        }
        #expect(
            warnings == ["Odd.", "Odder."].map { .log(.warning, $0, worker: nil, job: nil) }, "\(warnings)")
    }
}
