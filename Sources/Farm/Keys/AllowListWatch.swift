import Messaging
import Synchronization

/// Keeps an allow list in step with its folder of keys, which is checked three times a second and
/// read after a change. It uses a thread of its own, because disks may block; the thread ends with
/// the value.
package final class AllowListWatch: Sendable {
    private let state = State()

    private final class State: Sendable {
        let isOver = Mutex(false)
    }

    private static let interval = Duration.milliseconds(300)

    /// Starts watching.
    /// - Parameters:
    ///   - onProblem: called with sentences about files that are not keys.
    ///   - onRevoked: called with the names that have lost their keys, or their role. Both are
    ///     called on the thread.
    /// - Returns: nil if the system gives no more threads.
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
