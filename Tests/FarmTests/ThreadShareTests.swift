import FoundationEssentials
import Messaging
import Testing

@testable import Farm

/// How processors are shared by workers when fewer jobs than workers are left.
@Suite struct ThreadShareTests {
    @Test func jobsThatAreFewerThanWorkersGetMoreThreads() {
        let pool = WorkerPool(policy: WorkerPool.Policy(workers: 16, engine: "test"))
        let shares = [1: 16, 2: 8, 3: 6, 5: 4, 8: 2, 11: 2, 15: 2, 16: 1, 17: 1, 400: 1]
        for (jobs, threads) in shares {
            #expect(pool.threads(for: jobs, waiting: 0) == threads, "\(jobs) jobs")
            #expect(pool.threads(for: 0, waiting: jobs) == threads, "\(jobs) jobs that wait")
        }
        let single = WorkerPool(policy: WorkerPool.Policy(workers: 1, engine: "test"))
        #expect(single.threads(for: 1, waiting: 0) == 1)
    }

    @Test func aRunningJobIsToldWhenOthersEnd() throws {
        var bench = BrokerBench(workers: 4)
        let workers = bench.start(bench.submit("a", "b", "c", "d", "e"))
        let leases = try workers.map { try #require(bench.lease(of: $0)) }
        let given = bench.log.compactMap { action -> Int? in
            if case .send(.assign(_, let job), _) = action { job.threads } else { nil }
        }
        #expect(given == [1, 1, 1, 1])
        // One waits: it gets the place of the first to end, and nothing changes for the others.
        bench.say(.completed(leases[0], result: Data()), from: workers[0])
        let next = bench.say(.ready, from: workers[0])
        #expect(next.assigned.count == 1 && next.shares.isEmpty)
        bench.say(.completed(leases[1], result: Data()), from: workers[1])
        // Three run: two processors for each would be six of four; they take turns.
        #expect(bench.log.shares.suffix(3) == [2, 2, 2])
        bench.say(.completed(leases[2], result: Data()), from: workers[2])
        #expect(bench.log.shares.count == 3)
        let last = bench.say(.completed(leases[3], result: Data()), from: workers[3])
        #expect(last.sends(.share(try #require(bench.lease(of: workers[0])), threads: 4), to: workers[0]))
        // New jobs take their share back.
        let more = bench.submit("f", "g", "h", "i")
        #expect(more.sends(.share(try #require(bench.lease(of: workers[0])), threads: 1), to: workers[0]))
    }

    @Test func aWorkerThatDiesLeavesItsThreadsToOthers() throws {
        var bench = BrokerBench(workers: 2)
        let workers = bench.start(bench.submit("a", "b"))
        let kept = try #require(bench.lease(of: workers[1]))
        let lost = try #require(bench.lease(of: workers[0]))
        bench.feed(.cancel([lost.job]))
        let actions = bench.feed(.exited(workers[0], killed))
        #expect(actions.sends(.share(kept, threads: 2), to: workers[1]))
    }

    // MARK: Cores that are busy

    /// What a part costs, in seconds of one core.
    private struct Cost {
        var encoding: Double
        /// By source.
        var decoding: [Double]
        var composing: Double
        var all: Double { decoding.reduce(encoding + composing, +) }

        /// How many cores a worker uses at most with so many threads. Its encoder has one, and all
        /// else another; with more, each source is decoded ahead on one of its own, and bands share
        /// composing.
        func cores(threads: Int) -> Double {
            guard threads > 1 else { return all / max(encoding, all - encoding) }
            return all / max(encoding, decoding.max() ?? 0, composing / Double(min(8, threads)))
        }
    }

    /// Parts that are rendered under a broker by workers which start at once. Cores are shared as a
    /// scheduler does: where more is asked for than there is, all get less by the same factor.
    private struct Machine {
        let cores: Int
        var bench: BrokerBench
        var costs: [JobID: Cost]
        /// What is left of each part, of 1.
        var left: [WorkerID: (lease: Lease, threads: Int, rest: Double)] = [:]
        var (seconds, used) = (0.0, 0.0)

        init(cores: Int, _ parts: [Cost]) {
            self.cores = cores
            bench = BrokerBench(workers: cores)
            costs = Dictionary(uniqueKeysWithValues: parts.enumerated().map { (JobID("part-\($0)"), $1) })
        }

        /// - Parameter sharesThreads: workers use the threads that they are given; else one for
        ///   encoding and one for the rest.
        mutating func run(sharesThreads: Bool = true) -> Double {
            let specs = costs.keys.sorted { $0.name < $1.name }.map { JobSpec($0.name, "segment") }
            var spawned = hear(bench.feed(.submit(specs)))
            while !spawned.isEmpty || !left.isEmpty {
                for worker in spawned {
                    let hello = WorkerIntroduction(worker: worker.name, process: 1, engine: "test")
                    _ = hear(bench.say(.hello(hello), from: worker))
                    _ = hear(bench.say(.ready, from: worker))
                }
                spawned = step(sharesThreads)
            }
            return used / (Double(cores) * seconds)
        }

        /// To the end of the next part.
        private mutating func step(_ sharesThreads: Bool) -> [WorkerID] {
            let asked = left.compactMapValues { work in
                costs[work.lease.job].map { (cost: $0, cores: $0.cores(threads: sharesThreads ? work.threads : 1)) }
            }
            let factor = min(1, Double(cores) / asked.values.reduce(0) { $0 + $1.cores })
            let ends = asked.compactMap { id, part in
                left[id].map { (id: id, after: $0.rest * part.cost.all / (part.cores * factor)) }
            }
            guard let first = ends.min(by: { ($0.after, $0.id.name) < ($1.after, $1.id.name) }) else { return [] }
            seconds += first.after
            for (id, part) in asked {
                used += part.cores * factor * first.after
                left[id]?.rest -= part.cores * factor * first.after / part.cost.all
            }
            guard let done = left.removeValue(forKey: first.id) else { return [] }
            return hear(bench.say(.completed(done.lease, result: Data()), from: first.id))
                + hear(bench.say(.ready, from: first.id))
        }

        /// - Returns: the workers that are to be started.
        private mutating func hear(_ actions: [Broker.Action]) -> [WorkerID] {
            for case .send(let message, let worker) in actions {
                switch message {
                case .assign(let lease, let job): left[worker] = (lease, job.threads, 1)
                case .share(_, let threads): left[worker]?.threads = threads
                default: break
                }
            }
            return actions.compactMap { if case .spawn(let worker) = $0 { worker } else { nil } }
        }
    }

    /// How much of the time 16 cores are busy, with shared threads and with one for each part
    /// beside its encoder's.
    private static func busy(_ name: String, _ parts: [Cost]) -> (shared: Double, alone: Double) {
        var (shared, alone) = (Machine(cores: 16, parts), Machine(cores: 16, parts))
        let found = (shared: shared.run(), alone: alone.run(sharesThreads: false))
        for machine in [shared, alone] {
            #expect(machine.left.isEmpty && abs(machine.used - parts.reduce(0) { $0 + $1.all }) < 1e-6)
        }
        func percent(_ share: Double) -> Int { Int((100 * share).rounded()) }
        print("\(name) on 16 cores: \(percent(found.shared)) % busy; with one thread a part, \(percent(found.alone)) %")
        return found
    }

    /// The workload *short*, 25.5 s in parts of two seconds: a profile finds 48 % of its processor
    /// time in the encoder and 18 % in composing; the rest decodes one file, and two during
    /// dissolves.
    @Test func sixteenCoresAreBusyWithShort() {
        let parts = stride(from: 0, to: 25.5, by: 2).map { start in
            let end = min(25.5, start + 2)
            let dissolves = (1..<10).map { 2.5 * Double($0) }
            let mixed = dissolves.reduce(0.0) { $0 + max(0, min(end, $1 + 0.5) - max(start, $1)) }
            return Cost(
                encoding: 0.48 * (end - start), decoding: [0.3 * (end - start), 0.3 * mixed],
                composing: 0.18 * (end - start))
        }
        #expect(Self.busy("short", parts).shared >= 0.9)
        // Twenty seconds are ten parts.
        #expect(Self.busy("ten parts of short", Array(parts.prefix(10))).shared >= 0.9)
    }

    /// The workload *layers*, 20 s in ten parts: two files are decoded throughout, which takes half
    /// of the time.
    @Test func sixteenCoresAreBusyWithLayers() {
        let part = Cost(encoding: 0.6, decoding: [0.5, 0.5], composing: 0.4)
        let found = Self.busy("layers", Array(repeating: part, count: 10))
        #expect(found.shared >= 0.9)
        #expect(found.alone < 0.9)
    }

    /// One part that is left, as after a small edit, keeps three cores busy and not two.
    @Test func onePartUsesWhatItsStagesCan() {
        let part = Cost(encoding: 0.6, decoding: [0.5, 0.5], composing: 0.4)
        let found = Self.busy("one part", [part])
        #expect(abs(16 * found.shared - 2 / 0.6) < 1e-9)
        #expect(abs(16 * found.alone - 2 / 1.4) < 1e-9)
    }
}

extension [Broker.Action] {
    /// The numbers of threads that running jobs were told, in order.
    fileprivate var shares: [Int] {
        compactMap { if case .send(.share(_, let threads), _) = $0 { threads } else { nil } }
    }
}
