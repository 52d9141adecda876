import ArgumentParser
import Farm
import FoundationEssentials
import Messaging

/// A process that plays many workers, each with a connection of its own. They do nothing with what
/// they get, but keep to the protocol.
struct Players: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Plays workers; for the other commands.", shouldDisplay: false)

    @Option var connect: String
    @Option var node: String
    @Option var count: Int
    @Option(help: "The folder of the keys.") var keys: String
    @Option(help: "How long a job lasts, in ms.") var hold = 0

    private static let step = Duration.milliseconds(5)

    func run() throws {
        _ = ProcessLimit(.openFiles).raised(to: 16_384)
        guard let key = try KeyFile(path: "\(keys)/\(node).key").pair else { throw ExitCode.failure }
        let server = try KeyFile(path: keys + "/server.pub").publicKey
        let context = try ZMQContext()
        let players = try (1...count).map { number in
            try Player(
                WorkerID(node: node, slot: number),
                { id throws(ZMQError) in
                    try ZMQSocket.remoteDealer(context: context, name: id, key: key, server: server)
                }, connect, hold: .milliseconds(hold))
        }
        let names = players.map { $0.socket.name }
        var poller = Poller()
        while true {
            try poller.wait(for: names, descriptors: [], timeout: Self.step)
            let now = SuspendingClock.now
            for player in players { player.turn(at: now) }
        }
    }
}

/// A worker that is played.
final class Player {
    let socket: ZMQSocket
    private let hello: Message
    private var isWelcome = false
    private let hold: Duration
    private var work: (lease: Lease, end: SuspendingClock.Instant, waited: Duration)?
    private var unacknowledged: [Lease: Message] = [:]
    /// When its last job ended.
    private var askedAt: SuspendingClock.Instant?
    private var nextWord = SuspendingClock.now
    private var nextRepeat = SuspendingClock.now

    private static let interval = Duration.milliseconds(500)
    private static let repeatInterval = Duration.seconds(2)

    init(
        _ id: WorkerID, _ make: (WorkerID) throws(ZMQError) -> ZMQSocket, _ endpoint: String, hold: Duration
    ) throws(ZMQError) {
        self.hold = hold
        socket = try make(id)
        try socket.connect(endpoint)
        let node = NodeIntroduction(session: "\(UInt64.random(in: .min ... .max))")
        hello = .hello(WorkerIntroduction(worker: id.name, process: 1, engine: QueueBench.engine, node: node))
    }

    func turn(at now: SuspendingClock.Instant) {
        while let received = try? socket.receiveMessages() {
            for case .success(let message) in received { hear(message, at: now) }
        }
        if let work, now >= work.end { finish(work.lease, after: work.waited, at: now) }
        if now >= nextRepeat {
            nextRepeat = now + Self.repeatInterval
            for message in unacknowledged.values { say(message) }
        }
        guard now >= nextWord else { return }
        nextWord = now + Self.interval
        say(isWelcome ? work.map { .heartbeat($0.lease, Progress()) } ?? .ready : hello)
    }

    private func hear(_ message: Message, at now: SuspendingClock.Instant) {
        switch message {
        case .welcome:
            isWelcome = true
            ask(at: now)
        case .introduceYourself:
            isWelcome = false
            nextWord = now
        case .assign(let lease, _):
            guard unacknowledged[lease] == nil, work == nil else { return }
            let waited = askedAt.map { SuspendingClock.now - $0 } ?? .zero
            work = (lease, now + hold, waited)
            if hold == .zero { finish(lease, after: waited, at: now) }
        case .acknowledge(let lease), .cancel(let lease): unacknowledged[lease] = nil
        default: break
        }
    }

    private func finish(_ lease: Lease, after waited: Duration, at now: SuspendingClock.Instant) {
        let result = Message.completed(lease, result: IdleResult.data(waited))
        (work, unacknowledged[lease]) = (nil, result)
        (askedAt, nextWord) = (.now, now + Self.interval)
        _ = try? socket.send(result, .ready)
    }

    private func ask(at now: SuspendingClock.Instant) {
        nextWord = now + Self.interval
        say(.ready)
    }

    private func say(_ message: Message) { _ = try? socket.send(message) }
}
