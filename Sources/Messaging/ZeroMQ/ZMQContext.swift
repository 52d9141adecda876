import CZeroMQ

/// A ZeroMQ context: its I/O thread and everything in flight. It ends after the last socket that
/// was made from it.
///
/// Never fork while one exists; processes are spawned by exec.
public final class ZMQContext: Sendable {
    // ZeroMQ's documentation: a context is thread-safe, its sockets are not.
    nonisolated(unsafe) let pointer: UnsafeMutableRawPointer

    public init() throws(ZMQError) {
        guard let pointer = zmq_ctx_new() else { throw .last("zmq_ctx_new") }
        self.pointer = pointer
    }

    deinit {
        // Waits for the sockets' linger time. Sockets retain their context, so all of them are
        // closed by now.
        while zmq_ctx_term(pointer) != 0 && zmq_errno() == EINTR {}
    }
}
