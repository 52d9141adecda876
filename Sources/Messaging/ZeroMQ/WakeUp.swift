import CPosix
import Glibc

/// A descriptor (an eventfd) by which any thread ends another thread's wait in `Poller`.
public final class WakeUp: Sendable {
    public let descriptor: Int32

    public init() throws(ZMQError) {
        descriptor = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))
        if descriptor < 0 { throw ZMQError(.init(rawValue: errno), operation: "eventfd") }
    }

    deinit { close(descriptor) }

    /// Ends the current wait, or the next one. Callable from any thread, any number of times: a
    /// full counter is still a signal.
    public func signal() { eventfd_write(descriptor, 1) }

    /// Resets the signals so far. For the waiting thread.
    public func clear() {
        var count: eventfd_t = 0
        eventfd_read(descriptor, &count)
    }
}
