import FoundationEssentials
import Messaging
import Testing

@testable import Farm

/// Jobs that load libraries into their workers, and the jobs that may run there afterwards.
@Suite struct BrokerLibraryTests {
    private func job(
        _ name: String, _ libraries: Set<String> = [], priority: Int = 0, at index: Int? = nil
    ) -> JobSpec {
        JobSpec(
            id: JobID(name), kind: "test", priority: priority,
            sequence: index.map { JobSpec.Sequence(group: "picture", index: $0) }, libraries: libraries)
    }

    /// Completes jobs until none is left; new workers start as they are needed.
    /// - Returns: the jobs in the order of assignment, with their workers.
    private func finish(_ bench: inout BrokerBench, _ actions: [Broker.Action]) -> [(job: JobID, worker: WorkerID)] {
        var done = 0
        bench.start(actions)
        for _ in 0..<10_000 {
            let given = bench.log.assigned
            let ended = bench.log.compactMap { if case .send(.stop, let worker) = $0 { worker } else { nil } }
            for worker in ended where bench.broker.pool.workers[worker] != nil {
                bench.start(bench.feed(.exited(worker, WorkerExit(.code(0)))))
            }
            guard done < given.count else {
                guard !bench.broker.leases.isEmpty else { break }
                bench.start(bench.pass(.milliseconds(100), alive: bench.serving))
                continue
            }
            for (worker, lease) in given[done...] {
                bench.start(bench.say(.completed(lease, result: Data()), from: worker))
                bench.start(bench.say(.ready, from: worker))
            }
            done = given.count
        }
        #expect(bench.broker.leases.isEmpty, "jobs are left")
        return bench.log.assigned.map { ($0.lease.job, $0.worker) }
    }

    @Test func noJobRunsWhereAnotherLeftWhatItDoesNotBring() {
        for workers in 1...3 {
            var bench = BrokerBench(workers: workers)
            let sets: [Set<String>] = [[], ["a"], ["b"], ["a", "b"], ["a", "b", "c"]]
            let jobs = (0..<40).map { job("\($0)", sets[$0 % sets.count], priority: $0 % 7 == 0 ? 1 : 0) }
            let given = finish(&bench, bench.feed(.submit(jobs)))
            #expect(given.count == 40)
            var left: [WorkerID: Set<String>] = [:]
            for (id, worker) in given {
                let libraries = jobs.first { $0.id == id }?.libraries ?? []
                #expect(left[worker, default: []].isSubset(of: libraries), "\(id) in \(worker)")
                left[worker, default: []].formUnion(libraries)
            }
        }
    }

    /// Alternating segments with and without a plugin need two kinds of workers, which are not
    /// replaced for each job.
    @Test func workersAreNotChangedForEachJob() {
        var bench = BrokerBench(workers: 1)
        let jobs = (0..<200).map { job("\($0)", $0.isMultiple(of: 2) ? [] : ["a"], at: $0) }
        let given = finish(&bench, bench.feed(.submit(jobs)))
        #expect(Set(given.prefix(100).map(\.job)) == Set(jobs.filter(\.libraries.isEmpty).map(\.id)))
        #expect(Set(given.map(\.worker)) == ["w1"], "whoever has nothing left behind in him may do all")
    }

    @Test func whoFitsNothingMakesRoomAtTheLimitOnly() throws {
        var bench = BrokerBench(workers: 2)
        let first = try #require(bench.start(bench.feed(.submit([job("1", ["a"])]))).first)
        let lease = try #require(bench.lease(of: first))
        bench.say(.completed(lease, result: Data()), from: first)
        bench.say(.ready, from: first)
        // Another worker may be started, so the idle one stays.
        let second = bench.feed(.submit([job("2")]))
        #expect(second.spawns == 1 && !second.sends(.stop, to: first))
        bench.start(second)
        // Now none may.
        let third = bench.feed(.submit([job("3", ["b"]), job("4", ["b"])]))
        #expect(third.sends(.stop, to: first) && third.spawns == 1)
        #expect(bench.broker.pool.workers.values.count(where: \.isLive) == 2)
        #expect(finish(&bench, third).count == 4)
    }

    /// An idle worker that fits is not replaced either.
    @Test func whoFitsIsUsedAgain() {
        var bench = BrokerBench(workers: 1)
        let given = finish(&bench, bench.feed(.submit([job("1", ["a"])]))).count
        #expect(given == 1)
        #expect(finish(&bench, bench.feed(.submit([job("2", ["a"]), job("3", ["a", "b"])]))).last?.worker == "w1")
        #expect(finish(&bench, bench.feed(.submit([job("4", ["a"])]))).last?.worker == "w2", "b was left")
    }

    /// A worker without libraries that asked before it stays without.
    @Test func whoFitsLeastChoosesFirst() throws {
        var bench = BrokerBench(workers: 2)
        let workers = bench.start(bench.feed(.submit([job("1"), job("2", ["a"])])))
        let used = try #require(workers.first { bench.lease(of: $0)?.job == "2" })
        for worker in workers.sorted(by: { left, _ in left != used }) {
            bench.say(.completed(try #require(bench.lease(of: worker)), result: Data()), from: worker)
            bench.say(.ready, from: worker)
        }
        #expect(bench.broker.pool.idle.last == used)
        #expect(bench.feed(.submit([job("3", ["a"])])).assigned.map(\.worker) == [used])
    }

    @Test func aHigherPriorityIsNotKeptWaitingByLibraries() {
        var bench = BrokerBench(workers: 1)
        let early = (0..<10).map { job("early-\($0)", ["a"]) }
        let worker = bench.start(bench.feed(.submit(early)))[0]
        let urgent = bench.feed(.submit([job("urgent", priority: 1)]))
        let given = finish(&bench, urgent).map(\.job)
        #expect(given.firstIndex(of: "urgent") == 1, "\(given)")
        #expect(bench.log.sends(.stop, to: worker))
    }

    /// Jobs with other libraries come faster than they are done, for ever.
    @Test func nobodyIsPassedForEver() throws {
        var bench = BrokerBench(workers: 1)
        bench.start(bench.feed(.submit([job("0", ["a"]), job("mine", ["b"])])))
        var count = 0
        while bench.end(of: "mine") == nil, count < 1000 {
            count += 1
            bench.start(bench.feed(.submit([job("\(count)", ["a"])])))
            guard let (worker, lease) = bench.log.assigned.last.map({ ($0.worker, $0.lease) }) else { break }
            bench.start(bench.say(.completed(lease, result: Data()), from: worker))
            bench.start(bench.say(.ready, from: worker))
        }
        #expect(bench.end(of: "mine") != nil && (250...300).contains(count), "after \(count) others")
    }

    /// If no worker can be started, jobs do not wait for an idle worker that cannot run them.
    @Test func jobsFailWhereNobodyWhoFitsCanBeStarted() {
        var bench = BrokerBench(workers: 2)
        #expect(finish(&bench, bench.feed(.submit([job("1", ["a"])]))).count == 1)
        var actions = bench.feed(.submit([job("2")]))
        for _ in 0..<200 where bench.end(of: "2") == nil {
            for case .spawn(let worker) in actions { bench.feed(.spawnFailed(worker, reason: "no memory")) }
            actions = bench.pass(.milliseconds(100), alive: bench.serving)
        }
        #expect(bench.failure(of: "2")?.category == .unavailable)
    }
}

extension BrokerBench {
    /// The workers that serve.
    fileprivate var serving: [WorkerID] { broker.pool.workers.filter { $1.isServing }.map(\.key) }
}
