import FoundationEssentials
import Messaging

/// How jobs come, are given out, and end.
extension Broker {
    mutating func submit(_ specs: [JobSpec]) {
        for spec in specs {
            if jobs[spec.id] != nil {
                log(.error, "job \(spec.id) was submitted twice; the second one is ignored", job: spec.id)
            } else if closing != nil {
                actions.append(.job(.cancelled(spec.id)))
            } else if let problem = spec.problem {
                actions.append(.job(.failed(spec.id, JobFailure(.internal, problem))))
            } else {
                nextOrder += 1
                jobs[spec.id] = Job(spec: spec, order: nextOrder)
                waiting.insert(spec, order: nextOrder)
            }
        }
    }

    mutating func cancel(_ ids: [JobID]) {
        for id in ids {
            guard let job = jobs[id], job.cancelledAt == nil else { continue }
            guard let holder = job.holder else {
                finish(id, .job(.cancelled(id)))
                continue
            }
            jobs[id]?.cancelledAt = now
            send(.cancel(holder.lease), to: holder.worker)
        }
    }

    mutating func cancelAll() { cancel(jobs.values.sorted { $0.order < $1.order }.map(\.spec.id)) }

    /// Gives waiting jobs to the workers that asked.
    mutating func dispatch() {
        guard !waiting.isEmpty, !idle.isEmpty, closing == nil else { return }
        for id in Array(idle) {
            let others = workers.elements.lazy.filter { $0.key != id && !$0.value.isEnding }.compactMap(\.value.place)
            guard let job = waiting.take(after: workers[id]?.place, others: others) else { return }
            idle.remove(id)
            lease(job, to: id)
        }
    }

    private mutating func lease(_ id: JobID, to worker: WorkerID) {
        guard let spec = jobs[id]?.spec else { return }
        lastEpoch += 1
        let lease = Lease(job: id, epoch: lastEpoch)
        jobs[id]?.holder = Job.Holder(lease: lease, worker: worker)
        workers[worker]?.work = Worker.Work(lease: lease, since: now, progress: Progress(), progressAt: now)
        if let group = WaitingJobs.Group(spec), let sequence = spec.sequence {
            workers[worker]?.place = WaitingJobs.Place(group: group, index: sequence.index)
        }
        send(.assign(lease, kind: spec.kind, payload: spec.payload), to: worker)
        actions.append(.job(.started(id, worker: worker)))
    }

    /// A worker's result. Accepted if the lease is current; the worker may forget it in every case.
    mutating func settle(_ lease: Lease, by id: WorkerID, _ result: Result<Data, JobFailure>) {
        guard isCurrent(lease, of: id) else {
            if settled.contains(lease) {
                counters.duplicates += 1
                return send(.acknowledge(lease), to: id)
            }
            counters.stale += 1
            log(.info, "dropped a result under the outdated lease \(lease)", worker: id, job: lease.job)
            return send(.cancel(lease), to: id)
        }
        workers[id]?.work = nil
        workers[id]?.isProven = true
        startFailures = StartFailures()
        remember(lease)
        send(.acknowledge(lease), to: id)
        switch result {
        case .success(let result): finish(lease.job, .completed(lease.job, result: result))
        case .failure(let failure): failed(lease.job, on: id, failure)
        }
    }

    private mutating func failed(_ id: JobID, on worker: WorkerID, _ failure: JobFailure) {
        guard jobs[id]?.cancelledAt == nil else { return finish(id, .job(.cancelled(id))) }
        guard failure.isTransient || failure.category == .internal || failure.category == .cancelled else {
            return finish(id, .job(.failed(id, failure)))
        }
        jobs[id]?.retriableFailures += 1
        let isLast = jobs[id]?.retriableFailures ?? 0 >= policy.retriableFailuresPerJob
        // Our own fault, the worker's state, or what the process holds: another one decides which.
        if !isLast || !failure.isTransient { end(worker, .dismissed) }
        if isLast {
            var failure = failure
            failure.details += jobs[id]?.evidence ?? []
            finish(id, .job(.failed(id, failure)))
        } else {
            note(id, ["worker \(worker): \(failure.message)"])
            release(id, reason: failure.message, after: failure.isTransient ? policy.transientPause : .zero)
        }
    }

    /// A run ended with its worker. `cause` is nil when the worker ended by itself.
    mutating func lostHolder(_ id: JobID, worker: WorkerID, cause: Ending?, _ exit: WorkerExit) {
        guard jobs[id]?.cancelledAt == nil else { return finish(id, .job(.cancelled(id))) }
        switch cause {
        case .silent(let reason): lost(id, "worker \(worker) \(reason)", ["worker \(worker) \(reason)"])
        case .stalled(let reason):
            faulted(id, "it \(reason)", ["worker \(worker): \(reason)"] + exit.evidence(worker: worker.name), exit)
        case .cancelled, .unfit, .dismissed: lost(id, "its worker was ended", exit.evidence(worker: worker.name))
        case nil where exit.status.isFromOutside:
            lost(id, "worker \(worker) was killed (\(exit.status))", exit.evidence(worker: worker.name))
        case nil:
            faulted(
                id, "\(exit.fault ?? "it crashed its worker") (\(exit.status))", exit.evidence(worker: worker.name),
                exit)
        }
    }

    private mutating func lost(_ id: JobID, _ reason: String, _ evidence: [String]) {
        note(id, evidence)
        jobs[id]?.losses += 1
        guard let job = jobs[id], job.losses >= policy.lossesPerJob else { return release(id, reason: reason) }
        let text =
            "Job \(id) was given up: \(job.losses) workers were lost while they ran it, the last because \(reason)."
        finish(id, .job(.failed(id, JobFailure(.resource, text, details: job.evidence))))
    }

    private mutating func faulted(_ id: JobID, _ reason: String, _ evidence: [String], _ exit: WorkerExit) {
        note(id, evidence)
        jobs[id]?.faults += 1
        guard let job = jobs[id], job.faults >= policy.faultsPerJob else { return release(id, reason: reason) }
        let times = job.faults == 2 ? "twice" : "\(job.faults) times"
        let failure =
            if let culprit = exit.culprit {
                JobFailure(
                    .plugin, "Job \(id) failed \(times) in \(culprit): \(reason).", details: job.evidence,
                    blame: exit.blame)
            } else {
                JobFailure(.internal, "Job \(id) failed \(times): \(reason).", details: job.evidence)
            }
        finish(id, .job(.failed(id, failure)))
    }

    /// Puts a job back among the waiting. Its holder has been seen ended, or has given it back.
    private mutating func release(_ id: JobID, reason: String, after pause: Duration = .zero) {
        guard let job = jobs[id] else { return }
        jobs[id]?.holder = nil
        if pause > .zero { paused.append((id, now + pause)) } else { waiting.insert(job.spec, order: job.order) }
        actions.append(.job(.retrying(id, reason: reason)))
    }

    mutating func resumePaused() {
        guard !paused.isEmpty else { return }
        for (id, _) in paused.filter({ $0.until <= now }) {
            if let job = jobs[id] { waiting.insert(job.spec, order: job.order) }
        }
        paused.removeAll { $0.until <= now }
    }

    mutating func finish(_ id: JobID, _ action: Action) {
        waiting.remove(id)
        paused.removeAll { $0.id == id }
        if jobs.removeValue(forKey: id) != nil { actions.append(action) }
    }

    private mutating func note(_ id: JobID, _ lines: [String]) {
        jobs[id]?.evidence.append(contentsOf: lines)
        if let count = jobs[id]?.evidence.count, count > 16 { jobs[id]?.evidence.removeFirst(count - 16) }
    }

    private mutating func remember(_ lease: Lease) {
        settled.append(lease)
        // Removing the oldest one by one would move the rest each time.
        if settled.count > 8192 { settled.removeFirst(4096) }
    }
}
