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
        package var durations = Histogram()

        package init() {}
    }

    package var waiting: Int
    /// Jobs that wait for a time before they are tried again.
    package var paused: Int
    package var running: Int
    /// Those that were lost lately, too.
    package var workers: [WorkerStatus]
    package var totals: Totals

    package init(waiting: Int, paused: Int, running: Int, workers: [WorkerStatus], totals: Totals = Totals()) {
        (self.waiting, self.paused, self.running) = (waiting, paused, running)
        (self.workers, self.totals) = (workers, totals)
    }
}

/// How long things took: how many took no longer than each bound.
package struct Histogram: Codable, Hashable, Sendable {
    /// Seconds; what takes longer than the last is counted behind it.
    package static let bounds = [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300]
    package private(set) var counts = [Int](repeating: 0, count: Self.bounds.count + 1)
    package private(set) var sum = 0.0

    package init() {}

    package var count: Int { counts.reduce(0, +) }

    package mutating func add(_ seconds: Double) {
        guard seconds.isFinite else { return }
        let seconds = max(0, seconds)
        counts[Self.bounds.firstIndex { seconds <= $0 } ?? Self.bounds.count] += 1
        sum += seconds
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
