import Dispatch
import FoundationEssentials
import Glibc
import Logging
import Messaging
import TestSupport
import Testing

@testable import Farm

/// The host's blocking work is done off the queue's thread.
@Suite(.listens) struct SlowDiskTests {
    /// While the remains of a crashed worker are read, for much longer than a lease, the others
    /// work, and another takes the crashed one's place.
    @Test func whatACrashLeftBehindMayTakeItsTime() async throws {
        let reading = DispatchSemaphore(value: 0)
        let isRead = Locked(false)
        try await withQueue(workers: 2) {
            $0.leaseTimeout = .seconds(1)
            $0.explainsFault = { note in
                isRead.withLock { $0 = true }
                // With a limit: if the queue's thread blocks here, the test must fail and not hang.
                _ = reading.wait(timeout: .now() + 20)
                return "it \(text(note))"
            }
        } _: { queue, folder in
            let log = EventLog()
            let steady = Task(executorPreference: TestThreads.listeners) {
                try await queue.run([JobSpec("steady", "until", folder + "/go")]) { log.add($0) }
            }
            try await eventually("it runs") { log.starts == 1 }
            let crash = Task(executorPreference: TestThreads.listeners) {
                try await queue.run([JobSpec("crash", "crash-with-fault", "went wrong")]) { log.add($0) }
            }
            try await eventually("the crash is looked into") { isRead.withLock { $0 } }
            try await Task.sleep(for: .seconds(2))
            #expect(text(try await queue.run(JobSpec("other", "whoami"))).hasPrefix("w3 "))
            #expect(log.retries.isEmpty, "nobody is lost, and the crash is not judged before it is understood")
            for _ in 0..<3 { reading.signal() }
            let error = await #expect(throws: QueueError.self) { _ = try await crash.value }
            #expect(error?.message.contains("it went wrong") == true)
            touch(folder + "/go")
            #expect(text(try await steady.value["steady"]).hasPrefix("w1 "))
            #expect(log.retries.count == 2)
        }
    }

    @Test func pipesInAWorkersFolderHoldNobodyUp() async throws {
        let folder = try makeFolder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try await withQueue(workers: 1) {
            $0.logDirectory = folder + "/logs"
        } _: { queue, _ in
            let error = await #expect(throws: QueueError.self) {
                _ = try await queue.run(JobSpec("job", "crash-among-pipes"))
            }
            #expect(error?.message.contains("SIGSEGV") == true)
        }
        #expect(access(folder + "/logs", F_OK) != 0, "there was no log to keep")
    }

    /// Standard error may be a pipe that nothing reads.
    @Test func aLogThatBlocksHoldsNobodyUp() async throws {
        let blocked = DispatchSemaphore(value: 0)
        let hasWaitedInVain = Locked(false)
        try await withQueue(workers: 1) {
            $0.logger = Logger(
                label: "blocked", factory: { _ in BlockingLog(gate: blocked, hasWaitedInVain: hasWaitedInVain) })
        } _: { queue, _ in
            defer { blocked.signal() }
            for round in 0..<3 {
                let result = try await queue.run(JobSpec("job-\(round)", "echo", "x"))
                #expect(text(result) == "x")
            }
            #expect(!hasWaitedInVain.withLock { $0 }, "a job waited for the log")
        }
    }
}

/// A log that blocks at its first line until it is released.
private struct BlockingLog: LogHandler {
    let gate: DispatchSemaphore
    let hasWaitedInVain: Locked<Bool>
    var metadata: Logger.Metadata = [:]
    var logLevel = Logger.Level.debug

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        if gate.wait(timeout: .now() + 20) == .timedOut { hasWaitedInVain.withLock { $0 = true } }
        gate.signal()
    }
}
