import Foundation
import Logging
import Messaging
import TestSupport
import Testing

@testable import Farm

extension Locked {
    /// Elements in an array of their own. ThreadSanitizer does not see that reference counts keep a
    /// reader of a shared array apart from the next writer.
    func elements<Element>() -> [Element] where Value == [Element] { withLock { $0.map(\.self) } }
}

/// The messages of a logger.
final class LogLines: Sendable {
    private let all = Locked<[String]>([])
    var lines: [String] { all.elements() }
    func contains(_ text: String) -> Bool { lines.contains { $0.contains(text) } }

    var logger: Logger {
        var logger = Logger(label: "test") { [all] _ in Handler(all: all) }
        logger.logLevel = .debug
        return logger
    }

    private struct Handler: LogHandler {
        let all: Locked<[String]>
        var metadata = Logger.Metadata()
        var logLevel = Logger.Level.debug
        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }
        func log(event: LogEvent) { all.withLock { $0.append("\(event.level): \(event.message)") } }
        func log(
            level: Logger.Level, message: Logger.Message, metadata: Logger.Metadata?, source: String, file: String,
            function: String, line: UInt
        ) {
            all.withLock { $0.append("\(level): \(message)") }
        }
    }
}

/// The events of jobs.
final class EventLog: Sendable {
    private let list = Locked<[JobEvent]>([])
    var events: [JobEvent] { list.elements() }
    func add(_ event: JobEvent) { list.withLock { $0.append(event) } }

    var retries: [String] { events.compactMap { if case .retrying(_, let reason) = $0 { reason } else { nil } } }
    /// Whether a run has reported that it continues; a node does so every half second.
    var progresses: Bool { events.contains { if case .progressed = $0 { true } else { false } } }
    var starts: [WorkerID] { events.compactMap { if case .started(_, let worker) = $0 { worker } else { nil } } }
}

extension JobSpec {
    init(_ id: String, _ kind: String, _ payload: String = "", needs: Set<String> = []) {
        self.init(id: JobID(id), kind: kind, payload: Data(payload.utf8), needs: needs)
    }
}

/// Waits until a condition holds; fails the test after half a minute.
func eventually(_ what: Comment, _ condition: () async -> Bool) async throws {
    for _ in 0..<3000 {
        if await condition() { return }
        try await Task.sleep(for: .milliseconds(10))
    }
    Issue.record("never came true: \(what)")
    throw CancellationError()
}

extension FarmBench {
    /// Starts some jobs; the task's value waits for them.
    func start(_ jobs: [JobSpec], _ log: EventLog = EventLog()) -> (
        task: Task<[JobID: Data], any Error>, log: EventLog
    ) {
        let queue = queue
        let task = Task(executorPreference: TestThreads.listeners) {
            do { return try await queue.run(jobs) { log.add($0) } } catch { throw error }
        }
        return (task, log)
    }

    /// Runs one job and returns its result as text.
    func run(_ job: JobSpec) async throws -> String {
        String(decoding: try await queue.run(job), as: UTF8.self)
    }
}
