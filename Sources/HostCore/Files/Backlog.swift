import Dispatch
import Synchronization

/// Background work on files that nothing waits for while it is done, such as adding to a cache. At
/// the end the owner waits for all of it, as long as it makes progress.
package final class Backlog: Sendable {
    private struct State {
        var pending = 0
        var finished = 0
        var isGivenUp = false
        var waiter: CheckedContinuation<Int, Never>?
    }

    private let lane: FileLane
    private let state = Mutex(State())

    package init(_ name: String) { lane = FileLane(name) }

    /// Adds work. Work that has not started when the backlog is given up is not done.
    package func add(_ work: @escaping @Sendable () -> Void) {
        state.withLock { $0.pending += 1 }
        lane.post { [self] in
            if !state.withLock({ $0.isGivenUp }) { work() }
            let waiter = state.withLock { state in
                state.pending -= 1
                state.finished += 1
                guard state.pending == 0 else { return nil as CheckedContinuation<Int, Never>? }
                defer { state.waiter = nil }
                return state.waiter
            }
            waiter?.resume(returning: 0)
        }
    }

    /// Waits until everything is done, or until nothing was done for `patience`: then the backlog
    /// is given up. Only one caller may wait at a time.
    /// - Returns: the number of items that were given up.
    package func finish(patience: Duration) async -> Int {
        await withCheckedContinuation { continuation in
            let isDone = state.withLock { state in
                let isDone = state.pending == 0 || state.isGivenUp
                if !isDone { state.waiter = continuation }
                return isDone
            }
            if isDone { continuation.resume(returning: state.withLock { $0.pending }) } else { watch(patience) }
        }
    }

    /// Gives the backlog up if nothing is done for `patience` from now on; otherwise checks again.
    private func watch(_ patience: Duration) {
        let seen = state.withLock { $0.finished }
        let (seconds, attoseconds) = patience.components
        let pause = DispatchTimeInterval.milliseconds(Int(seconds) * 1000 + Int(attoseconds / 1_000_000_000_000_000))
        DispatchQueue.global().asyncAfter(deadline: .now() + pause) { [self] in
            let (waiter, pending) = state.withLock { state in
                guard state.finished == seen else { return (nil as CheckedContinuation<Int, Never>?, 0) }
                defer { state.waiter = nil }
                if state.waiter != nil { state.isGivenUp = true }
                return (state.waiter, state.pending)
            }
            if let waiter { return waiter.resume(returning: pending) }
            if state.withLock({ $0.waiter != nil }) { watch(patience) }
        }
    }
}
