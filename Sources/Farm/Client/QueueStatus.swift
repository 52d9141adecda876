import Messaging

/// The state of a queue, its jobs and its workers: for people and for autoscalers.
package struct QueueStatus: Codable, Hashable, Sendable {
    /// Counters that only grow, since the queue was opened.
    package struct Totals: Codable, Hashable, Sendable {
        package var completed = 0
        package var failed = 0
        package var cancelled = 0
        package var retried = 0
        /// The leases of remote workers that were lost.
        package var losses = 0
        /// The backup runs of late jobs.
        package var secondRuns = 0
        /// The results that had been accepted before.
        package var duplicates = 0
        /// The results under leases that are not valid any more.
        package var outdated = 0
        /// Unreadable messages, and messages from unknown senders.
        package var strange = 0
        package var refusedWorkers = 0
        /// The durations in seconds of the last runs of completed jobs.
        package var durations = Histogram(bounds: Histogram.longBounds)
        /// The seconds until a job is assigned, from the arrival at the queue's thread of what it
        /// waited for (the job itself, or a worker that asks).
        package var dispatches = Histogram(bounds: Histogram.shortBounds)
        /// The bytes that workers were sent for jobs, and the bytes of their results.
        package var (assignedBytes, resultBytes) = (0, 0)

        package init() {}
    }

    package var waiting: Int
    /// The jobs that wait for a time before they are retried.
    package var paused: Int
    package var running: Int
    /// The highest epoch of any lease.
    package var lastEpoch: UInt64
    /// The workers, including recently lost ones.
    package var workers: [WorkerStatus]
    package var totals: Totals

    package init(
        waiting: Int, paused: Int, running: Int, lastEpoch: UInt64 = 0, workers: [WorkerStatus],
        totals: Totals = Totals()
    ) {
        (self.waiting, self.paused, self.running, self.lastEpoch) = (waiting, paused, running, lastEpoch)
        (self.workers, self.totals) = (workers, totals)
    }
}

extension JobQueue {
    /// Returns the current state; nil after the shutdown.
    package func status() async -> QueueStatus? {
        await withCheckedContinuation { continuation in
            if !mailbox.post(.describe({ continuation.resume(returning: $0) })) { continuation.resume(returning: nil) }
        }
    }
}
