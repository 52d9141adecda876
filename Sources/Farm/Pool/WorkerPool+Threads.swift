import Messaging

/// How this machine's processors are shared by its workers.
///
/// As many threads compute as workers may serve (`Policy.workers`), or a few more. While there are as many jobs as workers, each
/// has one. Where fewer jobs are left, as at the end of a render, each gets more, so that no processor idles. What a job makes
/// does not depend on it.
extension WorkerPool {
    /// How many threads each local job gets.
    /// - Parameters:
    ///   - jobs: how many run.
    ///   - waiting: how many more local workers could do.
    func threads(for jobs: Int, waiting: Int) -> Int {
        let most = max(1, policy.workers)
        let running = min(most, max(1, jobs + waiting))
        // Rounded up: a job that waits for its encoder leaves its processor to others.
        return (most + running - 1) / running
    }

    /// How many threads the next job gets.
    /// - Parameter waiting: the jobs that wait, this one included.
    func threadsOfNext(waiting: Int) -> Int { threads(for: atWork.count, waiting: waiting) }

    /// Shares the processors anew.
    /// - Returns: the jobs whose number of threads is another one now.
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
