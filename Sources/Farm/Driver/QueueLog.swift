import Dispatch
import Logging
import Messaging
import Synchronization

/// The queue's log. A thread of its own writes it, because standard error may be a pipe that
/// nothing reads.
final class QueueLog: Sendable {
    private let logger: Logger
    private let writer = DispatchQueue(label: "queue-log")
    private let waiting = Mutex(0)

    /// The most lines that wait to be written; further ones are dropped.
    private static let most = 10_000

    init(_ logger: Logger) { self.logger = logger }

    func write(
        _ level: Logger.Level, _ text: @autoclosure () -> String, worker: WorkerID? = nil, job: JobID? = nil,
        run: QueueDriver.Run? = nil
    ) {
        guard logger.logLevel <= level else { return }
        let hasRoom = waiting.withLock { waiting in
            guard waiting < Self.most else { return false }
            waiting += 1
            return true
        }
        guard hasRoom else { return }
        var metadata: Logger.Metadata = [:]
        if let worker { metadata["worker"] = "\(worker)" }
        if let job { metadata["job"] = "\(job)" }
        if let run {
            metadata["lease"] = "\(run.epoch)"
            if !run.flow.isEmpty { metadata["render"] = "\(run.flow)" }
        }
        writer.async { [self, text = text(), metadata] in
            logger.log(level: level, "\(text)", metadata: metadata)
            waiting.withLock { $0 -= 1 }
        }
    }

    /// Waits until everything is written.
    func flush() { writer.sync {} }
}
