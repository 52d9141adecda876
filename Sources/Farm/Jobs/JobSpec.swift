import FoundationEssentials
import Messaging

/// A job as it is submitted: what to run, and what the queue needs to know to schedule it.
package struct JobSpec: Hashable, Sendable {
    /// A position in a series of jobs that are cheap to run one after the other on one worker, such
    /// as the segments of a plan.
    package struct Sequence: Hashable, Sendable {
        package var group: String
        package var index: Int

        package init(group: String, index: Int) {
            self.group = group
            self.index = index
        }
    }

    /// A group of jobs, such as those of a render. At equal priority, submitters take turns, and so
    /// do the flows of a submitter.
    package struct Flow: Hashable, Sendable {
        package var submitter: String
        package var name: String

        package init(submitter: String = "", name: String = "") {
            self.submitter = submitter
            self.name = name
        }
    }

    /// The name, unique among the jobs that have not ended.
    package var id: JobID
    /// The kind of the job, which tells the worker's handler how to decode `payload`.
    package var kind: String
    package var payload: Data
    /// The priority; higher goes first.
    package var priority: Int
    package var flow: Flow
    /// The amount of work, in any unit that all flows share; at least 1.
    package var cost: UInt64
    package var sequence: Sequence?
    /// The libraries that the job loads into its worker's process, as fingerprints
    /// (``LibraryFingerprint``); the queue only compares them. A process never unloads a library,
    /// so a worker has the libraries of all its jobs, and gets no job that lacks one of them. So a
    /// library affects only jobs that use the same library.
    package var libraries: Set<String>
    /// The tags that the worker must have; local workers have those of
    /// ``JobQueue/Configuration/tags``.
    package var needs: Set<String>
    /// Whether it may have a backup run near the end of its flow: each run's output files must have
    /// names of their own.
    package var mayRunTwice: Bool
    /// For a job that follows on all others of its flow, such as the one that joins their files:
    /// the bytes that it reads of what they made. nil for any other job.
    package var joined: Int64?
    /// The epoch under which another queue has lent the job to this one; 0 if none has. See
    /// ``Messaging/Assignment/fence``.
    package var fence: UInt64

    package init(
        id: JobID, kind: String, payload: Data = Data(), priority: Int = 0, flow: Flow = Flow(),
        cost: UInt64 = 1, sequence: Sequence? = nil, libraries: Set<String> = [], needs: Set<String> = [],
        mayRunTwice: Bool = false, joined: Int64? = nil, fence: UInt64 = 0
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
        self.joined = joined
        self.fence = fence
    }

    private static let highestCost: UInt64 = 1 << 40

    /// The reason why the job cannot be sent to a worker, as a sentence, or nil.
    package var problem: String? {
        if !id.isValid { return "A job's name must have 1 to \(JobID.longest) bytes." }
        if kind.utf8.count > JobID.longest { return "The kind of job \(id) is longer than \(JobID.longest) bytes." }
        if payload.count > Wire.largestPayload {
            return "Job \(id) is too large: \(payload.count) bytes, at most \(Wire.largestPayload)."
        }
        if libraries.count > Int(UInt16.max) || libraries.reduce(0, { $0 + $1.utf8.count + 2 }) > Wire.longestLibraries
        {
            return
                "Job \(id) names too many libraries: \(libraries.count); their names may have \(Wire.longestLibraries) bytes in total."
        }
        return nil
    }
}
