import FoundationEssentials
import Messaging

/// Submitting jobs and waiting for their results.
extension JobQueue {
    /// Runs one job and returns its result. Cancelling the calling task cancels the job.
    /// - Throws: `.jobFailed`, `.cancelled`, `.closed` or `.invalidJob`.
    package func run(_ job: JobSpec) async throws(QueueError) -> Data {
        try await run([job])[job.id] ?? Data()
    }

    /// Runs jobs and returns their results, when all have ended.
    ///
    /// The first job that fails for good cancels the rest of this call; when those have ended, its
    /// failure is thrown. Nothing of this call runs any more once it has returned. Cancelling the
    /// calling task cancels the jobs.
    /// - Parameter onEvent: called in the calling task with these jobs' events, in order.
    /// - Throws: the errors of `run(_:)`.
    package func run(
        _ jobs: [JobSpec], onEvent: (JobEvent) -> Void = { _ in }
    ) async throws(QueueError) -> [JobID: Data] {
        // A call that was cancelled before it began starts no worker.
        if Task.isCancelled { throw .cancelled }
        let client = client()
        try client.submit(jobs)
        var run = Run(jobs)
        while !run.isOver {
            guard let event = await client.events.makeAsyncIterator().next() else { throw .closed }
            onEvent(event)
            if run.take(event) { client.cancel(jobs.map(\.id)) }
        }
        return try run.result()
    }

    /// Runs one job while the calling thread waits. Not for `async` code: Swift's cooperative
    /// threads must not block.
    /// - Parameter onEvent: called on the calling thread with the job's events, in order.
    /// - Throws: the errors of `run(_:)`.
    package func runBlocking(
        _ job: JobSpec, onEvent: (JobEvent) -> Void = { _ in }
    ) throws(QueueError) -> Data {
        let client = client()
        try client.submit([job])
        var run = Run([job])
        while !run.isOver {
            guard let event = client.nextBlocking() else { throw .closed }
            onEvent(event)
            _ = run.take(event)
        }
        return try run.result()[job.id] ?? Data()
    }
}

/// The jobs of one call, which succeed or fail together.
private struct Run {
    private var open: Set<JobID>
    private var results: [JobID: Data] = [:]
    private var error: QueueError?

    init(_ jobs: [JobSpec]) { open = Set(jobs.map(\.id)) }

    var isOver: Bool { open.isEmpty }

    /// Takes in an event.
    /// - Returns: whether it requires cancelling the other jobs.
    mutating func take(_ event: JobEvent) -> Bool {
        let hadError = error != nil
        switch event {
        case .started, .progressed, .retrying: return false
        case .completed(let id, let result): results[id] = result
        // A cancelled job follows from a failed one or from the caller; the cause is reported.
        case .cancelled: error = error ?? .cancelled
        case .failed(let id, let failure):
            if error == nil || error?.code == .cancelled { error = QueueError(id, failure) }
        }
        open.remove(event.job)
        return !hadError && error != nil && !isOver
    }

    func result() throws(QueueError) -> [JobID: Data] {
        if let error { throw error }
        return results
    }
}
