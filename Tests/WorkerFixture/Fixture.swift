import FoundationEssentials
import Glibc
import Messaging

/// A worker whose jobs misbehave as they are told: the other end of the queue's tests with real processes.
@main
enum Fixture {
    static func main() {
        let arguments = CommandLine.arguments
        if arguments.contains("--die-at-start") {
            note("this worker dies at once")
            exit(3)
        }
        let engine = arguments.firstIndex(of: "--engine").map { arguments[$0 + 1] } ?? "test"
        guard let launch = WorkerLaunch(arguments: arguments),
            let session = try? WorkerSession(launch, engine: engine)
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
