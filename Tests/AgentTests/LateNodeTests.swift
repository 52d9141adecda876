import Foundation
import Glibc
import Messaging
import TestSupport
import Testing

@testable import Farm

/// A late node, as a real process that is stopped.
@Suite(.listens) struct LateNodeTests {
    /// Makes a job that ends when the file exists.
    private static func spec(_ name: String, until file: String) -> JobSpec {
        var spec = JobSpec(name, "until", file)
        spec.mayRunTwice = true
        return spec
    }

    @Test func aLateJobIsDoneByAnotherNodeAndTheFirstOneWorksAgain() async throws {
        try await FarmBench.with { farm in
            let slow = try farm.node("slow")
            let (task, log) = farm.start([Self.spec("late", until: farm.folder.file("go"))])
            try await eventually("it runs") { log.progresses }
            let stopped = FarmBench.children(of: slow)
            for child in stopped { kill(child, SIGSTOP) }
            try farm.node("fast")
            for number in 0..<Paces.enough {
                _ = try await farm.queue.run(Self.spec("quick-\(number)", until: farm.folder.path))
            }
            try await eventually("another starts a backup run") {
                farm.log.contains("job late is late on worker slow/1; worker fast/1 starts a backup run")
            }
            close(creat(farm.folder.file("go"), 0o600))
            #expect(try await task.value.count == 1)
            #expect(log.retries.isEmpty && log.starts == ["slow/1"])
            // Its process does not stop when told to, and is replaced.
            try await eventually("the stopped process is ended") { !stopped.contains(where: FarmBench.isAlive) }
            let (both, others) = farm.start((0..<6).map { JobSpec("both-\($0)", "sleep", "600") })
            _ = try await both.value
            #expect(Set(others.starts.compactMap(\.node)) == ["slow", "fast"])
        }
    }
}
