import Dispatch
import Farm
import FoundationEssentials
import Jobs
import Messaging

/// Runs single jobs for a command. A render, which has many, uses a ``JobClient`` of its own.
extension HostSession {
    /// Returns a job for the queue, with a name that is unique in this session. Its libraries are
    /// those that it loads and that do not come with Cutroom, because their effects on the process
    /// are unknown.
    /// - Parameter company: further libraries that may have been loaded in the worker, because they
    ///   do not matter to the job.
    package func spec(
        _ job: Job, name wished: JobID? = nil, priority: Int = 0, sequence: JobSpec.Sequence? = nil,
        company: Set<String> = []
    ) throws(QueueError) -> JobSpec {
        let id = wished ?? name(job.kind)
        do {
            return JobSpec(
                id: id, kind: job.kind, payload: try job.payload, priority: self.priority + priority,
                flow: flow, cost: UInt64(job.cost), sequence: sequence,
                libraries: fingerprints(of: job.libraries.union(company)), needs: tags,
                mayRunTwice: job.mayRunTwice, joined: job.joinedBytes)
        } catch {
            throw QueueError(.invalidJob, "Job \(id) cannot be encoded: \(error).", job: id)
        }
    }

    /// Returns the fingerprints of libraries: a worker that has loaded another version of one, or
    /// of its data files, gets no job with it.
    private func fingerprints(of libraries: Set<String>) -> Set<String> {
        let others = libraries.filter { !PluginPaths.isShipped($0) }
        guard !others.isEmpty else { return [] }
        let effects = known.withLock { ($0.effects ?? []) + $0.foreign.values }
        return Set(
            others.map { library in
                let files = effects.first { $0.path == library }?.ownPaths.dropFirst() ?? []
                return LibraryVersions.fingerprint(library, Array(files))
            })
    }

    /// Runs a job in a worker; cancelling the calling task cancels it.
    /// - Parameters:
    ///   - sequence: the job's position among jobs that one worker runs best in order.
    ///   - company: see ``spec(_:priority:sequence:company:)``.
    /// - Throws: `.jobFailed`, `.cancelled`, `.closed` or `.invalidJob`.
    func reply<Work: WorkerJob>(
        to work: Work, sequence: JobSpec.Sequence? = nil, company: Set<String> = []
    ) async throws(QueueError) -> Work.Reply {
        try Self.reply(to: work, try await queue.run(try spec(Job(work), sequence: sequence, company: company)))
    }

    /// Runs a job in a worker while the calling thread waits. The thread must be a script's own:
    /// Swift's cooperative threads must not block.
    /// - Parameter onProgress: called on the calling thread, in order.
    func waitForReply<Work: WorkerJob>(
        to work: Work, onProgress: (Progress) -> Void = { _ in }
    ) throws(QueueError) -> Work.Reply {
        let result = try queue.runBlocking(try spec(Job(work))) { event in
            if case .progressed(_, let progress) = event { onProgress(progress) }
        }
        return try Self.reply(to: work, result)
    }

    private static func reply<Work: WorkerJob>(to work: Work, _ result: Data) throws(QueueError) -> Work.Reply {
        do { return try JSONDecoder().decode(Work.Reply.self, from: result) } catch {
            throw QueueError.unreadableReply
        }
    }

    /// Runs asynchronous work while the calling thread waits, which must be a script's own. Only
    /// the end of the queue ends it early.
    package func wait<Value: Sendable>(for work: @escaping @Sendable () async throws -> Value) throws -> Value {
        let (done, result) = (DispatchSemaphore(value: 0), Locked<Result<Value, any Error>?>(nil))
        Task {
            let end: Result<Value, any Error>
            do { end = .success(try await work()) } catch { end = .failure(error) }
            result.withLock { $0 = end }
            done.signal()
        }
        done.wait()
        guard let end = result.withLock({ $0 }) else { throw QueueError.closed }
        return try end.get()
    }
}

extension QueueError {
    static let unreadableReply = QueueError(
        .jobFailed, "the worker's answer cannot be read; host and worker differ in version")
}
