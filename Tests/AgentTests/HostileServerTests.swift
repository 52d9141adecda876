import FoundationEssentials
import Messaging
import TestSupport
import Testing

@testable import Agent
@testable import Farm

/// A node's slot at a hostile server: welcomes, jobs and cancellations with extreme values in every
/// field, encoded to bytes, while its jobs end in every way.
struct HostileServer {
    private let seed: String
    private var random: SplitMix64
    private var slot: Slot
    private var now = Duration.zero
    private var jobs: [JobID] = []

    private static let words: [UInt64] = [0, 1, 2, 99, 1 << 31, 1 << 48, 1 << 63, .max - 1, .max]
    private static let numbers: [Int] = [.min, -1, 0, 1, 1 << 48, .max]

    init(seed: UInt64, round: Int) {
        self.seed = "CUTROOM_SEED=\(seed), round \(round)"
        random = .forCase(round, of: seed)
        let introduction = WorkerIntroduction(
            worker: "", process: 1, engine: "test", node: NodeIntroduction(session: "s"))
        slot = Slot(1, of: "node", introduction)
    }

    mutating func run(steps: Int) {
        for _ in 0..<steps { step() }
        slot.drain()
        // Whatever was sent, a node that is told to leave can leave.
        for job in jobs { take(slot.heard(.cancelled(job), at: now)) }
        take(slot.handBack())
        take(slot.tick(at: now))
        #expect(slot.isDraining, "\(seed)")
    }

    private mutating func step() {
        now += random.pick([.milliseconds(100), .seconds(1), .seconds(1_000_000)])
        switch Int.random(in: 0..<12, using: &random) {
        case 0: take(slot.tick(at: now))
        case 1:
            guard let job = jobs.randomElement(using: &random) else { return }
            let progress = Progress(
                done: random.pick(Self.numbers), total: random.pick(Self.numbers), steps: random.pick(Self.numbers))
            take(slot.heard(.progressed(job, progress), at: now))
            slot.advanced(job)
        case 2:
            guard let job = jobs.randomElement(using: &random) else { return }
            let failure = JobFailure(random.pick([.input, .internal, .unavailable]), "m")
            take(
                slot.heard(
                    random.pick([.completed(job, result: Data()), .failed(job, failure), .cancelled(job)]), at: now))
        case 3: for job in jobs { slot.unclaimed(job, at: now) }
        default:
            for case .success(let message) in Message.decodeAll(frames()) { take(slot.hear(message, at: now)) }
        }
    }

    /// Returns the bytes of a server's message.
    private mutating func frames() -> [Data] {
        let lease = Lease(job: JobID("job"), epoch: max(1, random.pick(Self.words)))
        func header(_ message: Message) -> Data { message.encoded().header }
        switch Int.random(in: 0..<8, using: &random) {
        case 0, 1:
            let seconds = random.pick(["-1e308", "-1", "0", "1e-308", "60", "1e18", "1e308"])
            let port = random.pick([0, 1, 65535])
            let terms = #"{"host": "\#(random.pick(["a", "b", ""]))", "writable": ["/"], "isParanoid": true, "#
            return [
                header(.welcome()),
                Data((terms + #""stallSeconds": \#(seconds), "roots": {"": ""}, "contentPort": \#(port)}"#).utf8),
            ]
        case 2: return [header(.acknowledge(lease)), Data()]
        case 3: return [header(.cancel(lease)), Data()]
        case 4: return [header(random.pick([.introduceYourself, .stop])), Data()]
        default:
            var header = header(.assign(lease, Assignment(kind: "k", payload: Data(), fence: random.pick(Self.words))))
            let start = header.startIndex + 24
            for offset in [start, start + 8] {
                withUnsafeBytes(of: random.pick(Self.words)) { header.replaceSubrange(offset..<offset + 8, with: $0) }
            }
            return [header, Data()]
        }
    }

    private mutating func take(_ actions: [Slot.Action]) {
        for action in actions {
            switch action {
            case .submit(let spec): jobs.append(spec.id)
            case .adopt(let terms):
                // The node's use of the terms.
                _ = Duration.seconds(terms.stallSeconds) * 4
            case .send(let message):
                let (header, body) = message.encoded()
                #expect((try? Message.decode([header, body]).get()) != nil, "\(seed): \(message) cannot be said")
            default: break
            }
        }
    }
}

@Suite struct HostileServerTests {
    @Test func aServerThatSaysExtremesStopsNoNode() { Self.simulate(Seed.cases(2000)) }

    /// A hundred thousand schedules.
    @Suite struct Sweep {
        @Test func aServerThatSaysExtremesStopsNoNode() { simulate(Seed.cases(100_000)) }
    }

    private static func simulate(_ cases: Int) {
        let seed = Seed.announced(for: "HostileServerTests", cases: cases)
        for round in 0..<cases {
            var server = HostileServer(seed: seed, round: round)
            server.run(steps: 40)
        }
    }
}
