/// The numbers of ended jobs, by result.
struct JobTally {
    var completed = 0
    var failed = 0
    var cancelled = 0
    var retried = 0
    var durations = Histogram(bounds: Histogram.longBounds)
    var dispatches = Histogram(bounds: Histogram.shortBounds)
    var (assignedBytes, resultBytes) = (0, 0)

    func add(to totals: inout QueueStatus.Totals) {
        (totals.completed, totals.failed, totals.cancelled) = (completed, failed, cancelled)
        (totals.retried, totals.durations, totals.dispatches) = (retried, durations, dispatches)
        (totals.assignedBytes, totals.resultBytes) = (assignedBytes, resultBytes)
    }
}
