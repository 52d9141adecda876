import FoundationEssentials
import Messaging
import TestSupport
import Testing

@testable import Farm

/// A broker among hostile peers: local workers, nodes and strangers send messages with extreme
/// values in every field, in any order, while processes end in every way. Every message is encoded
/// to its bytes and decoded. Nothing may trap, no job may end twice, and replaying the transitions
/// must rebuild the broker's jobs.
struct HostileSchedule {
    private let seed: String
    private var random: SplitMix64
    private var broker: Broker
    private var replayed: LeaseTable
    private var now = Duration.zero
    /// The leases so far, which a hostile peer may know.
    private var leases: [Lease] = []
    private var spawned: [WorkerID] = []
    private var ends: [JobID: Int] = [:]
    private var lastJob = 0
    private var isClosed = false

    private static let numbers: [Int] = [.min, .min + 1, -1, 0, 1, 2, 99, 1 << 31, 1 << 48, .max - 1, .max]
    private static let words: [UInt64] = [0, 1, 2, 99, 1 << 31, 1 << 48, 1 << 63, .max - 1, .max]

    init(seed: UInt64, round: Int) {
        self.seed = "CUTROOM_SEED=\(seed), round \(round)"
        var random = SplitMix64.forCase(round, of: seed)
        var policy = WorkerPool.Policy(workers: Int.random(in: 0...2, using: &random), engine: "test")
        policy.hasRemote = policy.workers == 0 || random.chance(1, in: 2)
        let first: UInt64 = random.pick([1, 1 << 40, 1 << 62])
        var lent: [LentLease] = []
        for number in 0..<Int.random(in: 0...2, using: &random) {
            let lease = Lease(job: JobID("lent-\(number)"), epoch: random.pick(Self.words))
            lent.append(LentLease(lease, of: WorkerID("n0/\(number + 1)")))
        }
        let table = LeaseTable(lastEpoch: first)
        (self.random, replayed) = (random, table)
        broker = Broker(leases: table, pool: WorkerPool(policy: policy), lent: LentLeases(lent))
    }

    mutating func run(steps: Int) {
        submit()
        for _ in 0..<steps { step() }
        feed(.shutdown(graceful: random.chance(1, in: 2)))
        for _ in 0..<60 where !isClosed {
            now += .seconds(1)
            feed(.tick)
            if let worker = spawned.last { end(worker) }
        }
        #expect(isClosed, "\(seed): the broker did not close")
    }

    private mutating func step() {
        switch Int.random(in: 0..<20, using: &random) {
        case 0, 1: submit()
        case 2:
            now += random.pick([.milliseconds(100), .seconds(1), .seconds(70), .seconds(100_000_000)])
            feed(.tick)
        case 3: now += .milliseconds(300); feed(.tick)
        case 4: feed(.cancel([JobID("job-\(Int.random(in: 0...max(0, lastJob), using: &random))")]))
        case 5: if let worker = spawned.randomElement(using: &random) { end(worker) }
        case 6: feed(.revoked([random.pick(["n0", "n1", ""])]))
        case 7: feed(.worthless([JobID("job-\(lastJob)"), "nobody's"]))
        case 8:
            feed(.problem(random.pick([.notOurs, .version(.max), .frames(count: .max), .malformed("")]), from: peer()))
        default: hear()
        }
    }

    private mutating func submit() {
        lastJob += 1
        let id = random.chance(1, in: 8) ? JobID("lent-0") : JobID("job-\(lastJob)")
        guard broker.leases.jobs[id] == nil, ends[id] == nil else { return }
        feed(
            .submit([
                JobSpec(
                    id: id, kind: "k", cost: random.pick(Self.words), libraries: random.chance(1, in: 3) ? ["t"] : [],
                    mayRunTwice: random.chance(2, in: 3))
            ]))
    }

    private mutating func peer() -> WorkerID {
        if let worker = spawned.randomElement(using: &random), random.chance(1, in: 2) { return worker }
        return random.pick(["n0/1", "n0/2", "n1/1", "w1", "stranger", "n0/18446744073709551616", "/"])
    }

    /// Returns a lease that was given out, or one that never was.
    private mutating func lease() -> Lease {
        if let known = leases.suffix(6).randomElement(using: &random), random.chance(3, in: 4) { return known }
        return Lease(job: JobID("job-\(lastJob)"), epoch: max(1, random.pick(Self.words)))
    }

    private mutating func hear() {
        for case .success(let message) in Message.decodeAll(frames()) { feed(.message(message, from: peer())) }
    }

    /// Returns the bytes of a message with extreme numbers.
    private mutating func frames() -> [Data] {
        func header(_ message: Message) -> Data { message.encoded().header }
        let lease = lease()
        switch Int.random(in: 0..<9, using: &random) {
        case 0:
            return [header(.hello(WorkerIntroduction(worker: "", process: 1, engine: ""))), Data(introduction().utf8)]
        case 1: return [header(.ready), Data()]
        case 2:
            return [header(.failed(lease, JobFailure(.internal, ""))), Data(failure().utf8)]
        case 3: return [header(.completed(lease, result: Data())), Data(count: random.pick([0, 1, 70]))]
        case 4: return [header(.goodbye), Data()]
        case 5: return [header(.warning(lease, "")), Data(repeating: random.pick([0, 10, 255]), count: 40)]
        default:
            var beat = header(.heartbeat(lease, Progress()))
            for offset in [16, 24, 32] { beat.put(random.pick(Self.words), at: offset) }
            if random.chance(1, in: 6) { beat.put(random.pick(Self.words), at: 8) }
            var body = Data(count: 8)
            body.put(random.pick(Self.words), at: 0)
            return [beat, body + Data(repeating: 65, count: random.pick([0, 5, 9000]))]
        }
    }

    private mutating func introduction() -> String {
        func number() -> Int { random.pick(Self.numbers) }
        let (job, epoch) = (lastJob, random.pick(Self.words))
        let leases = #"[{"job": "job-\#(job)", "epoch": \#(epoch)}]"#
        let node =
            #"{"session": "\#(number())", "leases": \#(leases), "tags": ["a"], "cores": \#(number()), "memory": \#(number())}"#
        let version = random.pick([Wire.version, Wire.version, .max])
        return #"{"worker": "", "process": -2147483648, "protocol": \#(version), "engine": "test", "node": \#(node)}"#
    }

    private mutating func failure() -> String {
        let category = random.pick(["input", "internal", "plugin", "cancelled", "declined", "unavailable", "other"])
        let blame = #"{"path": "/p", "effectID": "", "frame": \#(random.pick(Self.numbers))}"#
        let fault = random.chance(1, in: 3) ? #", "fault": {"reason": "r", "isLack": \#(random.chance(1, in: 2))}"# : ""
        return #"{"category": "\#(category)", "message": "m", "blame": \#(blame)\#(fault)}"#
    }

    private mutating func end(_ worker: WorkerID) {
        spawned.removeAll { $0 == worker }
        feed(.ended(worker))
        var exit = WorkerExit(random.pick([.code(0), .code(.min), .signal(9), .signal(11), .signal(.max)]))
        if random.chance(1, in: 3) { exit.culprit = "plugin p" }
        exit.mayBeOutOfMemory = random.chance(1, in: 3)
        let memory = MemoryAtDeath("\(random.pick(Self.words)) \(random.pick(Self.words))")
        let limits = [ProcessLimit(.addressSpace, value: random.pick(Self.words))]
        exit.lack = WorkerLack.text("", memory, limits)
        feed(.exited(worker, exit))
    }

    private mutating func feed(_ event: Broker.Event) {
        let actions = broker.handle(event, at: now)
        for action in actions {
            switch action {
            case .job(let transition):
                replayed.apply(transition)
                take(transition)
            case .spawn(let worker): spawned.append(worker)
            case .closed: isClosed = true
            default: break
            }
        }
        #expect(replayed.jobs == broker.leases.jobs, "\(seed): the transitions make other jobs")
        _ = (broker.status(at: now), broker.standings)
    }

    private mutating func take(_ transition: JobTransition) {
        switch transition {
        case .leased(let lease, _), .backupAdded(let lease, _): leases.append(lease)
        case .completed(let job, _), .failed(let job, _), .cancelled(let job):
            ends[job, default: 0] += 1
            #expect(ends[job] == 1, "\(seed): \(job) ended twice")
        default: break
        }
    }
}

extension Data {
    fileprivate mutating func put(_ word: UInt64, at offset: Int) {
        let start = startIndex + offset
        Swift.withUnsafeBytes(of: word.littleEndian) { replaceSubrange(start..<start + 8, with: $0) }
    }
}

@Suite struct HostileScheduleTests {
    @Test func peersThatSayExtremesStopNothing() { Self.simulate(Seed.cases(1500)) }

    /// A hundred thousand schedules.
    @Suite struct Sweep {
        @Test(arguments: 0..<10) func peersThatSayExtremesStopNothing(part: Int) {
            simulate(Seed.cases(10_000), from: 10_000 * (part + 1))
        }
    }

    private static func simulate(_ cases: Int, from first: Int = 0) {
        let seed = Seed.announced(for: "HostileScheduleTests", cases: cases)
        for round in first..<first + cases {
            var schedule = HostileSchedule(seed: seed, round: round)
            schedule.run(steps: 60)
        }
    }
}
