import Glibc
import Messaging

/// Manages the workers' processes. None of it blocks: see ``QueueDriver``.
extension QueueDriver {
    func spawn(_ worker: WorkerID) {
        let launch = WorkerLaunch(
            endpoint: runtime.endpoint, worker: worker, directory: runtime.path + "/" + worker.name,
            writable: configuration.writable, isParanoid: configuration.isParanoid)
        starter.async { [configuration, mailbox] in
            let process = Result { () throws(WorkerProcess.Failure) in
                try WorkerProcess(
                    launch, program: configuration.workerPath, arguments: configuration.extraArguments,
                    environment: configuration.workerEnvironment)
            }
            mailbox.post(.started(worker, process))
        }
    }

    func started(_ worker: WorkerID, _ result: Result<WorkerProcess, WorkerProcess.Failure>) {
        let isDoomed = doomed.remove(worker) != nil
        switch result {
        case .success(let process):
            processes[worker] = process
            if isDoomed { process.kill() }
        case .failure(let failure): feed(.spawnFailed(worker, reason: failure.description))
        }
    }

    func kill(_ worker: WorkerID) {
        if let process = processes[worker] { process.kill() } else { doomed.insert(worker) }
    }

    func reap(_ worker: WorkerID) {
        guard let process = processes[worker], let status = process.reap() else { return }
        processes[worker] = nil
        feed(.ended(worker))
        examiner.async { [configuration, mailbox, remains = process.remains] in
            let exit = remains.examine(
                status, logDirectory: configuration.logDirectory, explainsFault: configuration.explainsFault)
            mailbox.post(.examined(worker, exit))
            remains.remove()
        }
    }
}

extension JobQueue.Configuration {
    /// The workers' environment, as `NAME=value`.
    fileprivate var workerEnvironment: [String] {
        var variables: [String: String] = [:]
        var entry = environ
        while let text = entry.pointee {
            let parts = String(cString: text).split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            if parts.count == 2 { variables[String(parts[0])] = String(parts[1]) }
            entry += 1
        }
        // A crash must be reported at once; Swift's own backtrace takes seconds of a core.
        variables["SWIFT_BACKTRACE"] = variables["SWIFT_BACKTRACE"] ?? "enable=no"
        // A worker's output must not depend on it: see fresh_memory.h.
        variables["MALLOC_PERTURB_"] = nil
        variables.merge(environment) { $1 }
        return variables.map { "\($0.key)=\($0.value)" }.sorted()
    }
}
