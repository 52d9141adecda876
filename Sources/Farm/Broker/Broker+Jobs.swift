import FoundationEssentials
import Messaging

/// Submits, assigns and ends jobs.
extension Broker {
    mutating func submit(_ specs: [JobSpec]) {
        for spec in specs {
            if closing != nil, leases.jobs[spec.id] == nil {
                record(.cancelled(spec.id))
            } else if let transition = leases.submit(spec) {
                record(transition)
                adopt(spec.id)
            } else {
                log(.error, "job \(spec.id) was submitted twice; the second one is ignored", job: spec.id)
            }
        }
    }

    mutating func cancel(_ ids: [JobID]) {
        for id in ids {
            dropBackup(id)
            let holder = leases.jobs[id]?.holder
            guard let transition = leases.cancel(id, at: now) else { continue }
            record(transition)
            if let holder { send(.cancel(holder.lease), to: holder.worker) }
            if let holder { disown(holder.lease, of: holder.worker) }
        }
    }

    mutating func cancelAll() {
        cancel(leases.jobs.values.sorted { $0.order < $1.order }.map(\.spec.id))
    }

    /// Gives waiting jobs to the workers that asked.
    mutating func dispatch() {
        guard !leases.waiting.isEmpty, !pool.idle.isEmpty, closing == nil else { return }
        for id in pool.idleByTurn {
            guard !leases.waiting.isEmpty, let worker = pool.workers[id] else { return }
            guard takes(id) else { continue }
            let next = leases.waiting.next(
                for: worker.libraries, tags: worker.tags, session: worker.origin?.session, after: worker.place,
                others: pool.walkers
            ) { fit in
                guard let node = id.node, fit.avoided.contains(node) else { return true }
                return !pool.hasWorker(with: fit.needs, outside: fit.avoided)
            }
            if isToLeave(worker, insteadOf: next) {
                log(.debug, "worker \(id) makes room: waiting jobs must not run in its process", worker: id)
                end(id, .dismissed)
                continue
            }
            guard let next, let given = leases.lease(next, to: id) else { continue }
            // A node separates jobs in processes of its own, so its slots load no libraries here.
            pool.assign(
                given.lease, to: id, place: WaitingJobs.Place(given.spec),
                libraries: worker.isRemote ? [] : given.spec.libraries,
                threads: worker.isRemote ? 1 : pool.threadsOfNext(waiting: leases.waiting.count + 1), at: now)
            record(given.transition)
            send(.assign(given.lease, assignment(of: given.spec, for: id)), to: id)
        }
    }

    /// The waiting jobs that local workers could run.
    var localDemand: [WaitingJobs.Demand] { leases.waiting.demand(for: pool.policy.tags) }

    /// Tells local workers the number of threads that they may use, if it has changed.
    mutating func shareThreads() {
        guard pool.policy.workers > 1, closing == nil else { return }
        for (worker, lease, threads) in pool.share(waiting: leases.waiting.count) {
            send(.share(lease, threads: threads), to: worker)
        }
    }

    func assignment(of spec: JobSpec, for id: WorkerID) -> Assignment {
        Assignment(
            kind: spec.kind, payload: spec.payload, libraries: id.isRemote ? spec.libraries : [], fence: spec.fence,
            threads: pool.workers[id]?.work?.threads ?? 1)
    }

    /// Returns whether an idle worker must leave to make room for one without its libraries. It
    /// must if jobs wait that it cannot run, no more workers may be started, no other worker is
    /// free, and no job that it can run may go before them.
    private func isToLeave(_ worker: Worker, insteadOf next: JobID?) -> Bool {
        if worker.isRemote { return false }
        guard let next else { return pool.unmet(localDemand) > pool.room }
        // While starts fail, every worker that can run anything keeps running.
        guard pool.room <= 0, pool.startFailures.count == 0, let first = leases.waiting.first(for: pool.policy.tags)
        else { return false }
        return !leases.waiting.mayPass(next, first) && !worker.fits(first.libraries)
            && !pool.hasFree(for: first.libraries)
    }

    /// Takes in a worker's report on a run and answers it; the worker may then drop the report.
    mutating func settle(_ lease: Lease, by id: WorkerID, _ result: Result<Data, JobFailure>) {
        // Its job is yet to be submitted: the worker repeats the report.
        let isLent = lent.holds(lease, of: id)
        if isLent, lent.isUnclaimed(lease) { return }
        if pool.isVoid(lease, of: id) {
            pool.finishedWork(id)
            return send(.acknowledge(lease), to: id)
        }
        let spec = leases.jobs[lease.job]?.spec
        let others = leases.jobs[lease.job]?.runs.filter { $0.lease != lease } ?? []
        switch leases.settle(lease, by: id, of: pool.workers[id]?.origin?.session, result, at: now) {
        case .accepted(let transition, let holder):
            if case .completed = transition, let spec, let work = pool.workers[id]?.work {
                note(spec, after: now - work.since, by: id)
            }
            if case .completed = transition, let node = id.node { roster.credit(lease.job, to: node) }
            if isLent { lent.drop(LentLease(lease, of: id)) } else { pool.finishedWork(id) }
            record(transition)
            if leases.jobs[lease.job] == nil { for run in others { withdraw(run) } }
            if case .released(_, let release) = transition, case .declined = release.cause { pass(on: release.reason) }
            send(.acknowledge(lease), to: id)
            // A node has already retried it in another process.
            if holder == .makesRoom, !id.isRemote { end(id, .dismissed) }
        case .repeated:
            counters.duplicates += 1
            send(.acknowledge(lease), to: id)
        case .outdated:
            counters.stale += 1
            log(.info, "dropped a result under the outdated lease \(lease)", worker: id, job: lease.job)
            send(.cancel(lease), to: id)
        }
    }

    mutating func finishClosing() {
        guard closing == .underWay, pool.isEmpty, leases.isEmpty else { return }
        closing = .done
        actions.append(.closed)
    }
}
