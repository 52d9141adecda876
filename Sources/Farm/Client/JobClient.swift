import Messaging

/// A caller's line to the queue: jobs go in, what happens to them comes out, in order, in the caller's task.
///
/// ```swift
/// let client = queue.client()
/// try client.submit(jobs)
/// for await event in client.events { … }    // further jobs may be submitted meanwhile
/// ```
///
/// The client lives as long as somebody holds it or reads its events. One that is dropped cancels its jobs.
package final class JobClient: Sendable {
    private let mailbox: Mailbox
    fileprivate let buffer = EventBuffer()

    init(mailbox: Mailbox) {
        self.mailbox = mailbox
        mailbox.register(buffer)
    }

    deinit {
        buffer.abandon()
        mailbox.remove(buffer)
    }

    /// Hands jobs in: all of them or, where it throws, none. May be called from any thread or task, and returns at once.
    /// - Throws: `.invalidJob` for a job that cannot be sent, or whose name another job has that has not ended; `.closed` when the
    ///   queue has been shut down; `.cancelled` after ``close()``.
    package func submit(_ jobs: [JobSpec]) throws(QueueError) {
        var ids: Set<JobID> = []
        for job in jobs {
            if let problem = job.problem { throw QueueError(.invalidJob, problem, job: job.id) }
            guard ids.insert(job.id).inserted else {
                throw QueueError(.invalidJob, "Two jobs have the name \(job.id).", job: job.id)
            }
        }
        try mailbox.submit(jobs, for: buffer)
    }

    /// Asks for the end of some jobs, which the events tell of: a waiting job ends at once, a running one when it has stopped.
    /// A job that is not this client's, or has ended, is left alone.
    package func cancel(_ ids: [JobID]) { mailbox.cancel(ids, of: buffer) }

    /// Tells the queue that what these jobs' workers said they had written is not there, or is something else. A node of which that is told
    /// twice gets no new jobs. The jobs have ended, and stay so: who still wants their results submits new ones.
    package func blame(_ ids: [JobID]) { _ = mailbox.post(.worthless(ids)) }

    /// Cancels all of the client's jobs, and takes no more. The events end when each job has.
    package func close() {
        if buffer.cancel() { mailbox.cancelAll(of: buffer) }
    }

    /// What happens to the client's jobs, in order. For one reader at a time.
    ///
    /// A reader may be slow: of a job's progress it then gets only the latest. Starts, retries and ends all arrive. The events
    /// end when the queue has been shut down, and each job has its end before. Cancelling the task that reads acts like
    /// ``close()``; the task still receives the end of each job.
    package var events: JobEvents { JobEvents(client: self) }

    /// The next event, for a thread that may wait; nil when there will be none.
    package func nextBlocking() -> JobEvent? { buffer.nextBlocking() }
}

/// The events of a ``JobClient``.
package struct JobEvents: AsyncSequence, Sendable {
    package typealias Element = JobEvent
    package typealias Failure = Never

    let client: JobClient

    package func makeAsyncIterator() -> Iterator { Iterator(client: client) }

    package struct Iterator: AsyncIteratorProtocol, Sendable {
        let client: JobClient

        package func next() async -> JobEvent? { await next(isolation: nil) }

        package func next(isolation actor: isolated (any Actor)?) async -> JobEvent? {
            await withTaskCancellationHandler {
                await client.buffer.next()
            } onCancel: {
                client.close()
            }
        }
    }
}

extension JobQueue {
    /// A new line to the queue. Any number of clients may have jobs in it.
    package func client() -> JobClient { JobClient(mailbox: mailbox) }
}
