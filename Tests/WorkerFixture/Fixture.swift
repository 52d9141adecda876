import Agent
import FoundationEssentials
import Glibc
import Messaging

/// A worker whose jobs misbehave on demand: the other end of the queue's tests with real processes.
@main
enum Fixture {
    static func main() {
        let arguments = CommandLine.arguments
        if arguments.contains("--die-at-start") {
            note("this worker dies at once")
            exit(3)
        }
        // A node of a farm, whose workers are this program again.
        if arguments.contains("--connect") {
            let engine = getenv("FIXTURE_ENGINE").map { String(cString: $0) } ?? "test"
            let program = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
            exit(AgentCommand.main(Array(arguments.dropFirst()), engine: engine, workerPath: program))
        }
        let engine =
            arguments.firstIndex(of: "--engine").map { arguments[$0 + 1] }
            ?? getenv("FIXTURE_ENGINE").map { String(cString: $0) } ?? "test"
        guard let launch = WorkerLaunch(arguments: arguments),
            let session = try? WorkerSession(
                launch, engine: engine,
                activity: { DecodedFile.current.withLock { $0 }.map { "the decoder of ‘\($0)’" } })
        else {
            note("this worker was started without an endpoint")
            exit(64)
        }
        exit(session.run(FixtureHandler(launch: launch)).exitCode)
    }
}

/// Writes a line to standard error.
func note(_ text: String) {
    let line = Array((text + "\n").utf8)
    _ = write(STDERR_FILENO, line, line.count)
}
