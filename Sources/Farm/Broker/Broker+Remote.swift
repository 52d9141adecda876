import Messaging

/// Handles remote workers. Their processes are out of sight: a lost one may still be working. Its
/// lease is released all the same; everything that it sends or writes later carries an outdated
/// epoch.
extension Broker {
    mutating func arrive(_ id: WorkerID, _ introduction: WorkerIntroduction) {
        let arrival = pool.arrive(id, introduction, at: now)
        if arrival != .again { lent.leave(id) }
        switch arrival {
        case .refused(let reason): return turnAway(id, reason)
        case .joined:
            hasToldLoneliness = false
            log(.info, "worker \(id) has joined\(introduction.node?.summary ?? "")", worker: id)
        case .again: break
        case .inPlace(let before):
            log(.info, "worker \(id) has joined again, as another process", worker: id)
            release(before.work, of: id, "was restarted")
        }
        roster.come(id)
        takeBack(id, introduction.node?.leases ?? [])
        send(.welcome(terms), to: id)
    }

    /// Refuses a remote worker, with the reason.
    mutating func turnAway(_ id: WorkerID, _ reason: String) {
        if pool.workers[id] != nil { lose(id, "was refused: \(reason)") }
        counters.refusals += 1
        // A worker may ask again and again: log the 1st, 2nd, 4th, 8th …
        if counters.refusals & (counters.refusals - 1) == 0 {
            log(.warning, "refused worker \(id): \(reason)", worker: id)
        }
        send(.refused(reason: reason), to: id)
    }

    /// Handles a message of an unknown remote worker: one that was lost, or that an earlier host
    /// knew, joins by its hello.
    mutating func hearRemoteStranger(_ message: Message, _ id: WorkerID) {
        counters.strangers += 1
        switch message {
        case _ where closing != nil: send(.stop, to: id)
        case .hello(let introduction): arrive(id, introduction)
        case .goodbye: break
        default: send(.introduceYourself, to: id)
        }
    }

    /// Removes a worker that is gone, or counts as gone.
    /// - Parameter reason: half a sentence, which continues after the worker's name.
    mutating func lose(_ id: WorkerID, _ reason: String, _ level: LogLevel = .warning) {
        guard let worker = pool.remove(id) else { return }
        if let origin = worker.origin { roster.lose(id, Roster.Loss(reason: reason, at: now, origin: origin)) }
        lent.leave(id)
        log(level, "worker \(id) \(reason)", worker: id, job: worker.work?.lease.job)
        release(worker.work, of: id, reason)
    }

    mutating func revoke(_ nodes: Set<String>) {
        for id in pool.workers(of: nodes) { lose(id, "may not work here any more: its key was revoked") }
    }

    /// Releases the remote workers because the host ends; they look for the next one.
    mutating func dismissRemote() {
        for id in pool.workers(of: nil) {
            send(.stop, to: id)
            lose(id, "is not needed any more", .debug)
        }
    }

    private mutating func release(_ work: Worker.Work?, of id: WorkerID, _ reason: String) {
        guard let lease = work?.lease else { return }
        let loss = LeaseTable.Loss.lost(reason: "worker \(id) \(reason)", evidence: ["worker \(id) \(reason)"])
        guard let transition = leases.lose(lease, of: id, loss) else { return }
        counters.losses += 1
        record(transition)
    }

    /// Notes when jobs wait although all workers are remote and none has come.
    mutating func noteLoneliness() {
        guard pool.policy.workers == 0, !leases.waiting.isEmpty, pool.isEmpty else {
            (lonelySince, hasToldLoneliness) = (nil, false)
            return
        }
        let since = lonelySince ?? now
        lonelySince = since
        guard !hasToldLoneliness, now - since >= .seconds(5) else { return }
        hasToldLoneliness = true
        let jobs = leases.waiting.count
        log(
            .warning,
            jobs == 1 ? "a job waits, but no worker has joined" : "\(jobs) jobs wait, but no worker has joined")
    }
}

extension NodeIntroduction {
    fileprivate var summary: String {
        var text = ": \(cores) cores, \(memory >> 20) MiB"
        if !tags.isEmpty { text += ", tags \(tags.sorted().joined(separator: ", "))" }
        return text
    }
}
