import FoundationEssentials
import Messaging

/// An event of a job, for its client.
package enum JobEvent: Sendable, Equatable {
    case started(Lease, worker: WorkerID)
    case progressed(JobID, Progress)
    /// The run ended without a result and the job waits again. `reason` is half a sentence.
    case retrying(JobID, reason: String)
    /// The job's end. Each job has one: this, `failed` or `cancelled`.
    case completed(JobID, result: Data)
    case failed(JobID, JobFailure)
    case cancelled(JobID)

    package var job: JobID {
        switch self {
        case .started(let lease, _): lease.job
        case .progressed(let id, _), .retrying(let id, _), .completed(let id, _), .failed(let id, _),
            .cancelled(let id):
            id
        }
    }

    /// Whether it is the job's last event.
    package var isEnd: Bool {
        switch self {
        case .started, .progressed, .retrying: false
        case .completed, .failed, .cancelled: true
        }
    }

    /// Converts a transition.
    /// - Returns: nil for a transition that does not concern the client.
    init?(_ transition: JobTransition) {
        switch transition {
        case .submitted, .backupAdded, .runDropped, .cancelling, .resumed: return nil
        case .leased(let lease, let worker): self = .started(lease, worker: worker)
        case .released(let id, let release):
            // Nothing of it was begun.
            if case .declined = release.cause { return nil }
            self = .retrying(id, reason: release.reason)
        case .completed(let id, let result): self = .completed(id, result: result)
        case .failed(let id, let failure): self = .failed(id, failure)
        case .cancelled(let id): self = .cancelled(id)
        }
    }
}
