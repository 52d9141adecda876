/// How the jobs of a queue have ended so far.
struct JobTally {
    var completed = 0
    var failed = 0
    var cancelled = 0
    var retried = 0
    /// Of the last runs of jobs that are done.
    var durations = Histogram()

    func add(to totals: inout QueueStatus.Totals) {
        (totals.completed, totals.failed, totals.cancelled) = (completed, failed, cancelled)
        (totals.retried, totals.durations) = (retried, durations)
    }
}
