import Messaging

/// What a queue has to do, and who does it: for people and for those that scale.
package struct QueueStatus: Codable, Hashable, Sendable {
    /// Things that only get more, since the queue was opened.
    package struct Totals: Codable, Hashable, Sendable {
        package var completed = 0
        package var failed = 0
        package var cancelled = 0
        package var retried = 0
        /// Leases of workers from elsewhere that were lost.
        package var losses = 0
        /// Late jobs that were given out a second time.
        package var secondRuns = 0
        /// Results that were there already.
        package var duplicates = 0
        /// Results under leases that hold no more.
        package var outdated = 0
        /// What was no message, and messages from nobody known.
        package var strange = 0
        package var refusedWorkers = 0
        /// Seconds that the last runs of jobs took that are done.
        package var durations = Histogram(bounds: Histogram.longBounds)
        /// Seconds from the arrival of what a job waited for (itself, or a worker that asks) at the queue's thread to the assignment.
        package var dispatches = Histogram(bounds: Histogram.shortBounds)
        /// Bytes of what workers were told of jobs, and of their results.
        package var (assignedBytes, resultBytes) = (0, 0)

        package init() {}
    }

    package var waiting: Int
    /// Jobs that wait for a time before they are tried again.
    package var paused: Int
    package var running: Int
    /// The highest epoch that was given out.
    package var lastEpoch: UInt64
    /// Those that were lost lately, too.
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
    /// How it stands now; nil where it has been shut down.
    package func status() async -> QueueStatus? {
        await withCheckedContinuation { continuation in
            if !mailbox.post(.describe({ continuation.resume(returning: $0) })) { continuation.resume(returning: nil) }
        }
    }
}
