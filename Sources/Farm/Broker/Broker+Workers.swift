import Messaging

/// How worker processes come, are watched, and end.
extension Broker {
    /// Starts workers for the jobs that no live worker is free to take.
    mutating func staff() {
        let limit = max(1, policy.workers)
        guard closing == nil, !waiting.isEmpty, liveCount < limit, now >= startFailures.nextStart else { return }
        let free = workers.values.count { !$0.isEnding && $0.work == nil }
        var wanted = min(waiting.count - free, limit - liveCount)
        // While starts fail, one at a time tries whether they still do.
        if startFailures.count > 0 { wanted = min(wanted, workers.values.contains { $0.phase == .starting } ? 0 : 1) }
        for _ in 0..<max(0, wanted) {
            lastWorkerNumber += 1
            let id = WorkerID("w\(lastWorkerNumber)")
            workers[id] = Worker(startedAt: now, lastHeard: now)
            liveCount += 1
            actions.append(.spawn(id))
        }
    }

    mutating func spawnFailed(_ id: WorkerID, _ reason: String) {
        guard let worker = remove(id) else { return }
        startFailed(reason, startedAt: worker.startedAt)
    }

    mutating func exited(_ id: WorkerID, _ exit: WorkerExit) {
        guard let worker = remove(id) else { return }
        let cause: Ending? = if case .ending(let ending, _) = worker.phase { ending } else { nil }
        if cause == nil {
            // What ends at its start is told of as that.
            log(
                worker.phase == .starting ? .info : .warning, "worker \(id) ended unexpectedly: \(exit.status)",
                worker: id,
                job: worker.work?.lease.job)
        }
        if let lease = worker.work?.lease, isCurrent(lease, of: id) {
            lostHolder(lease.job, worker: id, cause: cause, exit)
        }
        switch cause {
        case .unfit(let reason): startFailed(reason, startedAt: worker.startedAt)
        case nil where worker.phase == .starting || (worker.work == nil && !worker.isProven):
            let tail = exit.errorTail.split(separator: "\n").last.map { ": \($0)" } ?? ""
            startFailed("worker \(id) ended before it could work (\(exit.status))\(tail)", startedAt: worker.startedAt)
        default: break
        }
    }

    /// - Parameter startedAt: workers started before the last counted failure fail with it, not once more.
    private mutating func startFailed(_ reason: String, startedAt: Duration) {
        log(startFailures.count == 0 ? .warning : .info, "a worker could not be started: \(reason)")
        guard startFailures.count == 0 || startedAt > startFailures.lastCounted else { return }
        startFailures.count += 1
        startFailures.lastCounted = now
        startFailures.nextStart = now + .milliseconds(100) * (1 << min(startFailures.count - 1, 6))
        let isServed = workers.values.contains { $0.phase == .serving }
        guard startFailures.count >= policy.startAttempts, !isServed else { return }
        startFailures = StartFailures()
        let failure = JobFailure(.unavailable, "No worker can be started: \(reason).")
        for id in waiting.ids { finish(id, .job(.failed(id, failure))) }
    }

    mutating func tick() {
        excuseGap()
        for (id, worker) in workers {
            switch worker.phase {
            case .starting where now - worker.startedAt > policy.startTimeout:
                kill(id, .unfit("worker \(id) did not report within \(policy.startTimeout)"))
            case .serving: watch(id, worker)
            case .ending(let ending, let since) where now - since > policy.grace && !worker.isKilled:
                kill(id, ending)
            default: break
            }
        }
    }

    private mutating func watch(_ id: WorkerID, _ worker: Worker) {
        if now - worker.lastHeard > policy.leaseTimeout {
            return kill(id, .silent("was not heard for \(policy.leaseTimeout)"))
        }
        guard let work = worker.work, let job = jobs[work.lease.job] else { return }
        if let cancelled = job.cancelledAt, now - cancelled > policy.grace {
            kill(id, .cancelled)
        } else if job.cancelledAt == nil, now - work.progressAt > policy.stallTimeout {
            kill(id, .stalled("made no progress for \(policy.stallTimeout)"))
        }
    }

    /// The host stood still (stopped, starved, asleep): what workers sent meanwhile is only now being read.
    private mutating func excuseGap() {
        defer { lastTick = now }
        guard let lastTick, now - lastTick > policy.tickTolerance else { return }
        let gap = now - lastTick
        for id in workers.keys {
            workers[id]?.lastHeard += gap
            workers[id]?.startedAt += gap
            workers[id]?.work?.progressAt += gap
        }
    }

    private mutating func kill(_ id: WorkerID, _ ending: Ending) {
        log(
            ending == .dismissed ? .info : .warning, "killing worker \(id): \(ending)", worker: id,
            job: workers[id]?.work?.lease.job)
        actions.append(.kill(id))
        workers[id]?.isKilled = true
        end(id, ending)
    }

    /// Takes a worker out of service. It is told to leave, unless it is being killed or was refused; its exit is
    /// awaited either way.
    mutating func end(_ id: WorkerID, _ ending: Ending) {
        guard let worker = workers[id], !worker.isEnding else { return }
        workers[id]?.phase = .ending(ending, since: now)
        liveCount -= 1
        idle.remove(id)
        if ending == .dismissed, !worker.isKilled { send(.stop, to: id) }
    }

    private mutating func remove(_ id: WorkerID) -> Worker? {
        guard let worker = workers.removeValue(forKey: id) else { return nil }
        idle.remove(id)
        if !worker.isEnding { liveCount -= 1 }
        return worker
    }

    mutating func shutdown(graceful: Bool) {
        guard closing != .done else { return }
        closing = .underWay
        cancelAll()
        for (id, worker) in workers {
            if graceful, worker.phase != .starting {
                end(id, .dismissed)
            } else {
                kill(id, .dismissed)
            }
        }
    }

    mutating func finishClosing() {
        guard closing == .underWay, workers.isEmpty, jobs.isEmpty else { return }
        closing = .done
        actions.append(.closed)
    }
}
