import Messaging
import Synchronization

/// Keeps an allow list like the folder of keys that it comes from: the folder is looked at three times a second, and read where it has changed.
/// On a thread of its own, because it may wait for a disk; that ends with the value.
package final class AllowListWatch: Sendable {
    private let state = State()

    private final class State: Sendable {
        let isOver = Mutex(false)
    }

    private static let interval = Duration.milliseconds(300)

    /// - Parameters:
    ///   - onProblem: told of files that are no keys, in sentences.
    ///   - onRevoked: told of the names that have lost their keys, or their role. Both are called on the thread.
    /// - Returns: nil where the system gives no more threads.
    package init?(
        _ keys: FarmKeys, for roles: Set<KeyFile.Role>, into allowed: AllowList,
        onProblem: @escaping @Sendable (String) -> Void, onRevoked: @escaping @Sendable (Set<String>) -> Void
    ) {
        let isRunning = SystemThread.start(name: "allow-list") { [state] in
            var seen: FarmKeys.Trace?
            while !state.isOver.withLock({ $0 }) {
                let now = keys.trace
                if now != seen {
                    seen = now
                    let found = keys.allowed()
                    for problem in found.problems { onProblem(problem) }
                    let revoked = allowed.replace(with: found.holders(roles))
                    if !revoked.isEmpty { onRevoked(revoked) }
                }
                SystemThread.pause(Self.interval)
            }
        }
        guard isRunning else { return nil }
    }

    deinit { state.isOver.withLock { $0 = true } }
}
