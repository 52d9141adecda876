import Dispatch
import FoundationEssentials
import Jobs
import Messaging

/// How a command has one job done. A render, which has many, holds a ``JobClient`` of its own.
extension HostSession {
    /// A job as the queue takes it, with a name that is unique in this session.
    func spec(_ job: Job, priority: Int = 0, sequence: JobSpec.Sequence? = nil) throws(QueueError) -> JobSpec {
        let id = name(job.kind)
        do {
            return JobSpec(
                id: id, kind: job.kind.rawValue, payload: try job.payload, priority: priority, sequence: sequence)
        } catch {
            throw QueueError(.invalidJob, "Job \(id) cannot be encoded: \(error).", job: id)
        }
    }

    /// Has a worker do a job, which is cancelled with the calling task.
    /// - Parameters:
    ///   - sequence: the job's place among others that one worker does best one after the other.
    ///   - onProgress: called in a task of its own, in order.
    /// - Throws: `.jobFailed`, `.cancelled`, `.closed` or `.invalidJob`.
    func result(
        of job: Job, sequence: JobSpec.Sequence? = nil,
        onProgress: @escaping @Sendable (Progress) -> Void = { _ in }
    ) async throws(QueueError) -> Data {
        let spec = try spec(job, sequence: sequence)
        let client = queue.client()
        try client.submit([spec])
        // A cancelled task hears nothing more, but the job still has to end.
        let end = Task { await client.end(of: spec.id, onProgress) }
        return try await withTaskCancellationHandler {
            await end.value
        } onCancel: {
            client.cancel([spec.id])
        }.get()
    }

    /// The same while the calling thread waits: a script's own, not one of Swift's cooperative threads, which must not wait.
    func waitForResult(of job: Job, onProgress: @escaping @Sendable (Progress) -> Void = { _ in }) throws(QueueError)
        -> Data
    {
        let result = Locked<Result<Data, QueueError>>(.failure(.closed))
        let isDone = DispatchSemaphore(value: 0)
        Task {
            let found: Result<Data, QueueError>
            do throws(QueueError) {
                found = .success(try await self.result(of: job, onProgress: onProgress))
            } catch {
                found = .failure(error)
            }
            result.withLock { $0 = found }
            isDone.signal()
        }
        isDone.wait()
        return try result.withLock { $0 }.get()
    }
}

extension JobClient {
    /// How a job ends; the line's other jobs are passed over.
    fileprivate func end(of job: JobID, _ onProgress: (Progress) -> Void) async -> Result<Data, QueueError> {
        for await event in events {
            switch event {
            case .progressed(job, let progress): onProgress(progress)
            case .completed(job, let result): return .success(result)
            case .failed(job, let failure): return .failure(QueueError(job, failure))
            case .cancelled(job): return .failure(.cancelled)
            default: break
            }
        }
        return .failure(.closed)
    }
}
