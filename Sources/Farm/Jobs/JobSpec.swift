import FoundationEssentials
import Messaging

/// A job as it is submitted: what to run, and what the queue needs to know to place it well.
package struct JobSpec: Hashable, Sendable {
    /// A place in a series of jobs that are cheap to run one after the other on one worker, such as the segments of a
    /// plan.
    package struct Sequence: Hashable, Sendable {
        package var group: String
        package var index: Int

        package init(group: String, index: Int) {
            self.group = group
            self.index = index
        }
    }

    /// Jobs that belong together: those of a render. Of equal priority, submitters take turns, and the flows of a submitter do.
    package struct Flow: Hashable, Sendable {
        package var submitter: String
        package var name: String

        package init(submitter: String = "", name: String = "") {
            self.submitter = submitter
            self.name = name
        }
    }

    /// Unique among the jobs that have not ended.
    package var id: JobID
    /// Tells the worker's handler what `payload` is.
    package var kind: String
    package var payload: Data
    /// Higher goes first.
    package var priority: Int
    package var flow: Flow
    /// How much work it is, in any unit that all flows share; at least 1.
    package var cost: UInt64
    package var sequence: Sequence?
    /// What the job may leave behind in the process that runs it, by names that mean something to the submitter alone. A worker keeps the libraries
    /// of all that it was given, and gets no job that lacks one of them: so what one job leaves behind reaches only jobs that bring the
    /// same themselves.
    package var libraries: Set<String>
    /// Tags that the worker must have. Workers of this machine have none.
    package var needs: Set<String>
    /// It may run twice at a time: whatever a run writes has names of its own. Near the end of its flow it may then be given out a second time.
    package var mayRunTwice: Bool
    /// The epoch under which another queue has lent the job to this one; 0: none has. See ``Messaging/Assignment/fence``.
    package var fence: UInt64

    package init(
        id: JobID, kind: String, payload: Data = Data(), priority: Int = 0, flow: Flow = Flow(),
        cost: UInt64 = 1, sequence: Sequence? = nil, libraries: Set<String> = [], needs: Set<String> = [],
        mayRunTwice: Bool = false, fence: UInt64 = 0
    ) {
        self.id = id
        self.kind = kind
        self.payload = payload
        self.priority = priority
        self.flow = flow
        self.cost = min(max(1, cost), Self.highestCost)
        self.sequence = sequence
        self.libraries = libraries
        self.needs = needs
        self.mayRunTwice = mayRunTwice
        self.fence = fence
    }

    private static let highestCost: UInt64 = 1 << 40

    /// Why the job cannot be sent to a worker, or nil.
    package var problem: String? {
        if !id.isValid { return "A job's name must have 1 to \(JobID.longest) bytes." }
        if kind.utf8.count > JobID.longest { return "The kind of job \(id) is longer than \(JobID.longest) bytes." }
        if payload.count > Wire.largestPayload {
            return "Job \(id) is too large: \(payload.count) bytes, at most \(Wire.largestPayload)."
        }
        if libraries.count > Int(UInt16.max) || libraries.reduce(0, { $0 + $1.utf8.count + 2 }) > Wire.longestLibraries
        {
            return "Job \(id) has too many libraries: \(libraries.count), at most \(Wire.longestLibraries) bytes."
        }
        return nil
    }
}
