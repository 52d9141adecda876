import Messaging

/// An error of the queue.
package struct QueueError: Error, Hashable, Sendable, CustomStringConvertible {
    package struct Code: RawRepresentable, Hashable, Sendable {
        package let rawValue: String
        package init(rawValue: String) { self.rawValue = rawValue }

        /// A job failed for good; `job` and `failure` say which and why.
        package static let jobFailed = Code(rawValue: "job-failed")
        /// The jobs were cancelled, by the caller's task or by a shutdown.
        package static let cancelled = Code(rawValue: "cancelled")
        /// The queue has been shut down.
        package static let closed = Code(rawValue: "closed")
        /// A job cannot be submitted: its name is taken or invalid, or it is too large.
        package static let invalidJob = Code(rawValue: "invalid-job")
        /// The queue could not be set up.
        package static let unavailable = Code(rawValue: "unavailable")
    }

    package var code: Code
    package var message: String
    package var job: JobID?
    package var failure: JobFailure?

    package init(_ code: Code, _ message: String, job: JobID? = nil, failure: JobFailure? = nil) {
        self.code = code
        self.message = message
        self.job = job
        self.failure = failure
    }

    package init(_ job: JobID, _ failure: JobFailure) {
        self.init(.jobFailed, failure.message, job: job, failure: failure)
    }

    package static let cancelled = QueueError(.cancelled, "The jobs were cancelled.")
    package static let closed = QueueError(.closed, "The queue has been shut down.")

    package var description: String { message }
}
