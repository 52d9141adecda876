import FoundationEssentials
import Messaging

/// A step in the life of a job, with everything that it changes in the lease table. Replaying the
/// transitions in order rebuilds the table: see ``LeaseTable/apply(_:)``.
enum JobTransition: Equatable, Sendable {
    /// The job was submitted, and waits. `order` is its place among jobs of equal priority, kept
    /// for life.
    case submitted(JobSpec, order: UInt64)
    case leased(Lease, to: WorkerID)
    /// The job is late, so another worker starts a backup run. The first to finish counts.
    case backupAdded(Lease, to: WorkerID)
    /// One of two runs ended without a result, and the other continues.
    case runDropped(Lease, Release)
    /// The client cancelled the job; its holder still runs it.
    case cancelling(JobID, since: Duration)
    /// A run ended without a result, and the job may be run again.
    case released(JobID, Release)
    /// The job's pause is over, and it waits.
    case resumed(JobID)
    /// The job's end. Each job has one: this, `failed` or `cancelled`. A job that was not accepted
    /// ends without having been submitted.
    case completed(JobID, result: Data)
    case failed(JobID, JobFailure)
    case cancelled(JobID)

    /// The reason why a run ended without a result, and what follows.
    struct Release: Equatable, Sendable {
        enum Cause: Equatable, Sendable {
            /// The worker was lost, through no fault of the job.
            case loss
            /// The job took its worker down, or hung.
            case fault
            /// The job reported an error that another run may not have.
            case retriableFailure
            /// A remote worker cannot run the job; its session.
            case declined(by: String)
            /// The result is not wanted any more.
            case withdrawn
        }

        var cause: Cause
        /// The node on whose worker the fault occurred: another node tries next.
        var node: String?
        /// The reason, as half a sentence for people.
        var reason: String
        /// The evidence that the run left behind, for a failure that may follow.
        var evidence: [String]
        /// The time before which the job is not assigned again; nil for at once.
        var pausedUntil: Duration?
    }

    var job: JobID {
        switch self {
        case .submitted(let spec, _): spec.id
        case .leased(let lease, _), .backupAdded(let lease, _), .runDropped(let lease, _): lease.job
        case .cancelling(let id, _), .released(let id, _), .resumed(let id), .completed(let id, _), .failed(let id, _),
            .cancelled(let id):
            id
        }
    }
}
