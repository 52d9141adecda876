import Farm
import FoundationEssentials
import Messaging

/// A queue of events from other threads for the agent's thread, which wakes it.
final class Inbox: Sendable {
    enum Event: Sendable {
        case job(JobEvent)
        /// A job was prepared for this machine, or the reason why it cannot be.
        case staged(JobID, Result<StagedJob, JobFailure>)
        /// An event of the local queue, to be passed on unchanged.
        case finished(JobEvent)
        /// A job that is not in the queue yet, or no more, makes progress.
        case advanced(JobID)
        /// The server does not know a job's lease.
        case unclaimed(JobID)
        /// A job's result, and the files that the server must have first.
        case made(JobID, Data, Delivery)
        /// The server has the files, or the reason why not.
        case delivered(JobID, JobFailure?)
        /// A running job cannot get what it reads.
        case starved(JobID, JobFailure)
        /// A worker's warning on its job.
        case warning(JobID, String)
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
