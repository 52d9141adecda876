extension Broker {
    /// Returns the current state; the driver's own counters are left at zero.
    func status(at time: Duration) -> QueueStatus {
        var totals = QueueStatus.Totals()
        (totals.losses, totals.duplicates, totals.outdated) = (counters.losses, counters.duplicates, counters.stale)
        totals.secondRuns = counters.backups
        (totals.strange, totals.refusedWorkers) = (counters.problems + counters.strangers, counters.refusals)
        let (waiting, paused) = (leases.waiting.count, leases.pausedCount)
        return QueueStatus(
            waiting: waiting, paused: paused, running: leases.jobs.count - waiting - paused,
            lastEpoch: leases.lastEpoch,
            workers: workerStatuses(at: time), totals: totals)
    }
}
