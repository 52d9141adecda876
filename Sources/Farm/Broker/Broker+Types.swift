import FoundationEssentials
import Messaging

extension Broker {
    /// The broker's limits. Defaults suit local workers.
    struct Policy: Sendable {
        /// At most this many worker processes serve at once. At least 1.
        var workers: Int
        /// The build that workers must be of.
        var engine: String
        /// A worker that is not heard for this long is taken for lost. Heartbeats come every half second.
        var leaseTimeout: Duration = .seconds(15)
        /// A job whose progress does not change for this long is stuck, however its worker's heart beats.
        var stallTimeout: Duration = .seconds(60)
        /// A process has this long to say hello.
        var startTimeout: Duration = .seconds(30)
        /// A worker has this long to end a cancelled job, or to leave; then it is killed.
        var grace: Duration = .seconds(2)
        /// Crashes and stalls that a job may cause; the last one fails it.
        var faultsPerJob = 2
        /// Errors that a job may report and be tried again: internal ones and transient ones; the last one fails it.
        var retriableFailuresPerJob = 2
        /// Between a transient error and the next try, so that what was busy can become free.
        var transientPause: Duration = .seconds(1)
        /// Workers that may be lost from under a job before it is given up.
        var lossesPerJob = 20
        /// Starts in a row that may fail before all jobs do. The pause between them doubles from 0.1 s.
        var startAttempts = 4
        /// A worker that asks for work this long after it was given some has not got it: it is given again.
        var resendAfter: Duration = .seconds(2)
        /// Ticks further apart than this mean that the host itself stood still; nobody is blamed for the gap.
        var tickTolerance: Duration = .seconds(2)
    }

    enum Event {
        case message(Message, from: WorkerID)
        case problem(MessageProblem, from: WorkerID)
        /// A process that was to be spawned could not be.
        case spawnFailed(WorkerID, reason: String)
        /// A worker's process was seen ended. Nothing it does comes after this.
        case exited(WorkerID, WorkerExit)
        case submit([JobSpec])
        case cancel([JobID])
        case cancelAll
        /// Time has passed. Expected every 0.1 s or so while `needsTicks`.
        case tick
        /// Ends all jobs as cancelled and all workers. Graceful: within the grace period; otherwise by killing them at
        /// once.
        case shutdown(graceful: Bool)
    }

    enum Action: Equatable {
        case send(Message, to: WorkerID)
        case spawn(WorkerID)
        /// End the process by SIGKILL. Its `exited` event is still to come.
        case kill(WorkerID)
        case job(JobEvent)
        /// The job ended well. Each job ends once: by this, `.job(.failed)` or `.job(.cancelled)`.
        case completed(JobID, result: Data)
        case log(LogLevel, String, worker: WorkerID?, job: JobID?)
        /// After `shutdown`: no job and no process is left.
        case closed
    }

    enum LogLevel: Equatable { case debug, info, warning, error }

    struct Job {
        var spec: JobSpec
        /// Keeps its place among jobs of equal priority when it comes back.
        var order: UInt64
        var holder: Holder?
        var cancelledAt: Duration?
        var faults = 0
        var losses = 0
        var retriableFailures = 0
        /// What the last faults and losses left behind, oldest first; bounded.
        var evidence: [String] = []

        struct Holder {
            var lease: Lease
            var worker: WorkerID
        }
    }

    struct Worker {
        enum Phase: Equatable {
            case starting
            case serving
            case ending(Ending, since: Duration)
        }

        var phase: Phase = .starting
        var startedAt: Duration
        var lastHeard: Duration
        var work: Work?
        /// Where it is or was last in a sequence.
        var place: WaitingJobs.Place?
        /// Has finished a job, well or not.
        var isProven = false
        /// Its process has been sent SIGKILL.
        var isKilled = false

        struct Work {
            var lease: Lease
            var since: Duration
            var progress: Progress
            var progressAt: Duration
        }

        var isEnding: Bool { if case .ending = phase { true } else { false } }
    }

    /// Why a worker is being ended by us.
    enum Ending: Equatable, CustomStringConvertible {
        /// Not heard for too long.
        case silent(String)
        /// Its job made no progress for too long.
        case stalled(String)
        /// Its job was cancelled and did not stop.
        case cancelled
        /// It never said hello, or was refused: a failed start.
        case unfit(String)
        /// It left or was asked to leave: an error that another is to try again, shutdown.
        case dismissed

        var description: String {
            switch self {
            case .silent(let reason), .stalled(let reason), .unfit(let reason): reason
            case .cancelled: "its job was cancelled and did not stop"
            case .dismissed: "it is not needed any more"
            }
        }
    }

    struct StartFailures {
        var count = 0
        var lastCounted: Duration = .zero
        var nextStart: Duration = .zero
    }

    enum Closing: Equatable { case underWay, done }

    /// For diagnosis and tests; they only grow.
    struct Counters: Equatable {
        /// Results that had been accepted before.
        var duplicates = 0
        /// Reports under a lease that is not the current one.
        var stale = 0
        /// Bytes that were no message.
        var problems = 0
        /// Messages from nobody we started.
        var strangers = 0
    }
}

/// What happens to a job, for progress displays and logs.
package enum JobEvent: Sendable, Equatable {
    case started(JobID, worker: WorkerID)
    case progressed(JobID, Progress)
    /// The run ended without a result and the job waits again.
    case retrying(JobID, reason: String)
    case completed(JobID)
    case failed(JobID, JobFailure)
    case cancelled(JobID)

    package var job: JobID {
        switch self {
        case .started(let id, _), .progressed(let id, _), .retrying(let id, _), .completed(let id), .failed(let id, _),
            .cancelled(let id):
            id
        }
    }
}
