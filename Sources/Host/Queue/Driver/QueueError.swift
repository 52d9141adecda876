import Messaging

/// Why the queue could not do what it was asked.
struct QueueError: Error, Hashable, Sendable, CustomStringConvertible {
    struct Code: RawRepresentable, Hashable, Sendable {
        let rawValue: String
        /// A job failed for good; `job` and `failure` say which and why.
        static let jobFailed = Code(rawValue: "job-failed")
        /// The jobs were cancelled, by the caller's task or by a shutdown.
        static let cancelled = Code(rawValue: "cancelled")
        /// The queue has been shut down.
        static let closed = Code(rawValue: "closed")
        /// A job cannot be submitted as it is: its name is taken or unusable, or it is too large.
        static let invalidJob = Code(rawValue: "invalid-job")
        /// The queue could not be set up.
        static let unavailable = Code(rawValue: "unavailable")
    }

    var code: Code
    var message: String
    var job: JobID?
    var failure: JobFailure?

    init(_ code: Code, _ message: String, job: JobID? = nil, failure: JobFailure? = nil) {
        self.code = code
        self.message = message
        self.job = job
        self.failure = failure
    }

    init(_ job: JobID, _ failure: JobFailure) {
        self.init(.jobFailed, failure.message, job: job, failure: failure)
    }

    static let cancelled = QueueError(.cancelled, "The jobs were cancelled.")
    static let closed = QueueError(.closed, "The queue has been shut down.")

    var description: String { message }
}
