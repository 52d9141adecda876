import Messaging

/// A client of the queue: it submits jobs and receives their events, in order, in the caller's
/// task.
///
/// ```swift
/// let client = queue.client()
/// try client.submit(jobs)
/// for await event in client.events { … }    // further jobs may be submitted meanwhile
/// ```
///
/// The client lives as long as it is referenced or its events are read. Releasing it cancels its
/// jobs.
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

    /// Submits jobs: all of them or, if it throws, none. Callable from any thread or task; returns
    /// at once.
    /// - Throws: `.invalidJob` for a job that cannot be sent, or whose name belongs to a job that
    ///   has not ended; `.closed` after the queue was shut down; `.cancelled` after ``close()``.
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

    /// Cancels jobs. A waiting job ends at once, a running one when it has stopped; events report
    /// both. Jobs that are not this client's, or have ended, are ignored.
    package func cancel(_ ids: [JobID]) { mailbox.cancel(ids, of: buffer) }

    /// Reports that outputs of these jobs are missing, or differ from what their workers reported.
    /// A node that was reported twice gets no new jobs. The jobs have ended; to get their results,
    /// submit new ones.
    package func blame(_ ids: [JobID]) { _ = mailbox.post(.worthless(ids)) }

    /// Cancels all of the client's jobs and accepts no more. The events end when each job has
    /// ended.
    package func close() {
        if buffer.cancel() { mailbox.cancelAll(of: buffer) }
    }

    /// The events of the client's jobs, in order. For one reader at a time.
    ///
    /// A slow reader gets only the latest progress of each job; starts, retries and ends all
    /// arrive. The events end once the queue was shut down, after the end of each job. Cancelling
    /// the task that reads is like ``close()``; the task still receives the end of each job.
    package var events: JobEvents { JobEvents(client: self) }

    /// Returns the next event, or nil after the last one. Blocks the calling thread.
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
    /// Makes a new client of the queue. Any number of clients may have jobs in it.
    package func client() -> JobClient { JobClient(mailbox: mailbox) }
}
