import FoundationEssentials
import Messaging

/// A step in the life of a job, and everything that the step changes in the lease table. The transitions in their order make
/// the table again: see ``LeaseTable/apply(_:)``.
enum JobTransition: Equatable, Sendable {
    /// The job has come, and waits. `order` is its place among jobs of equal priority, kept for life.
    case submitted(JobSpec, order: UInt64)
    case leased(Lease, to: WorkerID)
    /// The job is late: another worker does it, too. The first to finish counts.
    case backupAdded(Lease, to: WorkerID)
    /// Of two runs this one came to nothing, and the other goes on.
    case runDropped(Lease, Release)
    /// The caller wants the job to end; its holder still runs it.
    case cancelling(JobID, since: Duration)
    /// A run ended without a result, and the job may be run again.
    case released(JobID, Release)
    /// The job's pause is over, and it waits.
    case resumed(JobID)
    /// The job's end. Each job has one: this, `failed` or `cancelled`. A job that could not be taken in ends without having been
    /// submitted.
    case completed(JobID, result: Data)
    case failed(JobID, JobFailure)
    case cancelled(JobID)

    /// Why a run counts for nothing, and what follows.
    struct Release: Equatable, Sendable {
        enum Cause: Equatable, Sendable {
            /// The worker was lost, through no fault of the job's.
            case loss
            /// The job took its worker down, or stood still.
            case fault
            /// The job reported an error that another run may not have.
            case retriableFailure
            /// A worker from elsewhere cannot do the job; its session.
            case declined(by: String)
            /// Nobody wants its result any more.
            case withdrawn
        }

        var cause: Cause
        /// The node whose worker ended by the job's fault: another is to try next.
        var node: String?
        /// For people: half a sentence.
        var reason: String
        /// What the run left behind, for the message of a failure that may follow.
        var evidence: [String]
        /// The time before which the job is not given out again; nil: it waits at once.
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
