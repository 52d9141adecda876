import Glibc
import Messaging
import Synchronization

/// Answers plugins that ask whether the running job is still wanted. An asking plugin is alive, so
/// each question is a pulse; it is no progress.
///
/// `@unchecked`: the job's line to the host belongs to the job's thread, and is touched there
/// alone.
final class JobWatch: @unchecked Sendable {
    private struct State {
        var thread: pthread_t?
        var ahead: RenderAhead?
        var wasCancelled = false
    }

    private let state = Mutex(State())
    private var context: JobContext?

    /// Called by the thread that runs the job, and the next two.
    func begin(_ context: JobContext) {
        self.context = context
        state.withLock { $0 = State(thread: pthread_self()) }
    }

    func end() {
        context = nil
        state.withLock { $0 = State() }
    }

    /// A plugin heard that the running job is not wanted any more.
    var hasToldSo: Bool { state.withLock(\.wasCancelled) }

    /// Where pictures are made on the render thread; nil when that ends.
    func set(_ ahead: RenderAhead?) { state.withLock { $0.ahead = ahead } }

    /// May be called by any thread. One that is neither the job's nor renders hears what those two
    /// have heard.
    func isCancelled() -> Bool {
        let (thread, ahead, known) = state.withLock { ($0.thread, $0.ahead, $0.wasCancelled) }
        if known { return true }
        do {
            if let ahead {
                try ahead.pulse(advances: false)
            } else if let thread, pthread_equal(thread, pthread_self()) != 0 {
                try context?.pulse()
            }
            return false
        } catch {
            state.withLock { $0.wasCancelled = true }
            return true
        }
    }
}
