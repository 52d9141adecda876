import Messaging

/// Speculative execution, as in MapReduce: near the end of a flow, when none of its jobs waits any
/// more, the whole flow waits for the slowest worker. A late job then gets a backup run on an idle
/// worker of another machine. The first run to finish counts. The other is told to stop, and
/// everything that it still sends or writes has an outdated epoch.
extension Broker {
    private static let stragglerInterval = Duration.milliseconds(500)
    /// A job is late after this multiple of the usual time, and no sooner than this time.
    private static let (lateness, leastTime) = (2.0, Duration.seconds(2))
    /// A job whose estimated remaining time is below this multiple of the usual time gets no
    /// backup: it ends before a backup would.
    private static let restlessness = 1.5
    /// The estimated remaining time is at most this multiple of the time so far.
    private static let longestRest = 1e6

    /// A late job.
    private struct Straggler {
        var job: QueuedJob
        var holder: QueuedJob.Run
        /// The estimated remaining time.
        var rest: Duration
    }

    mutating func addBackups() {
        guard closing == nil, !pool.idle.isEmpty, now >= nextStragglerCheck else { return }
        nextStragglerCheck = now + Self.stragglerInterval
        for straggler in stragglers {
            let helper = pool.idle.first { isFit($0, for: straggler) }
            guard let helper, let given = leases.addBackup(straggler.job.spec.id, to: helper) else { continue }
            let isRemote = pool.workers[helper]?.isRemote ?? false
            // The worker keeps its position in its own sequence.
            pool.assign(given.lease, to: helper, place: nil, libraries: isRemote ? [] : given.spec.libraries, at: now)
            counters.backups += 1
            pool.workers[straggler.holder.worker]?.isLate = true
            record(given.transition)
            send(.assign(given.lease, assignment(of: given.spec, for: helper)), to: helper)
            log(
                .info,
                "job \(given.lease.job) is late on worker \(straggler.holder.worker); worker \(helper) starts a backup run",
                worker: helper, job: given.lease.job)
        }
    }

    /// Learns from a completed job how long such jobs take, and whether the worker keeps up.
    mutating func note(_ spec: JobSpec, after time: Duration, by id: WorkerID) {
        if let usual = paces.usual(spec) {
            let isLate = isLate(time, usual)
            pool.workers[id]?.isLate = isLate
        }
        paces.finished(spec, after: time, by: id)
    }

    private func isLate(_ time: Duration, _ usual: Duration) -> Bool {
        time > max(usual * Self.lateness, Self.leastTime)
    }

    /// The late jobs, the latest first.
    private var stragglers: [Straggler] {
        let waiting = Set(leases.waiting.stock.map(\.flow))
        return pool.workers.compactMap { id, worker -> Straggler? in
            guard let work = worker.work, work.voidSince == nil, let job = leases.jobs[work.lease.job],
                job.spec.mayRunTwice, job.backup == nil, !job.isCancelling, !waiting.contains(job.spec.flow),
                let usual = paces.expected(job.spec)
            else { return nil }
            let time = now - work.since
            guard isLate(time, usual) else { return nil }
            var rest = time
            if work.progress.done > 0, work.progress.total > work.progress.done {
                // Computed from the worker's report and bounded, because it may report anything.
                rest = time * min(Double(work.progress.total) / Double(work.progress.done) - 1, Self.longestRest)
                guard rest > usual * Self.restlessness else { return nil }
            }
            return Straggler(job: job, holder: QueuedJob.Run(lease: work.lease, worker: id), rest: rest)
        }.sorted { ($1.rest, $0.holder.lease.epoch) < ($0.rest, $1.holder.lease.epoch) }
    }

    /// Returns whether an idle worker may run the backup of a late job. A worker of the same
    /// machine would only take resources from the first run.
    private func isFit(_ id: WorkerID, for straggler: Straggler) -> Bool {
        guard let worker = pool.workers[id], worker.isServing, id.node != straggler.holder.worker.node, takes(id)
        else { return false }
        let (job, spec) = (straggler.job, straggler.job.spec)
        return worker.fits(spec.libraries) && spec.needs.isSubset(of: worker.tags)
            && !(id.node.map(job.avoided.contains) ?? false)
            && !(worker.origin.map { job.declinedBy.contains($0.session) } ?? false)
    }

    /// Ends the backup run of a job, if it has one.
    mutating func dropBackup(_ id: JobID) {
        guard let backup = leases.jobs[id]?.backup, let transition = leases.dropBackup(id) else { return }
        record(transition)
        withdraw(backup)
    }

    /// Tells a worker to stop a run that is not wanted any more. Until it has, it is given nothing
    /// else.
    mutating func withdraw(_ run: QueuedJob.Run) {
        if pool.void(run.lease, of: run.worker, at: now) { send(.cancel(run.lease), to: run.worker) }
    }
}
