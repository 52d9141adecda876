import Messaging
import Synchronization

/// Keeps the allow list like the folder of keys that it comes from: the folder is looked at three times a second, and read where it has changed.
/// On a thread of its own, because it may wait for a disk.
final class AllowListWatch: Sendable {
    private let state: State

    private final class State: Sendable {
        let isOver = Mutex(false)
    }

    private static let interval = Duration.milliseconds(300)

    /// - Returns: nil where the list comes from no folder, or there is no thread.
    init?(_ listening: JobQueue.Configuration.Listening, _ mailbox: Mailbox, _ log: QueueLog) {
        guard let keys = listening.keys else { return nil }
        state = State()
        let isRunning = SystemThread.start(name: "allow-list") { [state, allowed = listening.allowed] in
            var seen: FarmKeys.Trace?
            while !state.isOver.withLock({ $0 }) {
                let now = keys.trace
                if now != seen {
                    seen = now
                    let found = keys.allowed()
                    for problem in found.problems { log.write(.warning, problem) }
                    let revoked = allowed.replace(with: found.names(for: .node))
                    if !revoked.isEmpty { _ = mailbox.post(.revoked(revoked)) }
                }
                SystemThread.pause(Self.interval)
            }
        }
        guard isRunning else { return nil }
    }

    deinit { state.isOver.withLock { $0 = true } }
}
