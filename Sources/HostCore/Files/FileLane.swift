import Dispatch

/// A thread for file work, which may wait for disks and locks as long as it likes: neither Swift's cooperative threads nor the one
/// that owns the sockets wait with it. Work is done one after the other, in the order in which it came.
package final class FileLane: Sendable {
    private let queue: DispatchQueue

    /// - Parameter name: shown by debuggers.
    package init(_ name: String) { queue = DispatchQueue(label: name) }

    package func post(_ work: @escaping @Sendable () -> Void) { queue.async(execute: work) }

    package func run<Result: Sendable>(_ work: @escaping @Sendable () -> Result) async -> Result {
        await withCheckedContinuation { continuation in
            queue.async { continuation.resume(returning: work()) }
        }
    }
}
