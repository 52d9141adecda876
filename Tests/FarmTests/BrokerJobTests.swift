import FoundationEssentials
import Glibc
import Messaging
import Testing

@testable import Farm

/// The life of jobs, and what counts against them.
@Suite struct BrokerJobTests {
    @Test func aJobRunsOnceAndIsAcknowledged() throws {
        var bench = BrokerBench()
        let worker = bench.start(bench.submit("a"))[0]
        let lease = try #require(bench.lease(of: worker))
        let actions = bench.say(.completed(lease, result: Data([7])), from: worker)
        #expect(actions == [.job(.completed("a", result: Data([7]))), .send(.acknowledge(lease), to: worker)])
    }

    @Test func aRepeatedResultIsAcknowledgedWithoutEffect() throws {
        var bench = BrokerBench()
        let worker = bench.start(bench.submit("a"))[0]
        let lease = try #require(bench.lease(of: worker))
        bench.say(.completed(lease, result: Data()), from: worker)
        #expect(bench.say(.completed(lease, result: Data()), from: worker) == [.send(.acknowledge(lease), to: worker)])
        #expect(bench.broker.counters.duplicates == 1 && bench.broker.counters.stale == 0)
    }

    @Test func aResultUnderAnOldEpochIsDropped() throws {
        var bench = BrokerBench(workers: 1)
        let first = bench.start(bench.submit("a"))[0]
        let old = try #require(bench.lease(of: first))
        let second = bench.start(bench.feed(.exited(first, killed)))[0]
        let new = try #require(bench.lease(of: second))
        #expect(new.job == old.job && new.epoch > old.epoch)
        // From the dead worker itself, and in the living one's name.
        #expect(bench.say(.completed(old, result: Data([1])), from: first).isEmpty)
        #expect(bench.say(.completed(old, result: Data([1])), from: second).sends(.cancel(old), to: second))
        #expect(bench.end(of: "a") == nil)
        #expect(bench.broker.counters.strangers == 1 && bench.broker.counters.stale == 1)
        bench.say(.completed(new, result: Data([2])), from: second)
        #expect(bench.end(of: "a") == .job(.completed("a", result: Data([2]))))
    }

    @Test func aLeaseIsGoodForItsHolderAlone() throws {
        var bench = BrokerBench(workers: 2)
        let workers = bench.start(bench.submit("a", "b"))
        let lease = try #require(bench.lease(of: workers[0]))
        bench.say(.completed(lease, result: Data()), from: workers[1])
        #expect(bench.end(of: lease.job) == nil)
    }

    @Test func aNameUsedAgainGetsANewEpoch() throws {
        var bench = BrokerBench(workers: 1)
        let worker = bench.start(bench.submit("a"))[0]
        let old = try #require(bench.lease(of: worker))
        bench.say(.completed(old, result: Data()), from: worker)
        bench.say(.ready, from: worker)
        bench.submit("a")
        let new = try #require(bench.lease(of: worker))
        #expect(new.epoch > old.epoch)
        bench.say(.completed(old, result: Data()), from: worker)
        #expect(bench.lease(of: worker) == new)
    }

    @Test func lossesNeverSpendARetryUntilThereAreTwenty() {
        var bench = BrokerBench(workers: 1)
        var worker = bench.start(bench.submit("a"))[0]
        for round in 1...20 {
            #expect(bench.end(of: "a") == nil)
            let actions = bench.feed(.exited(worker, round.isMultiple(of: 2) ? killed : WorkerExit(.signal(SIGTERM))))
            if round < 20 { worker = bench.start(actions)[0] }
        }
        #expect(bench.failure(of: "a")?.message.contains("20 workers were lost") ?? false)
        #expect(bench.failure(of: "a")?.details.isEmpty == false)
    }

    @Test(arguments: [SIGSEGV, SIGBUS, SIGABRT, SIGILL, SIGFPE, SIGSYS, SIGXCPU])
    func theThirdCrashFailsTheJob(signal: Int32) {
        var bench = BrokerBench(workers: 1)
        var exit = WorkerExit(.signal(signal), culprit: "plugin p (/p.so), at frame 3", errorTail: "last words")
        exit.blame = PluginBlame(path: "/p.so", frame: 3)
        let first = bench.start(bench.submit("a"))[0]
        bench.say(
            .heartbeat(bench.lease(of: first) ?? Lease(job: "a", epoch: 0), Progress(done: 2, total: 9)), from: first)
        let second = bench.start(bench.feed(.exited(first, exit)))[0]
        let third = bench.start(bench.feed(.exited(second, exit)))[0]
        #expect(bench.end(of: "a") == nil && Set([first, second, third]).count == 3)
        bench.feed(.exited(third, exit))
        let failure = bench.failure(of: "a")
        #expect(failure?.category == .plugin)
        #expect(failure?.message.contains("/p.so") ?? false)
        #expect(failure?.details.contains { $0.contains("last words") } ?? false)
        for worker in [first, second, third] {
            #expect(failure?.details.contains { $0.contains("worker \(worker) ended") } ?? false)
        }
        #expect(failure?.details.contains("it had done 2 of 9") ?? false)
    }

    /// The fault for people, and its origin for programs.
    @Test func aFaultThatWasExplainedIsTold() {
        var bench = BrokerBench(workers: 1)
        var exit = WorkerExit(.signal(SIGSEGV), culprit: "plugin p (/p.so), at frame 3")
        exit.fault = "it writes 1 bytes beyond the last byte of the output"
        exit.blame = PluginBlame(path: "/p.so", effectID: "org.p", frame: 3)
        let first = bench.start(bench.submit("a"))[0]
        let second = bench.start(bench.feed(.exited(first, exit)))[0]
        let third = bench.start(bench.feed(.exited(second, exit)))[0]
        bench.feed(.exited(third, exit))
        let failure = bench.failure(of: "a")
        #expect(
            failure?.message
                == "Job a failed three times in plugin p (/p.so), at frame 3: it writes 1 bytes beyond the last byte of the output (SIGSEGV)."
        )
        #expect(failure?.blame == exit.blame)
    }

    @Test func lossesBetweenCrashesDoNotCount() {
        var bench = BrokerBench(workers: 1)
        var worker = bench.start(bench.submit("a"))[0]
        worker = bench.start(bench.feed(.exited(worker, crashed)))[0]
        for _ in 0..<5 { worker = bench.start(bench.feed(.exited(worker, killed)))[0] }
        worker = bench.start(bench.feed(.exited(worker, crashed)))[0]
        #expect(bench.end(of: "a") == nil)
        bench.feed(.exited(worker, crashed))
        #expect(bench.failure(of: "a") != nil)
    }

    @Test(arguments: [JobFailure.Category.input, .plugin, .resource]) func failuresOfTheJobAreFinal(
        category: JobFailure.Category
    ) throws {
        var bench = BrokerBench(workers: 1)
        let worker = bench.start(bench.submit("a"))[0]
        let failure = JobFailure(category, "No.")
        bench.say(.failed(try #require(bench.lease(of: worker)), failure), from: worker)
        #expect(bench.failure(of: "a") == failure)
        #expect(bench.broker.pool.workers[worker]?.phase == .serving, "the worker is not to blame")
    }

    @Test func anInternalFailureIsTriedOnceMoreOnAFreshWorker() throws {
        var bench = BrokerBench(workers: 1)
        let first = bench.start(bench.submit("a"))[0]
        let actions = bench.say(
            .failed(try #require(bench.lease(of: first)), JobFailure(.internal, "Oops.")), from: first)
        #expect(actions.sends(.stop, to: first))
        let second = bench.start(actions)[0]
        #expect(second != first)
        bench.say(.failed(try #require(bench.lease(of: second)), JobFailure(.internal, "Oops again.")), from: second)
        #expect(bench.failure(of: "a")?.message == "Oops again.")
    }

    private static func busy(_ text: String, _ details: [String] = []) -> JobFailure {
        JobFailure(.plugin, text, details: details, isTransient: true)
    }

    /// An idle worker does not get it before the pause is over, and the failed one never does.
    @Test func aTransientFailureIsTriedOnceMoreByAnotherAfterAPause() throws {
        var bench = BrokerBench(workers: 2)
        let workers = bench.start(bench.submit("a", "b"))
        let lease = try #require(bench.lease(of: workers[0])), other = try #require(bench.lease(of: workers[1]))
        bench.say(.completed(other, result: Data()), from: workers[1])
        bench.say(.ready, from: workers[1])
        let actions = bench.say(.failed(lease, Self.busy("Busy.")), from: workers[0])
        #expect(actions.sends(.stop, to: workers[0]) && actions.assigned.isEmpty && bench.end(of: "a") == nil)
        #expect(actions.releases == ["Busy."] && bench.broker.needsTicks)
        #expect(bench.pass(.milliseconds(900), alive: [workers[1]]).assigned.isEmpty)
        let again = bench.pass(.milliseconds(200), alive: [workers[1]])
        #expect(again.assigned.map(\.worker) == [workers[1]])
        let last = bench.say(
            .failed(try #require(bench.lease(of: workers[1])), Self.busy("Still busy.", ["why"])), from: workers[1])
        #expect(bench.failure(of: "a") == Self.busy("Still busy.", ["why", "worker \(workers[0]): Busy."]))
        #expect(!last.sends(.stop, to: workers[1]), "nobody is to try again")
    }

    @Test func severalTransientFailuresPassTogether() throws {
        var bench = BrokerBench(workers: 3)
        let workers = bench.start(bench.submit("a", "b", "c"))
        for worker in workers {
            bench.say(.failed(try #require(bench.lease(of: worker)), Self.busy("Busy.")), from: worker)
        }
        for worker in workers { bench.feed(.exited(worker, WorkerExit(.code(0)))) }
        let next = bench.start(bench.pass(.seconds(2)))
        #expect(next.count == 3 && Set(next).isDisjoint(with: workers))
        for worker in next {
            bench.say(.completed(try #require(bench.lease(of: worker)), result: Data()), from: worker)
        }
        #expect(["a", "b", "c"].allSatisfy { bench.end(of: $0) == .job(.completed($0, result: Data())) })
    }

    @Test func aJobThatPausesIsCancelledAtOnce() throws {
        var bench = BrokerBench(workers: 1)
        let worker = bench.start(bench.submit("a"))[0]
        bench.say(.failed(try #require(bench.lease(of: worker)), Self.busy("Busy.")), from: worker)
        #expect(bench.feed(.cancel(["a"])).contains(.job(.cancelled("a"))))
        #expect(bench.pass(.seconds(3)).spawns == 0 && !bench.broker.leases.hasPaused)
    }

    @Test func aWaitingJobIsCancelledAtOnceARunningOneWhenItHasStopped() throws {
        var bench = BrokerBench(workers: 1)
        let worker = bench.start(bench.submit("a", "b"))[0]
        let lease = try #require(bench.lease(of: worker))
        let actions = bench.feed(.cancel(["a", "b", "nobody"]))
        #expect(actions.sends(.cancel(lease), to: worker))
        #expect(bench.end(of: "b") == .job(.cancelled("b")))
        #expect(bench.end(of: "a") == nil)
        bench.say(.failed(lease, JobFailure(.cancelled, "")), from: worker)
        #expect(bench.end(of: "a") == .job(.cancelled("a")))
        #expect(bench.broker.pool.workers[worker]?.phase == .serving)
    }

    @Test func aJobThatDoesNotStopIsKilledAfterTheGrace() throws {
        var bench = BrokerBench(workers: 1)
        let worker = bench.start(bench.submit("a"))[0]
        bench.feed(.cancelAll)
        #expect(bench.pass(.milliseconds(1900), alive: [worker]).kills.isEmpty)
        #expect(bench.pass(.milliseconds(300), alive: [worker]).kills == [worker])
        #expect(bench.end(of: "a") == nil, "it may still write")
        bench.feed(.exited(worker, killed))
        #expect(bench.end(of: "a") == .job(.cancelled("a")))
    }

    @Test func aCrashOfACancelledJobIsItsCancellation() {
        var bench = BrokerBench(workers: 1)
        let worker = bench.start(bench.submit("a"))[0]
        bench.feed(.cancelAll)
        bench.feed(.exited(worker, crashed))
        #expect(bench.end(of: "a") == .job(.cancelled("a")))
    }

    @Test func unusableJobsFailWithTheReason() {
        var bench = BrokerBench()
        bench.feed(
            .submit([
                JobSpec("", "test"), JobSpec(id: "k", kind: String(repeating: "k", count: 300)),
                JobSpec(id: "p", kind: "test", payload: Data(count: Wire.largestPayload + 1)),
            ]))
        for id in ["", "k", "p"] as [JobID] { #expect(bench.failure(of: id)?.message.isEmpty == false) }
        #expect(bench.log.spawns == 0)
    }

    @Test func higherPriorityGoesFirstThenSubmissionOrder() {
        var bench = BrokerBench(workers: 1)
        let specs = [("low", 0), ("high", 5), ("low2", 0), ("high2", 5)].map {
            JobSpec(id: JobID($0.0), kind: "t", priority: $0.1)
        }
        let worker = bench.start(bench.feed(.submit(specs)))[0]
        var order: [String] = []
        while let lease = bench.lease(of: worker) {
            order.append(lease.job.name)
            bench.say(.completed(lease, result: Data()), from: worker)
            bench.say(.ready, from: worker)
        }
        #expect(order == ["high", "high2", "low", "low2"])
    }

    @Test func workersWalkThroughDisjointRuns() throws {
        var bench = BrokerBench(workers: 4)
        let specs = (0..<64).map {
            JobSpec(id: JobID("s\($0)"), kind: "t", sequence: .init(group: "plan", index: $0))
        }
        let workers = bench.start(bench.feed(.submit(specs)))
        var walks: [WorkerID: [Int]] = [:]
        var isBusy = true
        while isBusy {
            isBusy = false
            for worker in workers {
                guard let lease = bench.lease(of: worker), let index = Int(lease.job.name.dropFirst()) else { continue }
                isBusy = true
                walks[worker, default: []].append(index)
                bench.say(.completed(lease, result: Data()), from: worker)
                bench.say(.ready, from: worker)
            }
        }
        #expect(walks.values.flatMap { $0 }.sorted() == Array(0..<64))
        let jumps = walks.values.map { walk in zip(walk, walk.dropFirst()).count { $1 != $0 + 1 } }.reduce(0, +)
        #expect(jumps <= 8, "each worker decodes on where it is: \(walks)")
    }
}
