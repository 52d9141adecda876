import Dispatch
import FoundationEssentials
import Messaging

/// Runs jobs in worker processes of its own. The embedded farm: a broker on its own thread, and local workers over
/// `ipc://`.
///
/// Workers are started when there is work for them, and stay until `shutdown`. All functions may be called from any
/// thread or task, at the same time.
final class JobQueue: Sendable {
    let mailbox: Mailbox

    /// Opens the queue; starts no worker yet.
    /// - Throws: `.unavailable` when the private folder, the socket or the thread cannot be made.
    init(configuration: Configuration) throws(QueueError) {
        let runtime: RuntimeDirectory
        do {
            runtime = try RuntimeDirectory(parent: configuration.runtimeDirectory)
            mailbox = try Mailbox()
        } catch let error as RuntimeDirectory.Failure {
            throw QueueError(.unavailable, error.description)
        } catch {
            throw QueueError(.unavailable, "The queue cannot be opened: \(error).")
        }
        let opened = Handover<Result<Void, QueueError>>()
        let isRunning = SystemThread.start(name: "job-queue") { [mailbox] in
            QueueDriver.live(configuration, runtime, mailbox) { opened.put($0) }
        }
        guard isRunning else {
            runtime.remove()
            throw QueueError(.unavailable, "The queue cannot be opened: the system gives no more threads.")
        }
        try opened.take().get()
    }

    deinit { _ = mailbox.post(.shutdown(graceful: false, whenClosed: {})) }

    /// Runs jobs and returns their results, when all have ended.
    ///
    /// The first one that fails for good cancels the rest of this call; then, when those have ended too, its failure is
    /// thrown. Nothing of this call runs any more once it has returned. Cancelling the calling task cancels the jobs.
    /// - Parameters:
    ///   - onEvent: called on the queue's thread for what happens to these jobs, in order; it must return soon.
    ///   - onResult: called in the same way with each job's result, also where another job's failure ends the call.
    ///   - recovers: called in the same way for each job that fails for good; where it is true, the caller deals with that, and the
    ///     other jobs go on. Such a job has no result.
    /// - Throws: `.jobFailed`, `.cancelled`, `.closed` or `.invalidJob`.
    func run(
        _ jobs: [JobSpec], onEvent: @escaping @Sendable (JobEvent) -> Void = { _ in },
        onResult: @escaping @Sendable (JobID, Data) -> Void = { _, _ in },
        recovers: @escaping @Sendable (JobID, JobFailure) -> Bool = { _, _ in false }
    ) async throws(QueueError) -> [JobID: Data] {
        let submission = try Submission(jobs, onEvent: onEvent, onResult: onResult, recovers: recovers)
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                submission.whenEnded { continuation.resume(returning: $0) }
                if !mailbox.post(.submit(submission)) { submission.end(.failure(.closed)) }
            }
        } onCancel: {
            submission.requestCancellation()
            _ = mailbox.post(.cancel(submission))
        }
        return try result.get()
    }

    /// Runs one job and returns its result.
    /// - Throws: as `run(_:onEvent:)` for many.
    func run(_ job: JobSpec) async throws(QueueError) -> Data {
        try await run([job])[job.id] ?? Data()
    }

    /// Runs one job while the calling thread waits. Not for Swift's cooperative threads (`async` code), which must not
    /// wait.
    /// - Parameter onEvent: as of `run(_:onEvent:)`.
    /// - Throws: as `run(_:onEvent:)`.
    func runBlocking(
        _ job: JobSpec, onEvent: @escaping @Sendable (JobEvent) -> Void = { _ in }
    ) throws(QueueError) -> Data {
        let submission = try Submission([job], onEvent: onEvent)
        let ended = Handover<Result<[JobID: Data], QueueError>>()
        submission.whenEnded { ended.put($0) }
        if !mailbox.post(.submit(submission)) { throw .closed }
        return try ended.take().get()[job.id] ?? Data()
    }

    /// Begins a ``shutdown(graceful:)`` and does not wait for it.
    func stop() { _ = mailbox.post(.shutdown(graceful: false, whenClosed: {})) }

    /// Cancels all jobs, ends all workers and removes every file of the queue's. Returns when nothing is left.
    /// - Parameter graceful: give the workers a moment to stop; else they are killed at once. May be called again,
    ///   ungracefully, while a graceful shutdown is under way.
    func shutdown(graceful: Bool = true) async {
        await withCheckedContinuation { continuation in
            if !mailbox.post(.shutdown(graceful: graceful, whenClosed: { continuation.resume() })) {
                continuation.resume()
            }
        }
    }
}

/// One value, handed from one thread to another that waits for it.
private final class Handover<Value: Sendable>: Sendable {
    private let semaphore = DispatchSemaphore(value: 0)
    private let value = Locked<Value?>(nil)

    func put(_ new: Value) {
        value.withLock { $0 = new }
        semaphore.signal()
    }

    func take() -> Value {
        while true {
            semaphore.wait()
            if let value = value.withLock({ $0 }) { return value }
        }
    }
}
