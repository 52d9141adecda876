import Dispatch

/// A value that one thread hands to another, which waits for it.
package final class Handover<Value: Sendable>: Sendable {
    private let semaphore = DispatchSemaphore(value: 0)
    private let value = Locked<Value?>(nil)

    package init() {}

    package func put(_ new: Value) {
        value.withLock { $0 = new }
        semaphore.signal()
    }

    /// Takes the value. Blocks: not for asynchronous code.
    package func take() -> Value {
        while true {
            semaphore.wait()
            if let value = value.withLock({ $0 }) { return value }
        }
    }
}
