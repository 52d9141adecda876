import Foundation
import Glibc
import Messaging
import TestSupport
import Testing

@testable import Farm

/// Nodes of which one is late: real processes, one of which is not let run.
@Suite(.listens) struct LateNodeTests {
    private static func spec(_ name: String, _ milliseconds: Int) -> JobSpec {
        var spec = JobSpec(name, "sleep", "\(milliseconds)")
        spec.mayRunTwice = true
        return spec
    }

    @Test func aLateJobIsDoneByAnotherNodeAndTheFirstOneWorksAgain() async throws {
        try await FarmBench.with { farm in
            let slow = try farm.node("slow")
            let (task, log) = farm.start([Self.spec("late", 400)])
            try await eventually("it runs") { log.progresses }
            try await eventually("it has its process") { !FarmBench.children(of: slow).isEmpty }
            let stopped = FarmBench.children(of: slow)
            for child in stopped { kill(child, SIGSTOP) }
            try farm.node("fast")
            for number in 0..<Paces.enough { _ = try await farm.queue.run(Self.spec("quick-\(number)", 300)) }
            #expect(try await task.value.count == 1)
            #expect(log.retries.isEmpty && log.starts == ["slow/1"])
            #expect(farm.log.contains("job late is late on worker slow/1; worker fast/1 does it, too"))
            // Its process does not stop as it is told, and is replaced.
            try await eventually("the stopped process is ended") { !stopped.contains(where: FarmBench.isAlive) }
            let (both, others) = farm.start((0..<6).map { Self.spec("both-\($0)", 600) })
            _ = try await both.value
            #expect(Set(others.starts.compactMap(\.node)) == ["slow", "fast"])
        }
    }
}
