import Messaging

/// Shares this machine's processors among its workers.
///
/// The number of computing threads is the number of workers that may serve (`Policy.workers`), or
/// slightly more. While there are as many jobs as workers, each gets one thread. When fewer jobs
/// are left, as at the end of a render, each gets more, so that no processor is idle. A job's
/// output does not depend on it.
extension WorkerPool {
    /// Returns the number of threads of each local job.
    /// - Parameters:
    ///   - jobs: the number of running jobs.
    ///   - waiting: the number of further jobs that local workers could run.
    func threads(for jobs: Int, waiting: Int) -> Int {
        let most = max(1, policy.workers)
        let running = min(most, max(1, jobs + waiting))
        // Rounded up: a job that waits for its encoder leaves its processor to others.
        return (most + running - 1) / running
    }

    /// Returns the number of threads of the next job.
    /// - Parameter waiting: the number of waiting jobs, including this one.
    func threadsOfNext(waiting: Int) -> Int { threads(for: atWork.count, waiting: waiting) }

    /// Shares the processors anew.
    /// - Returns: the jobs whose number of threads has changed.
    mutating func share(waiting: Int) -> [(worker: WorkerID, lease: Lease, threads: Int)] {
        let threads = threads(for: atWork.count, waiting: waiting)
        var changed: [(worker: WorkerID, lease: Lease, threads: Int)] = []
        for id in atWork {
            guard let worker = workers[id], worker.isServing, let work = worker.work, work.voidSince == nil,
                work.threads != threads
            else { continue }
            workers[id]?.work?.threads = threads
            changed.append((id, work.lease, threads))
        }
        return changed
    }
}
