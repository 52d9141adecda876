import Farm
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

    /// The result of a job, which is cancelled with the calling task.
    /// - Parameter sequence: the job's place among others that one worker does best one after the other.
    /// - Throws: `.jobFailed`, `.cancelled`, `.closed` or `.invalidJob`.
    func result(of job: Job, sequence: JobSpec.Sequence? = nil) async throws(QueueError) -> Data {
        try await queue.run(try spec(job, sequence: sequence))
    }

    /// The same while the calling thread waits: a script's own, not one of Swift's cooperative threads, which must not wait.
    /// - Parameter onProgress: called on the calling thread, in order.
    func waitForResult(of job: Job, onProgress: (Progress) -> Void = { _ in }) throws(QueueError) -> Data {
        try queue.runBlocking(try spec(job)) { event in
            if case .progressed(_, let progress) = event { onProgress(progress) }
        }
    }
}
