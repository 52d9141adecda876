import Slurm
import TestSupport
import Testing

/// Random loads on random clusters: jobs wait, are preempted and lost, answers are missing, nodes
/// never find the server, and the scaler itself ends and restarts.
@Suite struct ScalerSimulation {
    /// A cluster, a server, and the scaler between them.
    private struct World {
        struct Job {
            var number: Int
            var begunAt: Duration?
            var isLeaving = false
            /// Whether this scaler has told it to leave; an earlier scaler's order is forgotten.
            var isTold = false
            /// Whether it never finds the server.
            var isDeaf: Bool
            var busy = 0
        }

        var random: SplitMix64
        var scaler: Scaler
        let policy: Scaler.Policy
        var now = Duration.zero
        var jobs: [Int64: Job] = [:]
        var lastID: Int64 = 0
        /// The number that is recorded before a submission.
        var lastNumber = 0
        var places: Int
        let slots: Int
        var waiting = 0
        var isServerUp = true
        var isChaotic = true
        var submissions = 0
        var numbers: Set<Int> = []
        /// The numbers of needed nodes, as the server reported them, and when.
        var needs: [(at: Duration, nodes: Int)] = []
        var silentSince: Duration?

        init(_ random: SplitMix64) {
            self.random = random
            let most = Int.random(in: 1...12, using: &self.random)
            slots = Int.random(in: 1...4, using: &self.random)
            places = Int.random(in: 1...14, using: &self.random)
            policy = Scaler.Policy(
                least: self.random.pick([0, 0, 0, 1, 2]), most: most,
                slotsPerNode: self.random.chance(1, in: 2) ? slots : 1,
                coolDown: .seconds(self.random.pick([0, 30, 120])))
            scaler = Scaler(policy)
        }

        var staying: Int { jobs.values.count { !$0.isTold } }

        mutating func chance(_ numerator: Int, in denominator: Int) -> Bool {
            isChaotic && random.chance(numerator, in: denominator)
        }

        /// Lets time pass: the cluster starts jobs, nodes work and leave.
        mutating func pass() {
            now += .seconds(Int.random(in: 1...12, using: &random))
            for id in jobs.keys.sorted() {
                guard let job = jobs[id] else { continue }
                let begun = jobs.values.count { $0.begunAt != nil }
                if job.begunAt == nil {
                    if begun < places, random.chance(1, in: 2) { jobs[id]?.begunAt = now }
                } else if chance(1, in: 60) || job.isLeaving && (job.busy == 0 || random.chance(1, in: 6)) {
                    // Preempted, lost, or done with its work.
                    waiting += job.isLeaving ? 0 : job.busy
                    jobs[id] = nil
                } else if isServerUp, !job.isDeaf, !job.isLeaving {
                    let done = min(job.busy, random.chance(1, in: 2) ? 1 : 0)
                    let taken = min(waiting, slots - job.busy + done)
                    jobs[id]?.busy += taken - done
                    waiting -= taken
                }
            }
        }

        var load: FarmLoad? {
            mutating get {
                guard isServerUp, !chance(1, in: 15) else { return nil }
                var load = FarmLoad(waiting: waiting)
                for job in jobs.values where job.begunAt != nil && !job.isDeaf {
                    load.nodes[job.number] = FarmLoad.Node(slots: slots, busy: job.busy)
                }
                return load
            }
        }

        var listing: [ClusterJob]? {
            mutating get {
                if chance(1, in: 12) { return nil }
                return jobs.sorted { $0.key < $1.key }.map {
                    ClusterJob(id: $0, number: $1.number, state: $1.begunAt == nil ? .pending : .running)
                }
            }
        }

        mutating func round() {
            if chance(1, in: 80) {
                scaler = Scaler(policy, lastNumber: lastNumber)
                for id in jobs.keys { jobs[id]?.isTold = false }
            }
            let load = load
            if load == nil { silentSince = silentSince ?? now } else { silentSince = nil }
            let before = staying
            let actions = scaler.round(load, listing, at: now)
            // The slots of a node are known by now, or assumed from the policy.
            if scaler.count.wanted >= 0, load != nil { needs.append((now, scaler.count.wanted)) }
            var released = 0
            for action in actions {
                switch action {
                case .submit(let number): submit(number)
                case .withdraw(let id):
                    if jobs[id]?.isTold == false { released += 1 }
                    jobs[id]?.isTold = true
                    jobs[id]?.isLeaving = true
                    if jobs[id]?.begunAt == nil, !chance(1, in: 8) { jobs[id] = nil }
                case .drain(let id):
                    if jobs[id]?.isTold == false { released += 1 }
                    jobs[id]?.isTold = true
                    if !chance(1, in: 10) { jobs[id]?.isLeaving = true }
                case .kill(let id): jobs[id] = nil
                case .forget(let number): #expect(!jobs.values.contains { $0.number == number })
                }
            }
            #expect(jobs.count <= policy.most, "\(jobs.count) nodes, of \(policy.most)")
            if released > 0, silentSince == nil {
                let window = needs.filter { now - $0.at < policy.coolDown }.map(\.nodes) + [scaler.count.wanted]
                #expect(before - released >= (window.max() ?? 0), "released \(released) of \(before), needed \(window)")
            }
        }

        mutating func submit(_ number: Int) {
            submissions += 1
            #expect(numbers.insert(number).inserted, "node \(number) was submitted before")
            #expect(number > lastNumber)
            lastNumber = number
            let isTaken = !chance(1, in: 8)
            // A lost answer: the job exists all the same.
            if isTaken || chance(1, in: 2) {
                lastID += 1
                jobs[lastID] = Job(number: number, isDeaf: chance(1, in: 10))
            }
            if isTaken {
                scaler.submitted(number, as: lastID, at: now)
            } else {
                scaler.notSubmitted(number, at: now)
            }
        }

        mutating func live(_ rounds: Int) { for _ in 0..<rounds { pass(); round() } }

        /// Ends all faults.
        mutating func calmDown() {
            (isChaotic, isServerUp) = (false, true)
            for id in jobs.keys { jobs[id]?.isDeaf = false }
        }
    }

    @Test func `as many nodes as there is work for, whatever happens`() { Self.simulate(Seed.cases(100)) }

    /// More loads.
    @Suite struct Sweep {
        @Test func `as many nodes as there is work for, whatever happens`() { simulate(Seed.cases(400)) }
    }

    private static func simulate(_ cases: Int) {
        let seed = Seed.announced(for: "ScalerSimulation", cases: cases)
        for index in 0..<cases {
            var world = World(SplitMix64.forCase(index, of: seed))
            for _ in 0..<30 {
                if world.random.chance(1, in: 3) { world.waiting += Int.random(in: 0...60, using: &world.random) }
                if world.random.chance(1, in: 10) { world.isServerUp.toggle() }
                world.live(Int.random(in: 1...12, using: &world.random))
            }
            world.calmDown()
            // Longer than the longest pause after failures, the time for a node to leave, and the
            // cool-down.
            world.waiting = 10_000
            world.places = 20
            world.live(150)
            #expect(world.jobs.count == world.policy.most, "case \(index), seed \(seed): \(world.scaler.count)")
            let submissions = world.submissions
            world.live(50)
            #expect(world.submissions == submissions, "case \(index), seed \(seed): nodes come and go")
            world.waiting = 0
            for id in world.jobs.keys { world.jobs[id]?.busy = 0 }
            world.live(150)
            #expect(world.jobs.count == world.policy.least, "case \(index), seed \(seed): \(world.scaler.count)")
        }
    }
}
