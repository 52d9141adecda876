import ArgumentParser
import Farm
import Foundation
import Glibc
import Journal
import Messaging

/// Very many workers from elsewhere: each has a connection of its own, with its key, and says and
/// hears what a node's slot does. Their processes are played by a few (``Players``), as no machine
/// has room for so many.
struct Crowd: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Jobs that do nothing, by many workers over encrypted connections.")

    @Option(help: "Workers.") var workers = 1000
    @Option(help: "Processes that play them.") var processes = 4
    @Option(help: "Renders that are there at once.") var renders = 4
    @Option(help: "Jobs of each render.") var jobs = 10_000
    @Option(help: "The size of a job's description in bytes.") var payload = 512
    @Option(help: "How long a job lasts, in ms.") var hold = 1000
    @Option(help: "A folder on the disk that is to be written to.") var state: String

    private static let idleSeconds = 5

    func run() async throws {
        _ = ProcessLimit(.openFiles).raised(to: 16_384)
        let journal = try Journal(folder: state)
        let server = try KeyFile(name: "bench", role: .server)
        try server.withoutSecret.write(to: state + "/server.pub", overwrites: true)
        var keys: [PublicKey: String] = [:]
        for number in 1...processes {
            let key = try KeyFile(name: "n\(number)", role: .node)
            try key.write(to: "\(state)/n\(number).key", overwrites: true)
            keys[key.publicKey] = key.name
        }
        guard let pair = server.pair else { throw ExitCode.failure }
        var configuration = JobQueue.Configuration(workers: 0, workerPath: "/nowhere", engine: QueueBench.engine)
        configuration.firstEpoch = try journal.reserveEpochs()
        configuration.listening = .init(endpoints: ["tcp://127.0.0.1:*"], key: pair, allowed: AllowList(keys))
        let queue = try JobQueue(configuration: configuration)
        let start = SuspendingClock.now
        var players: [Process] = []
        defer { for player in players { player.terminate() } }
        for number in 1...processes {
            let count = workers / processes + (number <= workers % processes ? 1 : 0)
            players.append(try play("n\(number)", count, at: queue.endpoints[0]))
        }
        while await (queue.status()?.workers.count ?? workers) < workers {
            try await Task.sleep(for: .milliseconds(50))
        }
        let arrival = (SuspendingClock.now - start) / .seconds(1)
        let before = Processor.seconds(of: RUSAGE_SELF)
        try await Task.sleep(for: .seconds(Self.idleSeconds))
        let idle = (Processor.seconds(of: RUSAGE_SELF) - before) / Double(Self.idleSeconds)
        let account = Account()
        let load = Load(renders: renders, jobsPerRender: jobs, payload: payload)
        let seconds = try await load.run(on: queue, journal, account)
        await queue.shutdown(graceful: true)
        var report = Report(account.value, seconds: seconds)
        (report.arrival, report.idleLoad) = (arrival, idle)
        try report.tell()
    }

    private func play(_ node: String, _ count: Int, at endpoint: String) throws -> Process {
        let player = Process()
        player.executableURL = URL(fileURLWithPath: QueueBench.path)
        player.arguments = [
            "players", "--connect", endpoint, "--node", node, "--count", "\(count)", "--keys", state, "--hold",
            "\(hold)",
        ]
        try player.run()
        return player
    }
}
