import Logging
import Messaging

/// Carries out the broker's actions.
extension QueueDriver {
    func perform(_ action: Broker.Action) {
        switch action {
        case .send(let message, let worker): outbox.put(message, to: worker)
        case .spawn(let worker): spawn(worker)
        case .kill(let worker): kill(worker)
        case .job(let transition):
            ledger.note(transition) { broker.leases.jobs[$0]?.spec }
            guard let event = JobEvent(transition) else { return }
            note(event)
            outbox.events.append(event)
        case .progressed(let job, let progress): outbox.events.append(.progressed(job, progress))
        case .log(let level, let text, let worker, let job):
            log.write(Logger.Level(level), text, worker: worker, job: job, run: job.flatMap { runs[$0] })
        case .closed: isClosed = true
        }
    }

    /// Sends everything in the outbox: events of jobs before the messages that follow from them.
    func flush() {
        guard !outbox.isEmpty else { return }
        mailbox.deliver(outbox.events)
        for (worker, messages) in outbox.messages {
            send(messages, to: worker)
            for case .assign(_, let job) in messages {
                tally.dispatches.add((SuspendingClock.now - arrival) / .seconds(1))
                tally.assignedBytes += job.payload.count
            }
        }
        outbox.clear()
    }

    /// Logs an event of a job.
    private func note(_ event: JobEvent) {
        switch event {
        case .started(let lease, let worker):
            let flow = broker.leases.jobs[lease.job]?.spec.flow.name ?? ""
            let run = Run(worker: worker, epoch: lease.epoch, flow: flow)
            runs[lease.job] = run
            log.write(.debug, "job \(lease.job) started", worker: worker, job: lease.job, run: run)
        case .retrying(let job, let reason):
            tally.retried += 1
            log.write(.warning, "job \(job) is tried again: \(reason)", job: job, run: runs[job])
        case .progressed: break
        case .completed(let job, let result):
            tally.completed += 1
            tally.resultBytes += result.count
            noteEnd(of: job, "done")
        case .failed(let job, _):
            tally.failed += 1
            noteEnd(of: job, "failed")
        case .cancelled(let job):
            tally.cancelled += 1
            noteEnd(of: job, "cancelled")
        }
    }

    private func noteEnd(of job: JobID, _ end: String) {
        guard let run = runs.removeValue(forKey: job) else { return }
        let milliseconds = Int((SuspendingClock.now - run.since) / .milliseconds(1))
        if end == "done" { tally.durations.add(Double(milliseconds) / 1000) }
        log.write(.debug, "job \(job) \(end) after \(milliseconds) ms", worker: run.worker, job: job, run: run)
    }

    /// Sends messages. A lost message does no harm: the worker asks again, or is found silent.
    private func send(_ messages: [Message], to worker: WorkerID) {
        do throws(ZMQError) {
            let isSent =
                if worker.isRemote { try remote?.socket.send(messages, to: worker) ?? false } else {
                    try socket.send(messages, to: worker)
                }
            if isSent { return }
            unsent += 1
            // A peer that does not read may ask without end: log the 1st, 2nd, 4th, 8th …
            guard unsent & (unsent - 1) == 0 else { return }
            let count = unsent == 1 ? "a message was" : "\(unsent) messages were"
            log.write(
                .warning,
                "\(count) dropped so far that did not get through; the last to worker \(worker), which does not read")
        } catch {
            log.write(.debug, "a message to worker \(worker) was dropped: \(error)")
        }
    }
}

extension Logger.Level {
    fileprivate init(_ level: Broker.LogLevel) {
        switch level {
        case .debug: self = .debug
        case .info: self = .info
        case .warning: self = .warning
        case .error: self = .error
        }
    }
}
