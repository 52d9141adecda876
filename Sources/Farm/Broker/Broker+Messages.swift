import Messaging

/// Handles the messages of workers.
extension Broker {
    mutating func hear(_ message: Message, from id: WorkerID) {
        guard let phase = pool.heard(id, at: now) else { return hearStranger(message, id) }
        switch message {
        case .hello(let introduction): id.isRemote ? arrive(id, introduction) : welcome(id, introduction)
        case _ where phase == .starting: send(.introduceYourself, to: id)
        case .ready: asked(id)
        case .heartbeat(let lease, let progress, let vitals): advanced(id, lease, progress, vitals)
        case .completed(let lease, let result): settle(lease, by: id, .success(result))
        case .failed(let lease, let failure): settle(lease, by: id, .failure(failure))
        case .warning(_, let text): pass(on: text)
        case .goodbye: id.isRemote ? lose(id, "has left", .info) : end(id, .dismissed)
        case .welcome, .refused, .introduceYourself, .assign, .share, .acknowledge, .cancel, .stop:
            log(.debug, "worker \(id) sent a message that only a host sends", worker: id)
        }
    }

    /// Handles unreadable bytes. They are no sign of life and change nothing, but a worker of
    /// another version is told so.
    mutating func hear(_ problem: MessageProblem, from id: WorkerID) {
        counters.problems += 1
        // Garbage may come in floods: log the 1st, 2nd, 4th, 8th …
        if counters.problems & (counters.problems - 1) == 0 {
            log(.warning, "\(counters.problems) unreadable messages so far; the last, from \(id): \(problem)")
        }
        guard case .version = problem else { return }
        if id.isRemote { turnAway(id, "\(problem)") } else { refuse(id, "\(problem)") }
    }

    private mutating func hearStranger(_ message: Message, _ id: WorkerID) {
        if id.isRemote { return hearRemoteStranger(message, id) }
        counters.strangers += 1
        // Messages of a worker that is gone may still arrive and need no answer. Other strangers
        // get an answer to hello only.
        if case .hello = message { refuse(id, "this host has started no worker named \(id)") }
    }

    private mutating func welcome(_ id: WorkerID, _ introduction: WorkerIntroduction) {
        switch pool.welcome(id, introduction) {
        case .refused(let reason): refuse(id, reason)
        case .first:
            if let isolation = introduction.isolation {
                log(.debug, "worker \(id) has started; \(isolation)", worker: id)
            }
            send(.welcome(), to: id)
        case .again: send(.welcome(), to: id)
        case .none: break
        }
    }

    private mutating func refuse(_ id: WorkerID, _ reason: String) {
        log(.warning, "refused worker \(id): \(reason)", worker: id)
        send(.refused(reason: reason), to: id)
        end(id, .unfit("worker \(id) was refused: \(reason)"))
    }

    private mutating func asked(_ id: WorkerID) {
        guard case .again(let lease) = pool.asked(id, at: now), let spec = leases.jobs[lease.job]?.spec else { return }
        send(.assign(lease, assignment(of: spec, for: id)), to: id)
    }

    /// Reports a worker's warning to people; equal warnings of several workers once.
    mutating func pass(on warning: String) {
        if warnings.count < Self.mostWarnings, warnings.insert(warning).inserted { log(.warning, warning) }
    }

    private mutating func advanced(
        _ id: WorkerID, _ lease: Lease, _ progress: Progress, _ vitals: Vitals
    ) {
        // Its node supervises it.
        if lent.holds(lease, of: id) { return actions.append(.progressed(lease.job, progress)) }
        switch pool.advanced(id, lease, progress, vitals, at: now) {
        case .outdated:
            counters.stale += 1
            send(.cancel(lease), to: id)
        case .beats: break
        case .progressed:
            // If there are two runs, the one that is ahead is reported.
            let others = leases.jobs[lease.job]?.runs.filter { $0.lease != lease } ?? []
            guard others.allSatisfy({ pool.progress(of: $0) <= progress.done }) else { return }
            actions.append(.progressed(lease.job, progress))
        }
    }
}
