import Dispatch

/// A thread for file work, which may block on disks and locks without blocking Swift's cooperative
/// threads or the thread that owns the sockets. Work is done one after the other, in order.
package final class FileLane: Sendable {
    private let queue: DispatchQueue

    /// Makes a thread.
    /// - Parameter name: shown by debuggers.
    package init(_ name: String) { queue = DispatchQueue(label: name) }

    package func post(_ work: @escaping @Sendable () -> Void) { queue.async(execute: work) }

    package func run<Result: Sendable>(_ work: @escaping @Sendable () -> Result) async -> Result {
        await withCheckedContinuation { continuation in
            queue.async { continuation.resume(returning: work()) }
        }
    }
}
