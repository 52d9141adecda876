import FoundationEssentials
import Messaging

/// A caller's line to the queue: jobs go in, and what becomes of them comes out in order, in the caller's own task.
final class JobClient: Sendable {
    /// What happens to this caller's jobs. Each job ends once: completed, failed or cancelled. For one caller.
    let events: AsyncStream<JobClientEvent>
    private let inbox: AsyncStream<JobClientEvent>.Continuation
    private let mailbox: Mailbox
    private let submissions = Locked<[JobID: Submission]>([:])

    init(_ mailbox: Mailbox) {
        self.mailbox = mailbox
        (events, inbox) = AsyncStream.makeStream()
    }

    deinit { inbox.finish() }

    /// - Throws: `.closed` or `.invalidJob`; none of the jobs is in the queue then.
    func submit(_ jobs: [JobSpec]) throws(QueueError) {
        var new: [(JobID, Submission)] = []
        for job in jobs { new.append((job.id, try submission(job))) }
        submissions.withLock { $0.merge(new) { $1 } }
        for (_, submission) in new where !mailbox.post(.submit(submission)) { throw .closed }
    }

    /// The jobs still end: as cancelled, or otherwise where that comes first.
    func cancel(_ ids: [JobID]) {
        for submission in submissions.withLock({ known in ids.compactMap { known[$0] } }) {
            submission.requestCancellation()
            _ = mailbox.post(.cancel(submission))
        }
    }

    private func submission(_ job: JobSpec) throws(QueueError) -> Submission {
        let id = job.id
        let submission = try Submission(
            [job],
            onEvent: { [inbox] event in
                switch event {
                case .started(let id, let worker): inbox.yield(.started(id, worker: worker))
                case .progressed(let id, let progress): inbox.yield(.progressed(id, progress))
                case .retrying(let id, let reason): inbox.yield(.retrying(id, reason: reason))
                case .completed, .failed, .cancelled: break
                }
            })
        submission.whenEnded { [inbox, submissions] result in
            submissions.withLock { $0[id] = nil }
            switch result {
            case .success(let results): inbox.yield(.completed(id, result: results[id] ?? Data()))
            case .failure(let error) where error.code == .cancelled: inbox.yield(.cancelled(id))
            case .failure(let error):
                inbox.yield(.failed(id, error.failure ?? JobFailure(.unavailable, error.message)))
            }
        }
        return submission
    }
}

enum JobClientEvent: Sendable {
    case started(JobID, worker: WorkerID)
    case progressed(JobID, Progress)
    case retrying(JobID, reason: String)
    case completed(JobID, result: Data)
    case failed(JobID, JobFailure)
    case cancelled(JobID)
}

extension JobQueue {
    func client() -> JobClient { JobClient(mailbox) }
}
