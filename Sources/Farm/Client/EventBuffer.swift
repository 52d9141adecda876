import DequeModule
import Dispatch
import Messaging
import Synchronization

/// A buffer of one client's unread events: the queue's thread adds them, and the client's task
/// takes them out.
///
/// Its memory is bounded by the client's jobs: only the latest progress of a job is kept while
/// nothing reads. Starts, retries and ends are all kept, in order.
final class EventBuffer: Sendable {
    private enum Entry {
        case event(JobEvent)
        /// A job's latest progress, unless another event of the job has followed; then the number
        /// differs.
        case progress(JobID, number: UInt64)
    }

    private enum Reader {
        case task(CheckedContinuation<JobEvent?, Never>)
        case thread(DispatchSemaphore)
    }

    private struct State: Sendable {
        var entries = Deque<Entry>()
        var latest: [JobID: (progress: Progress, number: UInt64)] = [:]
        var lastNumber: UInt64 = 0
        /// The reader that waits for an event.
        var reader: Reader?
        /// The number of submitted jobs that have not ended.
        var openJobs = 0
        /// Whether no more events come once all jobs have ended.
        var isCancelled = false
        var isFinished = false

        /// Whether no more events will be added.
        var isOver: Bool { isFinished || (isCancelled && openJobs == 0) }

        mutating func put(_ event: JobEvent) {
            if event.isEnd { openJobs -= 1 }
            guard !isFinished else { return }
            if case .progressed(let job, let progress) = event {
                if let number = latest[job]?.number {
                    latest[job] = (progress, number)
                } else {
                    lastNumber += 1
                    latest[job] = (progress, lastNumber)
                    entries.append(.progress(job, number: lastNumber))
                }
                return
            }
            // The progress of a previous run is dropped; that of the job's last run is still worth
            // reading.
            if !event.isEnd { latest[event.job] = nil }
            entries.append(.event(event))
        }

        /// Takes out the oldest event.
        mutating func take() -> JobEvent? {
            while let entry = entries.popFirst() {
                switch entry {
                case .event(let event): return event
                case .progress(let job, let number):
                    guard let latest = latest[job], latest.number == number else { continue }
                    self.latest[job] = nil
                    return .progressed(job, latest.progress)
                }
            }
            return nil
        }
    }

    private let state = Mutex(State())

    /// Prepares for the events of more jobs.
    /// - Returns: false after ``cancel()``.
    func open(_ count: Int) -> Bool {
        state.withLock { state in
            if !state.isCancelled { state.openJobs += count }
            return !state.isCancelled
        }
    }

    // MARK: Adding events

    func put(_ event: JobEvent) { put([event]) }

    func put(_ events: [JobEvent]) { wake { state in for event in events { state.put(event) } } }

    /// Stops the client from submitting jobs; the events end with those that it has.
    /// - Returns: false if it was cancelled before.
    func cancel() -> Bool {
        wake { state in
            defer { state.isCancelled = true }
            return !state.isCancelled
        }
    }

    /// Ends the events. Those in the buffer can still be read.
    func finish() { wake { $0.isFinished = true } }

    /// Notes that nothing will read the events.
    func abandon() {
        wake { state in
            state.isFinished = true
            state.entries = []
            state.latest = [:]
        }
    }

    /// Changes the state, and resumes the reader if that gives it an event.
    private func wake<Result: Sendable>(_ change: (inout State) -> Result) -> Result {
        let (result, reader, event): (Result, Reader?, JobEvent?) = state.withLock { state in
            let result = change(&state)
            guard let reader = state.reader else { return (result, nil, nil) }
            if case .thread = reader {
                state.reader = nil
                return (result, reader, nil)
            }
            let event = state.take()
            guard event != nil || state.isOver else { return (result, nil, nil) }
            state.reader = nil
            return (result, reader, event)
        }
        switch reader {
        case .task(let continuation): continuation.resume(returning: event)
        case .thread(let semaphore): semaphore.signal()
        case nil: break
        }
        return result
    }

    // MARK: Reading events

    /// Returns the next event, or nil after the last one. Only one reader at a time: a second one
    /// gets nil.
    func next() async -> JobEvent? {
        await withCheckedContinuation { continuation in
            let ready: JobEvent?? = state.withLock { state in
                if let event = state.take() { return .some(event) }
                if state.isOver || state.reader != nil { return .some(nil) }
                state.reader = .task(continuation)
                return nil
            }
            if let ready { continuation.resume(returning: ready) }
        }
    }

    /// Returns the next event; blocks the calling thread.
    func nextBlocking() -> JobEvent? {
        let semaphore = DispatchSemaphore(value: 0)
        while true {
            let ready: JobEvent?? = state.withLock { state in
                if let event = state.take() { return .some(event) }
                if state.isOver || state.reader != nil { return .some(nil) }
                state.reader = .thread(semaphore)
                return nil
            }
            if let ready { return ready }
            semaphore.wait()
        }
    }
}
