import Messaging

/// What workers say.
extension Broker {
    mutating func hear(_ message: Message, from id: WorkerID) {
        guard workers[id] != nil else { return hearStranger(message, id) }
        workers[id]?.lastHeard = now
        switch message {
        case .hello(let introduction): welcome(id, introduction)
        case _ where workers[id]?.phase == .starting: send(.introduceYourself, to: id)
        case .ready: asked(id)
        case .heartbeat(let lease, let progress): advanced(id, lease, progress)
        case .completed(let lease, let result): settle(lease, by: id, .success(result))
        case .failed(let lease, let failure): settle(lease, by: id, .failure(failure))
        case .goodbye: end(id, .dismissed)
        case .welcome, .refused, .introduceYourself, .assign, .acknowledge, .cancel, .stop:
            log(.debug, "worker \(id) sent a message that only a host sends", worker: id)
        }
    }

    /// Bytes that are no message. They count as no sign of life and change nothing, but a worker of another version is
    /// told so.
    mutating func hear(_ problem: MessageProblem, from id: WorkerID) {
        counters.problems += 1
        // Garbage may come in floods: log the 1st, 2nd, 4th, 8th …
        if counters.problems & (counters.problems - 1) == 0 {
            log(.warning, "\(counters.problems) unreadable messages so far; the last, from \(id): \(problem)")
        }
        if case .version = problem { refuse(id, "\(problem)") }
    }

    private mutating func hearStranger(_ message: Message, _ id: WorkerID) {
        counters.strangers += 1
        // A worker that was seen ended may have messages under way; it needs no answer, and nobody else gets one but to hello.
        if case .hello = message { refuse(id, "this host has started no worker named \(id)") }
    }

    private mutating func welcome(_ id: WorkerID, _ introduction: WorkerIntroduction) {
        guard let worker = workers[id] else { return }
        if introduction.protocol != Wire.version {
            return refuse(id, "it speaks protocol version \(introduction.protocol), this build version \(Wire.version)")
        }
        if introduction.engine != policy.engine {
            return refuse(id, "it belongs to build \(introduction.engine), the host to build \(policy.engine)")
        }
        if worker.phase == .starting {
            workers[id]?.phase = .serving
            if let isolation = introduction.isolation {
                log(.debug, "worker \(id) has started; \(isolation)", worker: id)
            }
        }
        if !worker.isEnding { send(.welcome, to: id) }
    }

    private mutating func refuse(_ id: WorkerID, _ reason: String) {
        log(.warning, "refused worker \(id): \(reason)", worker: id)
        send(.refused(reason: reason), to: id)
        if workers[id] != nil { end(id, .unfit("worker \(id) was refused: \(reason)")) }
    }

    /// A worker wants a job. One that has one has not got it yet (its `ready` crossed it), or never did.
    private mutating func asked(_ id: WorkerID) {
        guard let worker = workers[id], worker.phase == .serving else { return }
        guard let work = worker.work else {
            idle.append(id)
            return
        }
        if now - work.since >= policy.resendAfter, let job = jobs[work.lease.job] {
            send(.assign(work.lease, kind: job.spec.kind, payload: job.spec.payload), to: id)
            workers[id]?.work?.since = now
        }
    }

    private mutating func advanced(_ id: WorkerID, _ lease: Lease, _ progress: Progress) {
        guard let work = workers[id]?.work, work.lease == lease else {
            counters.stale += 1
            return send(.cancel(lease), to: id)
        }
        guard progress != work.progress else { return }
        workers[id]?.work?.progress = progress
        workers[id]?.work?.progressAt = now
        // Steps within a unit keep the worker alive and are nobody else's concern.
        guard (progress.done, progress.total) != (work.progress.done, work.progress.total) else { return }
        actions.append(.job(.progressed(lease.job, progress)))
    }

    func isCurrent(_ lease: Lease, of id: WorkerID) -> Bool {
        guard let holder = jobs[lease.job]?.holder else { return false }
        return holder.lease == lease && holder.worker == id
    }

    mutating func send(_ message: Message, to id: WorkerID) { actions.append(.send(message, to: id)) }

    mutating func log(_ level: LogLevel, _ text: String, worker: WorkerID? = nil, job: JobID? = nil) {
        actions.append(.log(level, text, worker: worker, job: job))
    }
}
