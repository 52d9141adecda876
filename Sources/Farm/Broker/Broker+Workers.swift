import Glibc
import Messaging

/// Starts, watches and ends worker processes.
extension Broker {
    mutating func staff() {
        guard closing == nil else { return }
        guard !leases.waiting.isEmpty, pool.room > 0 else { return }
        actions += pool.staff(for: localDemand, at: now).lazy.map { .spawn($0) }
    }

    mutating func spawnFailed(_ id: WorkerID, _ reason: String) {
        guard let worker = pool.remove(id) else { return }
        startFailed(reason, worker)
    }

    mutating func exited(_ id: WorkerID, _ exit: WorkerExit) {
        guard let worker = pool.remove(id) else { return }
        let cause: Ending? = if case .ending(let ending, _) = worker.phase { ending } else { nil }
        if cause == nil {
            // A worker that ends at its start is reported as a failed start.
            log(
                worker.phase == .starting ? .info : .warning, "worker \(id) ended unexpectedly: \(exit.status)",
                worker: id, job: worker.work?.lease.job)
        }
        if let lease = worker.work?.lease,
            let transition = leases.lose(lease, of: id, LeaseTable.Loss(of: id, cause, exit, worker))
        {
            record(transition)
        }
        switch cause {
        case .unfit(let reason): startFailed(reason, worker)
        case nil where worker.isFailedStart:
            let tail = exit.errorTail.split(separator: "\n").last.map { ": \($0)" } ?? ""
            startFailed(
                exit.lack.map { "a worker \($0) (\(exit.status))" }
                    ?? "worker \(id) ended before it could work (\(exit.status))\(tail)", worker)
        default: break
        }
    }

    private mutating func startFailed(_ reason: String, _ worker: Worker) {
        let start = pool.startFailed(startedAt: worker.startedAt, demand: localDemand, at: now)
        log(start.isFirst ? .warning : .info, "a worker could not be started: \(reason)")
        guard start.isLast else { return }
        record(
            leases.failWaiting(for: pool.policy.tags, JobFailure(.unavailable, "No worker can be started: \(reason).")))
    }

    mutating func tick() {
        let overdue = pool.overdue(at: now) { [leases] in leases.cancelled($0) }
        for (id, ending) in overdue {
            if id.isRemote { lose(id, "\(ending)") } else { kill(id, ending) }
        }
        expireLent()
        addBackups()
        noteLoneliness()
    }

    private mutating func kill(_ id: WorkerID, _ ending: Ending) {
        log(
            ending == .dismissed ? .info : .warning, "killing worker \(id): \(ending)", worker: id,
            job: pool.workers[id]?.work?.lease.job)
        actions.append(.kill(id))
        pool.kill(id, ending, at: now)
    }

    /// Takes a worker out of service. It is told to leave, unless it was refused; its exit is
    /// awaited either way.
    mutating func end(_ id: WorkerID, _ ending: Ending) {
        if pool.end(id, ending, at: now), ending == .dismissed { send(.stop, to: id) }
    }

    mutating func shutdown(graceful: Bool) {
        guard closing != .done else { return }
        closing = .underWay
        cancelAll()
        lent = LentLeases()
        dismissRemote()
        for (id, worker) in pool.workers {
            switch worker.phase {
            case .ended: break
            case .serving where graceful, .ending where graceful: end(id, .dismissed)
            case .starting, .serving, .ending: kill(id, .dismissed)
            }
        }
    }
}

extension LeaseTable.Loss {
    /// With more libraries than this in one process, none of them is suspected.
    private static let mostSuspects = 4

    /// Classifies the end of a worker.
    /// - Parameters:
    ///   - cause: nil if the worker ended by itself.
    ///   - state: the last known state.
    fileprivate init(of worker: WorkerID, _ cause: Ending?, _ exit: WorkerExit, _ state: Worker) {
        var evidence = exit.evidence(worker: worker.name)
        if let progress = state.work?.progress, progress.total > 0 {
            evidence.append("it had done \(progress.done) of \(progress.total)")
        }
        // A plugin is known from its breadcrumb, a file that was being decoded from the last
        // heartbeat.
        let place = exit.culprit ?? state.work?.vitals.activity
        // If neither is known, foreign libraries in the process are suspected: damage that a
        // library does may show later.
        let suspects =
            state.libraries.count > Self.mostSuspects ? [] : state.libraries.map(LibraryFingerprint.path).sorted()
        func fault(_ reason: String, in place: String?) -> Self {
            guard place == nil, !suspects.isEmpty else {
                return .fault(reason: reason, evidence: evidence, culprit: place, blame: exit.blame)
            }
            guard suspects.count > 1 else {
                return .fault(
                    reason: reason, evidence: evidence,
                    culprit: "a process that had opened the plugin ‘\(suspects[0])’",
                    blame: PluginBlame(path: suspects[0]))
            }
            let names = suspects.map { "‘\($0)’" }.joined(separator: ", ")
            return .fault(
                reason: "\(reason), in a process that had opened the plugins \(names)", evidence: evidence,
                culprit: nil, blame: nil)
        }
        switch cause {
        case .silent(let reason):
            evidence.insert("worker \(worker) \(reason)", at: 0)
            // Foreign code may have closed the worker's connection; then it counts against the job.
            self =
                place == nil && state.libraries.isEmpty
                ? .lost(reason: "worker \(worker) \(reason)", evidence: [evidence[0]])
                : fault("its worker \(reason)", in: place)
        case .stalled(let reason):
            evidence.insert("worker \(worker): \(reason)", at: 0)
            self = fault("it \(reason)", in: place)
        case .cancelled, .unfit, .dismissed: self = .lost(reason: "its worker was ended", evidence: evidence)
        case nil where exit.status.isFromOutside:
            if exit.culprit != nil, !exit.mayBeOutOfMemory {
                self = fault(
                    "its worker was killed (\(exit.status)), and the machine had enough memory", in: exit.culprit)
                return
            }
            let hint = exit.mayBeOutOfMemory ? ", as the system does when memory runs out" : ""
            self = .lost(reason: "worker \(worker) was killed (\(exit.status))\(hint)", evidence: evidence)
        case nil where exit.lack != nil:
            let place = exit.culprit.map { ", in \($0)" } ?? ""
            self = .lack(reason: "its worker \(exit.lack ?? "") (\(exit.status))\(place)", evidence: evidence)
        case nil:
            let what = if case .code = exit.status { "it ended its worker" } else { "it crashed its worker" }
            self = fault("\(exit.fault ?? what) (\(exit.status))", in: exit.culprit)
        }
    }
}
