import Farm
import Journal
import Synchronization

/// Metrics of the writes to the journal.
final class CommitMetrics: Sendable {
    struct Values: Sendable, Encodable {
        var records = 0
        var failures = 0
        /// The duration of transactions, in seconds, until they are on disk.
        var commits = Histogram(bounds: Histogram.shortBounds)
    }

    private let state = Mutex(Values())

    var values: Values { state.withLock { $0 } }

    func add(_ commit: Journal.Commit) {
        state.withLock { state in
            state.commits.add(commit.seconds)
            if commit.isWritten { state.records += commit.records } else { state.failures += 1 }
        }
    }
}
