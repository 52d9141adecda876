import FoundationEssentials
import Glibc
import TestSupport
import Testing

@testable import Farm
@testable import Messaging

/// Peers that are not the queue's workers, and a host that is killed.
@Suite(.listens) struct QueueHostileTests {
    /// Returns the socket of the only queue in a folder.
    private func endpoint(in folder: String) throws -> String {
        let name = try #require(
            FileManager.default.contentsOfDirectory(atPath: folder).first { $0.hasPrefix("cutroom-queue-") })
        return "ipc://\(folder)/\(name)/socket"
    }

    private func send(_ frames: [Data], on socket: borrowing ZMQSocket) throws {
        var poller = Poller()
        for _ in 0..<100 {
            if try socket.send(frames) { return }
            _ = try poller.wait(for: socket, writable: true, timeout: .milliseconds(100))
        }
        Issue.record("could not send")
    }

    private func answer(on socket: borrowing ZMQSocket) throws -> Message? {
        var poller = Poller()
        for _ in 0..<100 {
            if let received = try socket.receiveMessages() { return try? received.first?.get() }
            _ = try poller.wait(for: socket, timeout: .milliseconds(100))
        }
        return nil
    }

    private func frames(_ message: Message) -> [Data] {
        let (header, body) = message.encoded()
        return [header, body]
    }

    @Test func garbageStopsNothing() async throws {
        try await withQueue(workers: 2) { queue, folder in
            let log = EventLog()
            let task = Task(executorPreference: TestThreads.listeners) {
                try await queue.run((0..<20).map { JobSpec("job-\($0)", "sleep", "50") }) { log.add($0) }
            }
            try await eventually("two jobs run") { log.starts >= 2 }
            let seed = Seed.announced(for: "garbage on the socket", cases: 2000)
            var random = SplitMix64(seed: seed)
            let socket = try ZMQSocket.dealer(context: ZMQContext(), name: "intruder")
            try socket.connect(try endpoint(in: folder))
            for _ in 0..<2000 {
                let frames = (0..<Int.random(in: 1...5, using: &random)).map { _ in
                    Data(
                        (0..<Int.random(in: 0...80, using: &random)).map { _ in
                            UInt8.random(in: 0...255, using: &random)
                        })
                }
                try send(frames, on: socket)
            }
            // Bytes that are not even ZeroMQ.
            try sendRaw([UInt8](repeating: 0x41, count: 4096), to: try endpoint(in: folder))
            let results = try await task.value
            #expect(results.count == 20, "seed \(seed)")
            #expect(log.retries.isEmpty, "seed \(seed)")
        }
    }

    private func sendRaw(_ bytes: [UInt8], to endpoint: String) throws {
        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        try #require(descriptor >= 0)
        defer { close(descriptor) }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) {
            $0.copyBytes(from: Array(endpoint.dropFirst("ipc://".count).utf8))
        }
        let connected = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        #expect(connected == 0)
        _ = Glibc.send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL))
    }

    @Test func strangersAndOtherVersionsAreRefused() async throws {
        try await withQueue(workers: 1) { queue, folder in
            _ = try await queue.run(JobSpec("first", "echo"))
            let socket = try ZMQSocket.dealer(context: ZMQContext(), name: "stranger")
            try socket.connect(try endpoint(in: folder))
            try send(frames(.hello(WorkerIntroduction(worker: "stranger", process: 1, engine: "test"))), on: socket)
            guard case .refused(let reason) = try answer(on: socket) else {
                Issue.record("not refused")
                return
            }
            #expect(reason.contains("stranger"))
            var old = frames(.hello(WorkerIntroduction(worker: "stranger", process: 1, engine: "test")))
            old[0][4] = 77
            try send(old, on: socket)
            guard case .refused(let version) = try answer(on: socket) else {
                Issue.record("not refused")
                return
            }
            #expect(version.contains("77"))
            #expect(text(try await queue.run(JobSpec("second", "echo", "fine"))) == "fine")
        }
    }

    /// Messages that a worker that counts as dead might still send, in its name, under its lease.
    @Test func aLateResultIsDropped() async throws {
        try await withQueue(workers: 1) { queue, folder in
            let log = EventLog()
            let task = Task(executorPreference: TestThreads.listeners) {
                try await queue.run([JobSpec("job", "until", folder + "/go")]) { log.add($0) }
            }
            try await eventually("the job runs") { log.starts == 1 }
            for pid in processes(mentioning: folder) { kill(pid, SIGKILL) }
            try await eventually("it runs again") { log.starts == 2 }
            let ghost = try ZMQSocket.dealer(context: ZMQContext(), name: "w1")
            try ghost.connect(try endpoint(in: folder))
            try send(frames(.completed(Lease(job: "job", epoch: 1), result: Data("late".utf8))), on: ghost)
            try send(frames(.completed(Lease(job: "job", epoch: 2), result: Data("forged".utf8))), on: ghost)
            // The answer to this comes after both were handled.
            try send(frames(.hello(WorkerIntroduction(worker: "w1", process: 1, engine: "test"))), on: ghost)
            guard case .refused = try answer(on: ghost) else {
                Issue.record("the ghost was let in")
                return
            }
            touch(folder + "/go")
            let result = text(try await task.value["job"])
            #expect(result.hasPrefix("w2 "), "\(result)")
        }
    }

    /// The host is killed with running jobs: its workers end at once, busy or stuck, and the next
    /// queue cleans up.
    @Test func aKilledHostLeavesNoWorkers() async throws {
        let folder = "/tmp/cutroom-killed-host-\(getpid())"
        try? FileManager.default.removeItem(atPath: folder)
        mkdir(folder, 0o700)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        await #expect(processExitsWith: .signal(SIGKILL)) { [folder = folder as String] in
            let queue = try JobQueue(
                configuration: .init(
                    workers: 3, workerPath: fixturePath, engine: "test", runtimeDirectory: folder))
            let log = EventLog()
            let jobs = [JobSpec("busy", "sleep", "60000"), JobSpec("stuck", "hang"), JobSpec("deaf", "deaf")]
            let task = Task(executorPreference: TestThreads.listeners) { try await queue.run(jobs) { log.add($0) } }
            try await eventually("all run") { log.starts == 3 }
            kill(getpid(), SIGKILL)
            _ = try await task.value
        }
        try await eventually("no worker is left") { processes(mentioning: folder).isEmpty }
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder).count == 1, "it could not clean up")
        let queue = try JobQueue(
            configuration: .init(workers: 1, workerPath: fixturePath, engine: "test", runtimeDirectory: folder))
        await queue.shutdown()
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder).isEmpty)
    }

    /// A worker that inherited another's lifeline would keep it alive after the host's death.
    @Test func workersInheritNothing() async throws {
        try await withQueue(workers: 3) { queue, folder in
            let log = EventLog()
            let task = Task(executorPreference: TestThreads.listeners) {
                try await queue.run((0..<3).map { JobSpec("s\($0)", "sleep", "60000") }) { log.add($0) }
            }
            try await eventually("all run") { log.starts == 3 }
            let held = processes(mentioning: folder).map { pid in
                Set(
                    ((try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(pid)/fd")) ?? []).compactMap {
                        try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/\(pid)/fd/\($0)")
                    }.filter { $0.hasPrefix("pipe:") })
            }
            #expect(held.count == 3 && held.allSatisfy { $0.count == 1 }, "one lifeline each: \(held)")
            #expect(Set(held.joined()).count == 3, "and each its own")
            #expect(
                processes(mentioning: folder).allSatisfy { getpgid($0) == $0 },
                "Ctrl-C at the host's terminal does not reach them")
            task.cancel()
            await #expect(throws: QueueError.cancelled) { try await task.value }
        }
    }
}
