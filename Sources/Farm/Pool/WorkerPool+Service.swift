import Messaging

/// Handles the workers' messages, as far as they concern the pool.
extension WorkerPool {
    /// Notes a sign of life.
    /// - Returns: the worker's phase; nil for an unknown worker.
    mutating func heard(_ id: WorkerID, at now: Duration) -> Worker.Phase? {
        guard let index = workers.index(forKey: id) else { return nil }
        workers.values[index].lastHeard = now
        return workers.values[index].phase
    }

    /// The result of a worker's hello.
    enum Welcome: Equatable {
        case refused(reason: String)
        /// It serves from now on.
        case first
        /// It serves already, and missed the answer.
        case again
        /// It is being ended.
        case none
    }

    mutating func welcome(_ id: WorkerID, _ introduction: WorkerIntroduction) -> Welcome {
        if let reason = refusal(of: introduction) { return .refused(reason: reason) }
        switch workers[id]?.phase {
        case .starting:
            workers[id]?.phase = .serving
            return .first
        case .serving: return .again
        case .ending, .ended, nil: return .none
        }
    }

    /// The answer to a worker that asks for a job.
    enum Answer: Equatable {
        /// It gets a job as soon as there is one.
        case willBeServed
        /// It gets the assigned job again, which it did not receive.
        case again(Lease)
        /// None: it is not in service, or its request crossed the job that it was just sent.
        case nothing
    }

    mutating func asked(_ id: WorkerID, at now: Duration) -> Answer {
        guard let index = workers.index(forKey: id), workers.values[index].isServing else { return .nothing }
        guard let work = workers.values[index].work else {
            idle.append(id)
            return .willBeServed
        }
        guard work.voidSince == nil, now - work.since >= policy.resendAfter else { return .nothing }
        workers.values[index].work?.since = now
        return .again(work.lease)
    }

    /// Notes an assignment to an idle worker.
    /// - Parameters:
    ///   - place: its position in a sequence; nil if it is in none.
    ///   - libraries: the libraries that the job loads.
    ///   - threads: the number of threads that it may use.
    mutating func assign(
        _ lease: Lease, to id: WorkerID, place: WaitingJobs.Place?, libraries: Set<String> = [], threads: Int = 1,
        at now: Duration
    ) {
        idle.remove(id)
        guard let index = workers.index(forKey: id) else { return }
        workers.values[index].work = Worker.Work(lease: lease, threads: threads, since: now)
        if !workers.values[index].isRemote { atWork.append(id) }
        workers.values[index].libraries.formUnion(libraries)
        if let place { move(id, to: place) }
    }

    /// Notes that a worker has reported on its job.
    mutating func finishedWork(_ id: WorkerID) {
        guard let index = workers.index(forKey: id) else { return }
        if !workers.values[index].isRemote { startFailures = StartFailures() }
        workers.values[index].work = nil
        atWork.remove(id)
        workers.values[index].isProven = true
    }

    /// Notes that the result of a run is not wanted any more.
    /// - Returns: whether the worker has that run.
    mutating func void(_ lease: Lease, of id: WorkerID, at now: Duration) -> Bool {
        guard let index = workers.index(forKey: id), workers.values[index].work?.lease == lease else { return false }
        workers.values[index].work?.voidSince = now
        return true
    }

    /// Returns the progress of a run.
    func progress(of run: QueuedJob.Run) -> Int {
        workers[run.worker]?.work.flatMap { $0.lease == run.lease ? $0.progress.done : nil } ?? 0
    }

    /// Returns whether a worker's run is not wanted any more.
    func isVoid(_ lease: Lease, of id: WorkerID) -> Bool {
        workers[id]?.work.map { $0.lease == lease && $0.voidSince != nil } ?? false
    }

    /// The meaning of a worker's heartbeat.
    enum Advance: Equatable {
        /// It works under a lease that is not its own.
        case outdated
        /// No news: it is alive, and may have done a step within a unit of work.
        case beats
        case progressed
    }

    mutating func advanced(
        _ id: WorkerID, _ lease: Lease, _ progress: Progress, _ vitals: Vitals = Vitals(), at now: Duration
    ) -> Advance {
        guard let index = workers.index(forKey: id), let work = workers.values[index].work, work.lease == lease,
            work.voidSince == nil
        else { return .outdated }
        workers.values[index].work?.note(vitals, at: now)
        let before = work.progress
        guard progress != before else { return .beats }
        workers.values[index].work?.progress = progress
        workers.values[index].work?.progressAt = now
        return (progress.done, progress.total) == (before.done, before.total) ? .beats : .progressed
    }
}
