import FoundationEssentials
import Messaging
import TestSupport
import Testing

@testable import Farm

/// Concurrent renders: which one's jobs are assigned.
@Suite struct FairFlowTests {
    private func jobs(
        _ name: String, _ range: Range<Int>, of submitter: String = "", priority: Int = 0, cost: UInt64 = 1,
        isSequence: Bool = true
    ) -> [JobSpec] {
        range.map { index in
            JobSpec(
                id: JobID("\(name)-\(index)"), kind: "test", priority: priority,
                flow: .init(submitter: submitter, name: name), cost: cost,
                sequence: isSequence ? .init(group: "picture", index: index) : nil)
        }
    }

    @Test func aShortRenderDoesNotWaitBehindALongOne() throws {
        var course = Course()
        course.submit(jobs("long", 0..<1000))
        let before = course.walk(workers: 4, most: 20)
        course.submit(jobs("short", 0..<4))
        let after = course.walk(workers: 4)
        let last = try #require(after.firstIndex(of: "short-3"))
        #expect(last < 16, "\(after.prefix(20))")
        #expect(before.count + after.count == 1004)
    }

    /// Two renders of one submitter together get as much as the single one of another submitter.
    @Test func submittersComeBeforeTheirRenders() {
        var course = Course()
        course.submit(jobs("a1", 0..<400, of: "ann") + jobs("a2", 0..<400, of: "ann"))
        course.submit(jobs("b", 0..<400, of: "bob"))
        let given = course.walk(workers: 3, most: 400)
        let counts = ["a1", "a2", "b"].map { name in given.count { $0.name.hasPrefix(name) } }
        #expect(abs(counts[2] - 200) <= 8 && abs(counts[0] - 100) <= 8 && abs(counts[1] - 100) <= 8, "\(counts)")
    }

    @Test func whatCostsMoreIsGivenOutSeldomer() {
        var course = Course()
        course.submit(jobs("small", 0..<400, cost: 10) + jobs("large", 0..<400, cost: 40))
        let given = course.walk(workers: 2, most: 250)
        let large = given.count { $0.name.hasPrefix("large") }
        #expect((42...58).contains(large), "\(large)")
    }

    /// Workers stay in their renders as long as that costs the others little.
    @Test func workersGoOnWhereTheyAre() {
        var course = Course()
        course.submit(jobs("a", 0..<300) + jobs("b", 0..<300))
        let given = course.walk(workers: 4)
        let walks = (0..<4).map { worker in given.indices.filter { $0 % 4 == worker }.map { given[$0].name } }
        let jumps = walks.map { walk in
            zip(walk, walk.dropFirst()).count { left, right in
                left.first != right.first || Int(left.dropFirst(2)).map { $0 + 1 } != Int(right.dropFirst(2))
            }
        }
        #expect(jumps.reduce(0, +) < 60, "of 600 jobs: \(jumps)")
    }

    /// The jobs of one flow have the same order as without flows.
    @Test func oneFlowIsAsIfThereWereNone() {
        let seed = Seed.announced(for: "one flow", cases: 50)
        for round in 0..<Seed.cases(50) {
            var random = SplitMix64.forCase(round, of: seed)
            var (plain, flowing) = (Course(), Course())
            for index in 0..<60 {
                var spec = JobSpec(
                    id: JobID("\(index)"), kind: "test", priority: Int.random(in: 0...1, using: &random),
                    sequence: random.chance(2, in: 3) ? .init(group: "g", index: index) : nil)
                plain.submit([spec])
                spec.flow = .init(name: "render")
                spec.cost = UInt64.random(in: 1...99, using: &random)
                flowing.submit([spec])
            }
            #expect(plain.walk(workers: 3) == flowing.walk(workers: 3), "seed \(seed), round \(round)")
        }
    }

    /// Random flows, some with requirements that few workers meet: none starves, priorities hold,
    /// and a flow that has had much is not far ahead of a waiting one that could be served.
    @Test func nobodyStarves() { Self.serve(10) }

    /// More of them.
    @Suite struct Sweep {
        @Test func nobodyStarves() { serve(40) }
    }

    private static func serve(_ cases: Int) {
        Seed.rounds(cases, of: "fair flows") { name, random in
            var run = FlowRun(seed: name, random: random)
            for _ in 0..<600 { run.step() }
            run.finish()
        }
    }

    @Test func aHigherPriorityGoesFirstWhateverItHasHad() {
        var bench = BrokerBench(workers: 1)
        let worker = bench.start(
            bench.feed(.submit(jobs("low", 0..<5, of: "a") + jobs("high", 0..<5, of: "b", priority: 1))))[0]
        var order: [String] = []
        while let lease = bench.lease(of: worker) {
            order.append(String(lease.job.name.prefix(3)))
            bench.say(.completed(lease, result: Data()), from: worker)
            bench.say(.ready, from: worker)
        }
        #expect(order == Array(repeating: "hig", count: 5) + Array(repeating: "low", count: 5))
    }

    /// A worker that fits only one flow's jobs, because of its libraries, makes room for the
    /// others'.
    @Test func librariesKeepNoFlowWaitingForEver() {
        var bench = BrokerBench(workers: 1)
        func job(_ name: String, _ index: Int) -> JobSpec {
            JobSpec(id: JobID("\(name)-\(index)"), kind: "test", flow: .init(name: name), libraries: [name])
        }
        bench.start(bench.feed(.submit((0..<300).map { job("a", $0) } + (0..<5).map { job("b", $0) })))
        var given = 0
        while bench.end(of: "b-0") == nil, given < 100 {
            given += 1
            guard let (worker, lease) = bench.log.assigned.last.map({ ($0.worker, $0.lease) }) else { break }
            var actions = bench.say(.completed(lease, result: Data()), from: worker)
            actions += bench.say(.ready, from: worker)
            bench.start(actions)
            if actions.sends(.stop, to: worker) { bench.start(bench.feed(.exited(worker, WorkerExit(.code(0))))) }
        }
        #expect(bench.end(of: "b-0") != nil && given < 30, "after \(given) jobs")
    }
}

/// Waiting jobs, and workers that take them in turns.
private struct Course {
    private var waiting = WaitingJobs()
    private var specs: [JobID: JobSpec] = [:]
    private var places: [Int: WaitingJobs.Place] = [:]

    mutating func submit(_ new: [JobSpec]) {
        for spec in new {
            specs[spec.id] = spec
            waiting.insert(spec, order: UInt64(specs.count))
        }
    }

    /// Assigns jobs until none is left, or `most` were assigned.
    /// - Returns: the jobs in the order of assignment.
    mutating func walk(workers: Int, most: Int = .max) -> [JobID] {
        var given: [JobID] = []
        while !waiting.isEmpty, given.count < most {
            let worker = given.count % workers
            let others = Walkers(places.filter { $0.key != worker }.values)
            guard let next = waiting.next(after: places[worker], others: others) else { break }
            waiting.remove(next, isGiven: true)
            places[worker] = specs[next].flatMap { WaitingJobs.Place($0) } ?? places[worker]
            given.append(next)
        }
        return given
    }
}

/// A random sequence of waiting jobs, and an observer's counts.
private struct FlowRun {
    let seed: String
    var random: SplitMix64
    var waiting = WaitingJobs()
    var count: UInt64 = 0
    var specs: [JobID: JobSpec] = [:]
    var places: [WaitingJobs.Place?] = Array(repeating: nil, count: 4)
    /// The cost that others of its priority got while a flow waited and this worker could have
    /// served it.
    var waited: [JobSpec.Flow: UInt64] = [:]
    private static let costs: ClosedRange<UInt64> = 1...4

    init(seed: String, random: SplitMix64) { (self.seed, self.random) = (seed, random) }

    /// Returns a worker's tags; only the last worker has one.
    private func tags(_ worker: Int) -> Set<String> { worker == places.count - 1 ? ["gpu"] : [] }

    mutating func step() {
        if random.chance(1, in: 6) { submit() } else { give(Int.random(in: 0..<places.count, using: &random)) }
        if random.chance(1, in: 20), let id = specs.keys.sorted(by: { $0.name < $1.name }).first {
            waiting.remove(id)
            specs[id] = nil
        }
    }

    mutating func finish() {
        var idle = 0
        while idle < places.count, let worker = places.indices.randomElement(using: &random) {
            if give(worker) { idle = 0 } else { idle += 1 }
        }
        while give(places.count - 1) {}
        #expect(waiting.isEmpty && specs.isEmpty, "seed \(seed): \(specs.keys)")
    }

    private mutating func submit() {
        let name = "f\(Int.random(in: 0..<6, using: &random))"
        let flow = JobSpec.Flow(submitter: random.chance(1, in: 2) ? "ann" : "bob", name: name)
        for index in 0..<Int.random(in: 1...12, using: &random) {
            count += 1
            let spec = JobSpec(
                id: JobID("\(count)"), kind: "test", priority: random.chance(1, in: 10) ? 1 : 0, flow: flow,
                cost: UInt64.random(in: Self.costs, using: &random),
                sequence: random.chance(2, in: 3) ? .init(group: "\(count - UInt64(index))", index: index) : nil,
                needs: name == "f0" ? ["gpu"] : [])
            specs[spec.id] = spec
            waiting.insert(spec, order: count)
        }
    }

    @discardableResult
    private mutating func give(_ worker: Int) -> Bool {
        let able = specs.values.filter { $0.needs.isSubset(of: tags(worker)) }
        let others = Walkers(places.indices.filter { $0 != worker }.compactMap { places[$0] })
        guard let id = waiting.next(tags: tags(worker), after: places[worker], others: others), let spec = specs[id]
        else {
            #expect(able.isEmpty, "seed \(seed): worker \(worker) gets nothing")
            return false
        }
        #expect(spec.needs.isSubset(of: tags(worker)), "seed \(seed)")
        let priority = able.map(\.priority).max()
        #expect(spec.priority == priority, "seed \(seed): \(spec.priority) went before \(priority ?? 0)")
        waiting.remove(id, isGiven: true)
        specs[id] = nil
        places[worker] = WaitingJobs.Place(spec) ?? places[worker]
        let flows = Set(specs.values.filter { $0.priority == spec.priority && $0.needs.isEmpty }.map(\.flow))
        waited = waited.filter { flows.contains($0.key) }
        for flow in flows where spec.priority == 0 { waited[flow, default: 0] += spec.cost }
        waited[spec.flow] = 0
        // At most 11 others, each a few jobs ahead.
        #expect(waited.values.allSatisfy { $0 < 11 * 30 * Self.costs.upperBound }, "seed \(seed): \(waited)")
        return true
    }
}
