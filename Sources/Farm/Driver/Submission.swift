import FoundationEssentials
import Messaging
import Synchronization

/// The jobs of one call, from submission until the last of them has ended.
final class Submission: Sendable {
    let jobs: [JobSpec]
    let onEvent: @Sendable (JobEvent) -> Void
    let onResult: @Sendable (JobID, Data) -> Void
    let recovers: @Sendable (JobID, JobFailure) -> Bool

    private struct State {
        var remaining: Set<JobID>
        var results: [JobID: Data] = [:]
        var error: QueueError?
        var isCancelled = false
        var whenEnded: (@Sendable (Result<[JobID: Data], QueueError>) -> Void)?
    }

    private let state: Mutex<State>

    /// - Throws: `.invalidJob` for a job that cannot be sent, or two of one name.
    init(
        _ jobs: [JobSpec], onEvent: @escaping @Sendable (JobEvent) -> Void,
        onResult: @escaping @Sendable (JobID, Data) -> Void = { _, _ in },
        recovers: @escaping @Sendable (JobID, JobFailure) -> Bool = { _, _ in false }
    ) throws(QueueError) {
        var ids: Set<JobID> = []
        for job in jobs {
            if let problem = job.problem { throw QueueError(.invalidJob, problem, job: job.id) }
            guard ids.insert(job.id).inserted else {
                throw QueueError(.invalidJob, "Two jobs have the name \(job.id).", job: job.id)
            }
        }
        self.jobs = jobs
        self.onEvent = onEvent
        self.onResult = onResult
        self.recovers = recovers
        state = Mutex(State(remaining: ids))
    }

    var isCancelled: Bool { state.withLock { $0.isCancelled } }

    /// To be called before the submission is handed over.
    func whenEnded(_ body: @escaping @Sendable (Result<[JobID: Data], QueueError>) -> Void) {
        state.withLock { $0.whenEnded = body }
    }

    func requestCancellation() { state.withLock { $0.isCancelled = true } }

    /// Ends the call, once; later calls have no effect.
    func end(_ result: Result<[JobID: Data], QueueError>) {
        let body = state.withLock { state in
            defer { state.whenEnded = nil }
            return state.whenEnded
        }
        body?(result)
    }

    /// Takes in the end of one of the jobs. Ends the call with the last one.
    /// - Returns: whether the rest must be cancelled because of it.
    func ended(_ job: JobID, _ result: Result<Data, QueueError>) -> Bool {
        var isRecovered = false
        switch result {
        case .success(let data): onResult(job, data)
        case .failure(let error): if let failure = error.failure { isRecovered = recovers(job, failure) }
        }
        let (outcome, isFirstError): (Result<[JobID: Data], QueueError>?, Bool) = state.withLock { state in
            state.remaining.remove(job)
            let hadError = state.error != nil
            switch result {
            case .success(let data): state.results[job] = data
            // A cancelled job follows from a failed one or from the caller; the cause is what is told.
            case .failure where isRecovered: break
            case .failure(let error): if state.error == nil || state.error?.code == .cancelled { state.error = error }
            }
            guard state.remaining.isEmpty else { return (nil, !hadError && state.error != nil) }
            return (state.error.map { .failure($0) } ?? .success(state.results), false)
        }
        if let outcome { end(outcome) }
        return isFirstError
    }
}
