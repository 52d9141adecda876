import Foundation
import Glibc
import Messaging
import TestSupport
import Testing

@testable import Farm

/// Nodes that leave by themselves, and results that outlive them.
@Suite(.listens) struct LeavingTests {
    @Test func aNodeThatIsToldToLeaveFinishesWhatRuns() async throws {
        // No worker is lost, however loaded the machine is.
        try await FarmBench.with(adjust: { $0.leaseTimeout = .seconds(3600) }) { farm in
            let node = try farm.node("a")
            let (task, log) = farm.start([JobSpec("job", "until", farm.folder.file("go")), JobSpec("next", "echo")])
            // A job that it only just received when it is told to leave is given back.
            try await eventually("it runs") { log.progresses }
            node.send(SIGTERM)
            try await eventually("it has heard so") { node.stderrSoFar.contains("leaving") || !node.isRunning }
            close(creat(farm.folder.file("go"), 0o600))
            let end = node.wait(timeout: 20)
            #expect(end.status == 0, "\(end)")
            #expect(log.starts.count == 1 && log.retries.isEmpty, "it takes nothing more: \(log.retries)")
            try farm.node("b")
            #expect(try await task.value.count == 2)
        }
    }

    @Test func aNodeThatIsOutOfTimeGivesItsJobBackAtOnce() async throws {
        try await FarmBench.with(adjust: { $0.leaseTimeout = .seconds(3600) }) { farm in
            let node = try farm.node("a", "--drain-seconds", "0")
            let (task, log) = farm.start([JobSpec("job", "until", farm.folder.file("go"))])
            try await eventually("it runs") { !log.starts.isEmpty }
            node.send(SIGTERM)
            #expect(node.wait(timeout: 20).status == 0)
            try farm.node("b")
            try await eventually("it runs again") { log.starts.count == 2 }
            #expect(log.retries == ["worker a/1 has left"])
            close(creat(farm.folder.file("go"), 0o600))
            #expect(try await task.value.count == 1)
        }
    }

    @Test func aSecondSignalEndsANodeAtOnce() async throws {
        try await FarmBench.with { farm in
            let node = try farm.node("a")
            let (task, log) = farm.start([JobSpec("job", "until", farm.folder.file("never"))])
            try await eventually("it runs") { !log.starts.isEmpty }
            try await eventually("it has its process") { !FarmBench.children(of: node).isEmpty }
            let children = FarmBench.children(of: node)
            node.send(SIGTERM)
            try await Task.sleep(for: .milliseconds(700))
            node.send(SIGTERM)
            #expect(node.wait(timeout: 20).status == 143)
            try await eventually("no process is left") { !children.contains(where: FarmBench.isAlive) }
            task.cancel()
            _ = try? await task.value
        }
    }

    @Test func aRevokedKeyIsCutOffAtOnce() async throws {
        try await FarmBench.with(adjust: { $0.leaseTimeout = .seconds(3600) }) { farm in
            try farm.node("a")
            let (task, log) = farm.start([JobSpec("job", "until", farm.folder.file("go"))])
            try await eventually("it runs") { !log.starts.isEmpty }
            farm.revoke("a")
            try await eventually("its job is free") { log.retries.count == 1 }
            #expect(log.retries[0].contains("its key was revoked"))
            try await eventually("what it says is dropped") { farm.log.contains("messages were dropped so far") }
            #expect(log.starts.count == 1, "it gets nothing more")
            try farm.node("b")
            close(creat(farm.folder.file("go"), 0o600))
            #expect(try await task.value.count == 1)
            #expect(log.starts.map(\.node) == ["a", "b"])
        }
    }

    /// It is told to leave, too.
    @Suite struct Sweep {
        @Test(arguments: [SIGKILL, SIGTERM])
        func aResultThatWasNotAcknowledgedOutlivesItsNode(signal: Int32) async throws {
            try await LeavingTests().aResultThatWasNotAcknowledgedOutlivesItsNode(signal: signal)
        }
    }

    /// A node that was killed, or told to leave before its result was acknowledged, delivers the
    /// result after a restart.
    @Test(arguments: [SIGKILL])
    func aResultThatWasNotAcknowledgedOutlivesItsNode(signal: Int32) async throws {
        try await FarmBench.with { farm in
            let deaf = try DeafServer(farm)
            let first = try farm.node("a", endpoint: deaf.endpoint)
            let lease = Lease(job: "job", epoch: 5)
            try deaf.hear { if case .hello = $0 { true } else { false } }
            try deaf.say(.welcome(WorkerTerms(host: "deaf")))
            try deaf.hear { $0 == .ready }
            try deaf.say(.assign(lease, Assignment(kind: "echo", payload: Data("result".utf8))))
            let result = Message.completed(lease, result: Data("result".utf8))
            try deaf.hear { $0 == result }
            let spool = farm.folder.file("spool-a")
            try await eventually("it is kept") {
                (try? FileManager.default.contentsOfDirectory(atPath: spool))?.contains("1-5.result") ?? false
            }
            first.send(signal)
            #expect(first.wait(timeout: 20).status == (signal == SIGTERM ? 0 : nil))
            try farm.node("a", endpoint: deaf.endpoint)
            try deaf.hear { if case .hello(let hello) = $0 { hello.node?.leases == [lease] } else { false } }
            try deaf.say(.welcome(WorkerTerms(host: "deaf")))
            try deaf.hear { $0 == result }
            try deaf.say(.acknowledge(lease))
            try await eventually("it is forgotten") {
                (try? FileManager.default.contentsOfDirectory(atPath: spool)) == ["lock"]
            }
        }
    }
}

/// A server that sends what the test wants, to worker a/1.
private final class DeafServer {
    private let socket: ZMQSocket
    private let authenticator: Authenticator
    let endpoint: String

    init(_ farm: FarmBench) throws {
        let context = try ZMQContext()
        authenticator = try Authenticator(context: context, allowed: farm.allowed)
        socket = try ZMQSocket.remoteRouter(context: context, key: try #require(farm.server.pair))
        try socket.bind("tcp://127.0.0.1:*")
        endpoint = try socket.lastEndpoint()
    }

    func say(_ message: Message) throws { #expect(try socket.send(message, to: "a/1")) }

    /// Waits for a message.
    func hear(_ isWanted: (Message) -> Bool) throws {
        var poller = Poller()
        for _ in 0..<200 {
            while let (worker, _, received) = try socket.receiveFromRemote() {
                #expect(worker == "a/1")
                for case .success(let message) in received where isWanted(message) { return }
            }
            _ = try poller.wait(for: socket, timeout: .milliseconds(100))
        }
        Issue.record("it never came")
        throw CancellationError()
    }
}
