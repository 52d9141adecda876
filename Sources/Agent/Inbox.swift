import Farm
import FoundationEssentials
import Messaging

/// What other threads have for the agent's, and the means to wake it.
final class Inbox: Sendable {
    enum Event: Sendable {
        case job(JobEvent)
        /// A job as this machine can do it, or why it cannot.
        case staged(JobID, Result<StagedJob, JobFailure>)
        /// What is to be told of a job, as it is.
        case finished(JobEvent)
        /// A job gets on that is not in the queue.
        case advanced(JobID)
        /// The server does not know a job's lease.
        case unclaimed(JobID)
        /// A job's result, and the files that the server gets before it.
        case made(JobID, Data, Delivery)
        /// The server has these files, or why it has not.
        case delivered(JobID, JobFailure?)
        /// A running job does not get what it reads.
        case starved(JobID, JobFailure)
        /// What a worker remarks on its job.
        case remark(JobID, String)
        case drain
    }

    let wakeUp: WakeUp
    private let events = Locked<[Event]>([])

    init() throws(ZMQError) { wakeUp = try WakeUp() }

    func put(_ event: Event) {
        events.withLock { $0.append(event) }
        wakeUp.signal()
    }

    func take() -> [Event] {
        wakeUp.clear()
        return events.withLock { events in
            defer { events = [] }
            return events
        }
    }
}
