import FoundationEssentials
import Messaging

/// How jobs come, are given out, and end.
extension Broker {
    mutating func submit(_ specs: [JobSpec]) {
        for spec in specs {
            if closing != nil, leases.jobs[spec.id] == nil {
                record(.cancelled(spec.id))
            } else if let transition = leases.submit(spec) {
                record(transition)
            } else {
                log(.error, "job \(spec.id) was submitted twice; the second one is ignored", job: spec.id)
            }
        }
    }

    mutating func cancel(_ ids: [JobID]) {
        for id in ids {
            let holder = leases.jobs[id]?.holder
            guard let transition = leases.cancel(id, at: now) else { continue }
            record(transition)
            if let holder { send(.cancel(holder.lease), to: holder.worker) }
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
            let next = leases.waiting.next(
                for: worker.taints, tags: worker.tags, after: worker.place, others: pool.places(without: id))
            if isToLeave(worker, insteadOf: next) {
                log(.debug, "worker \(id) makes room: what waits may not run where it has run", worker: id)
                end(id, .dismissed)
                continue
            }
            guard let next, let given = leases.lease(next, to: id) else { continue }
            // A node keeps jobs apart by itself: its slots have no taints.
            pool.assign(
                given.lease, to: id, place: WaitingJobs.Place(given.spec),
                taints: worker.isRemote ? [] : given.spec.taints, at: now)
            record(given.transition)
            send(.assign(given.lease, assignment(of: given.spec, for: id)), to: id)
        }
    }

    func assignment(of spec: JobSpec, for id: WorkerID) -> Assignment {
        Assignment(
            kind: spec.kind, payload: spec.payload, taints: id.isRemote ? spec.taints : [], fence: spec.fence)
    }

    /// Whether an idle worker is to make room for one without its taints. That is so where jobs wait that it may not do, no more
    /// workers may be started, nobody else is free, and there is nothing for it to do that may go before them.
    private func isToLeave(_ worker: Worker, insteadOf next: JobID?) -> Bool {
        if worker.isRemote { return false }
        guard let next else { return pool.unmet(leases.waiting.demand) > pool.room }
        // Where starts fail, whoever can work works.
        guard pool.room <= 0, pool.startFailures.count == 0, let first = leases.waiting.first else { return false }
        return !leases.waiting.mayPass(next, first.rank) && !worker.fits(first.taints)
            && !pool.hasFree(for: first.taints)
    }

    /// Takes in a worker's report on a run and answers it; the worker may then drop the report.
    mutating func settle(_ lease: Lease, by id: WorkerID, _ result: Result<Data, JobFailure>) {
        switch leases.settle(lease, by: id, result, at: now) {
        case .accepted(let transition, let holder):
            pool.finishedWork(id)
            record(transition)
            send(.acknowledge(lease), to: id)
            // A node has tried it in another process already.
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
