import ArgumentParser
import Foundation
import Glibc
import Messaging

/// The program behind `make bench` *queue*: the real queue, its real worker processes and the real
/// journal, with jobs that do nothing. It is its own worker. Each command prints one object of
/// JSON; `Benchmarks/queue.py` runs them and tells people.
@main
struct QueueBench: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "QueueBench", abstract: "Measures the queue and the journal with jobs that do nothing.",
        subcommands: [Durable.self, Crowd.self, Players.self, Fill.self])

    static func main() async {
        // The queue starts this program again for its workers.
        if let launch = WorkerLaunch(arguments: CommandLine.arguments) {
            guard let session = try? WorkerSession(launch, engine: engine) else { Glibc.exit(EX_USAGE) }
            Glibc.exit(session.run(IdleHandler()).exitCode)
        }
        await main(nil)
    }

    /// The build that host and workers belong to: this one.
    static let engine = "bench"

    static var path: String { (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? "" }
}
