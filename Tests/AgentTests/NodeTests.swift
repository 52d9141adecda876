import Foundation
import Glibc
import Messaging
import TestSupport
import Testing

@testable import Farm

/// Nodes as real processes: they work, are lost, come back, and leave.
@Suite(.listens) struct NodeTests {
    @Test func twoNodesDoTheWork() async throws {
        try await FarmBench.with { farm in
            try farm.node("a", slots: 2)
            try farm.node("b", slots: 2)
            let results = try await farm.queue.run((0..<40).map { JobSpec("job-\($0)", "sleep", "40") })
            let pids = Set(results.values.map { String(decoding: $0, as: UTF8.self).split(separator: " ").last ?? "" })
            #expect(results.count == 40 && pids.count >= 3, "\(pids)")
        }
    }

    /// Names of files are unique among all nodes and local workers.
    @Test func aRunIsNamedByTheServersEpochAndTheNodesOwn() async throws {
        try await FarmBench.with { farm in
            try farm.node("a")
            _ = try await farm.run(JobSpec("first", "echo", "x"))
            #expect(try await farm.run(JobSpec("second", "run-name")) == "2-2")
        }
    }

    @Test func jobsGoOnlyToNodesThatHaveWhatTheyNeed() async throws {
        try await FarmBench.with { farm in
            try farm.node("plain", slots: 2)
            try farm.node("strong", "--tags", "gpu, large")
            let (task, log) = farm.start(
                (0..<4).map { JobSpec("strong-\($0)", "echo", needs: ["gpu", "large"]) }
                    + [JobSpec("impossible", "echo", needs: ["quantum"])]
                    + (0..<4).map { JobSpec("any-\($0)", "sleep", "50") })
            try await eventually("what can be done is done") {
                log.events.count { if case .completed = $0 { true } else { false } } == 8
            }
            for case .started(let lease, let worker) in log.events where lease.job.name.hasPrefix("strong") {
                #expect(worker.node == "strong")
            }
            #expect(!log.events.contains { $0.job == "impossible" })
            task.cancel()
            _ = try? await task.value
        }
    }

    @Test func aKilledNodesJobGoesToAnother() async throws {
        try await FarmBench.with { farm in
            let first = try farm.node("a")
            let (task, log) = farm.start([JobSpec("job", "until", farm.folder.file("go"))])
            try await eventually("it runs") { !log.starts.isEmpty }
            try await eventually("it has its process") { !FarmBench.children(of: first).isEmpty }
            let children = FarmBench.children(of: first)
            first.send(SIGKILL)
            try farm.node("b")
            try await eventually("it runs again") { log.starts.count == 2 }
            #expect(!children.contains(where: FarmBench.isAlive), "its processes end with it")
            close(creat(farm.folder.file("go"), 0o600))
            #expect(try await task.value.count == 1)
            #expect(log.starts.map(\.node) == ["a", "b"] && log.retries.count == 1)
            #expect(log.retries[0].contains("worker a/1 was silent"), "\(log.retries)")
        }
    }

    @Test func aKilledWorkerOfANodeIsTheNodesAffair() async throws {
        try await FarmBench.with { farm in
            let node = try farm.node("a")
            let (task, log) = farm.start([JobSpec("job", "until", farm.folder.file("go"))])
            try await eventually("it runs") { log.progresses }
            try await eventually("it has its process") { !FarmBench.children(of: node).isEmpty }
            for child in FarmBench.children(of: node) { kill(child, SIGKILL) }
            try await eventually("it is told of") { farm.log.contains("job job is retried on a") }
            close(creat(farm.folder.file("go"), 0o600))
            #expect(try await task.value.count == 1)
            #expect(log.retries.isEmpty && log.starts.count == 1)
        }
    }

    @Test func aCrashComesBackWithItsEvidence() async throws {
        try await FarmBench.with { farm in
            try farm.node("a")
            let error = await #expect(throws: QueueError.self) {
                _ = try await farm.run(JobSpec("bad", "crash-in-plugin"))
            }
            // A sanitizer turns the signal into an exit.
            let end = Sanitizer.isActive ? "it ended its worker (exit code " : "it crashed its worker (SIGSEGV)."
            #expect(
                error?.message.hasPrefix(
                    "Job bad failed three times in plugin bad (/plugins/bad.so), effect org.bad, at frame 12: \(end)")
                    == true)
            #expect(error?.failure?.blame?.frame == 12)
            #expect(error?.failure?.details.last == "on node a, slot a/1")
            #expect(try await farm.run(JobSpec("good", "echo", "fine")) == "fine")
        }
    }

    @Test func aWorkersWarningReachesTheServer() async throws {
        try await FarmBench.with { farm in
            try farm.node("a")
            _ = try await farm.run(JobSpec("odd", "warning", "It is odd."))
            try await eventually("it is told") { farm.log.lines.contains("warning: It is odd.") }
        }
    }

    /// A node that is stopped beyond its lease loses its job. Its late result does not count, and
    /// then it works again.
    @Test func aNodeThatStoodStillIsLateAndThenWorksAgain() async throws {
        try await FarmBench.with { farm in
            let first = try farm.node("a")
            let (task, log) = farm.start([JobSpec("job", "until", farm.folder.file("go"))])
            try await eventually("it runs") { !log.starts.isEmpty }
            first.send(SIGSTOP)
            let second = try farm.node("b")
            try await eventually("it runs elsewhere") { log.starts.count == 2 }
            // The first node's worker still runs, so its result is ready before the node continues.
            close(creat(farm.folder.file("go"), 0o600))
            #expect(try await task.value.count == 1)
            first.send(SIGCONT)
            second.send(SIGKILL)
            #expect(try await farm.run(JobSpec("next", "echo", "well")) == "well")
            #expect(log.starts.map(\.node) == ["a", "b"])
        }
    }

    @Test func nodesRegisterWithTheServerThatComesAfter() async throws {
        try await FarmBench.with { farm in
            try farm.node("a")
            let (task, log) = farm.start([JobSpec("job", "until", farm.folder.file("never"))])
            try await eventually("it runs") { !log.starts.isEmpty }
            // Low epochs again: the node must not take them for old ones, nor its old run for the
            // new one.
            try await farm.restart(firstEpoch: 1)
            _ = try? await task.value
            #expect(try await farm.run(JobSpec("job", "echo", "new")) == "new")
        }
    }

    @Test func anotherBuildIsRefusedWithTheReason() async throws {
        try await FarmBench.with { farm in
            let wrong = try farm.node("wrong", environment: ["FIXTURE_ENGINE": "other"])
            try farm.node("right")
            #expect(try await farm.run(JobSpec("job", "echo", "fine")) == "fine")
            let end = wrong.wait(timeout: 20)
            #expect(end.status == 69 && end.stderr.contains("belongs to build other, the host to build test"), "\(end)")
        }
    }
}
