import Cleanup
import FoundationEssentials
import Glibc
import Logging
import Messaging

/// What the broker says, done.
extension QueueDriver {
    func accept(_ submission: Submission) {
        if submission.isCancelled { return submission.end(.failure(.cancelled)) }
        if let taken = submission.jobs.first(where: { submissions[$0.id] != nil })?.id {
            return submission.end(
                .failure(QueueError(.invalidJob, "A job named \(taken) is already in the queue.", job: taken)))
        }
        if submission.jobs.isEmpty { return submission.end(.success([:])) }
        for job in submission.jobs { submissions[job.id] = submission }
        feed(.submit(submission.jobs))
    }

    /// - Returns: an event that came of it.
    func perform(_ action: Broker.Action) -> Broker.Event? {
        switch action {
        case .send(let message, let worker): send(message, to: worker)
        case .spawn(let worker): return spawn(worker)
        case .kill(let worker): processes[worker]?.kill()
        case .completed(let job, let result): return ended(job, .success(result), .completed(job))
        case .job(let event):
            switch event {
            case .failed(let job, let failure): return ended(job, .failure(QueueError(job, failure)), event)
            case .cancelled(let job): return ended(job, .failure(.cancelled), event)
            case .started(let job, let worker):
                runs[job] = (worker, .now)
                log(.debug, "job \(job) started", worker, nil)
                submissions[job]?.onEvent(event)
            case .retrying(let job, let reason):
                log(.warning, "job \(job) is tried again: \(reason)", nil, job)
                submissions[job]?.onEvent(event)
            default: submissions[event.job]?.onEvent(event)
            }
        case .log(let level, let text, let worker, let job): log(level, text, worker, job)
        case .closed: isClosed = true
        }
        return nil
    }

    private func ended(_ job: JobID, _ result: Result<Data, QueueError>, _ event: JobEvent) -> Broker.Event? {
        if let run = runs.removeValue(forKey: job) {
            let milliseconds = Int((SuspendingClock.now - run.since) / .milliseconds(1))
            let end =
                switch event {
                case .completed: "done";
                case .cancelled: "cancelled";
                default: "failed"
                }
            log(.debug, "job \(job) \(end) after \(milliseconds) ms", run.worker, nil)
        }
        guard let submission = submissions.removeValue(forKey: job) else { return nil }
        submission.onEvent(event)
        return submission.ended(job, result) ? .cancel(submission.jobs.map(\.id)) : nil
    }

    /// A message that does not get through is not missed for long: the worker asks again, or is found silent.
    private func send(_ message: Message, to worker: WorkerID) {
        do throws(ZMQError) {
            if try !socket.send(message, to: worker) {
                configuration.logger.warning("a message to worker \(worker) was dropped: it does not read")
            }
        } catch {
            configuration.logger.debug("a message to worker \(worker) was dropped: \(error)")
        }
    }

    private func spawn(_ worker: WorkerID) -> Broker.Event? {
        do throws(RuntimeDirectory.Failure) {
            let launch = WorkerLaunch(
                endpoint: runtime.endpoint, worker: worker, directory: try runtime.makeFolder(worker.name),
                writable: configuration.writable, isParanoid: configuration.isParanoid)
            processes[worker] = try WorkerProcess(
                launch, program: configuration.workerPath, arguments: configuration.extraArguments,
                environment: environment())
            return nil
        } catch {
            return .spawnFailed(worker, reason: error.description)
        }
    }

    private func environment() -> [String] {
        var variables: [String: String] = [:]
        var entry = environ
        while let text = entry.pointee {
            let parts = String(cString: text).split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            if parts.count == 2 { variables[String(parts[0])] = String(parts[1]) }
            entry += 1
        }
        // A crash is to be reported at once; Swift's own report of it takes seconds of a core.
        variables["SWIFT_BACKTRACE"] = variables["SWIFT_BACKTRACE"] ?? "enable=no"
        // What a worker makes must not depend on it: see fresh_memory.h.
        variables["MALLOC_PERTURB_"] = nil
        variables.merge(configuration.environment) { $1 }
        return variables.map { "\($0.key)=\($0.value)" }.sorted()
    }

    private func log(_ level: Broker.LogLevel, _ text: String, _ worker: WorkerID?, _ job: JobID?) {
        var metadata: Logger.Metadata = [:]
        if let worker { metadata["worker"] = "\(worker)" }
        if let job { metadata["job"] = "\(job)" }
        let logLevel: Logger.Level =
            switch level {
            case .debug: .debug
            case .info: .info
            case .warning: .warning
            case .error: .error
            }
        configuration.logger.log(level: logLevel, "\(text)", metadata: metadata)
    }
}
