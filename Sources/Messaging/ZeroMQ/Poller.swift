import CZeroMQ

/// Waits, for a limited time, until a socket or one of some descriptors is ready (`zmq_poll`).
public struct Poller {
    private var items: [zmq_pollitem_t] = []

    public init() {}

    /// The findings of the last wait.
    public struct Readiness: Sendable {
        /// Whether the socket has a message to receive.
        public var socketReadable = false
        /// Whether the socket can send; only set if it was requested.
        public var socketWritable = false
        /// The indices of the descriptors that can be read, or have hung up.
        public var descriptors: [Int] = []
    }

    /// Waits for a socket and some descriptors.
    /// - Parameters:
    ///   - writable: also wait until the socket can send.
    ///   - others: further sockets; a message on one of them ends the wait.
    ///   - timeout: the longest wait, rounded up to milliseconds. An interrupted wait ends early
    ///     with nothing.
    public mutating func wait(
        for socket: borrowing ZMQSocket, writable: Bool = false, others: [ZMQSocket.Name] = [],
        descriptors: [Int32] = [], timeout: Duration
    ) throws(ZMQError) -> Readiness {
        let events = Int16(ZMQ_POLLIN | (writable ? ZMQ_POLLOUT : 0))
        items.removeAll(keepingCapacity: true)
        items.append(zmq_pollitem_t(socket: socket.pointer, fd: 0, events: events, revents: 0))
        for descriptor in descriptors {
            items.append(zmq_pollitem_t(socket: nil, fd: descriptor, events: Int16(ZMQ_POLLIN), revents: 0))
        }
        add(others)
        let found = zmq_poll(&items, Int32(items.count), timeout.roundedUpMilliseconds)
        var readiness = Readiness()
        if found < 0 {
            let error = ZMQError.last("zmq_poll")
            if error.code == .interrupted { return readiness }
            throw error
        }
        readiness.socketReadable = items[0].revents & Int16(ZMQ_POLLIN) != 0
        readiness.socketWritable = items[0].revents & Int16(ZMQ_POLLOUT) != 0
        readiness.descriptors = descriptors.indices.filter { items[$0 + 1].revents != 0 }
        return readiness
    }

    /// Waits for any of some sockets and descriptors.
    public mutating func wait(
        for sockets: [ZMQSocket.Name], descriptors: [Int32], timeout: Duration
    ) throws(ZMQError) {
        items = descriptors.map { zmq_pollitem_t(socket: nil, fd: $0, events: Int16(ZMQ_POLLIN), revents: 0) }
        add(sockets)
        guard zmq_poll(&items, Int32(items.count), timeout.roundedUpMilliseconds) < 0 else { return }
        let error = ZMQError.last("zmq_poll")
        if error.code != .interrupted { throw error }
    }

    private mutating func add(_ sockets: [ZMQSocket.Name]) {
        for socket in sockets {
            items.append(zmq_pollitem_t(socket: socket.pointer, fd: 0, events: Int16(ZMQ_POLLIN), revents: 0))
        }
    }
}

extension Duration {
    /// The duration in milliseconds, rounded up; 0 unless it is positive.
    var roundedUpMilliseconds: Int {
        let (seconds, attoseconds) = components
        guard self > .zero else { return 0 }
        return Int(
            clamping: seconds.multipliedReportingOverflow(by: 1000).partialValue + (attoseconds + 999_999_999_999_999)
                / 1_000_000_000_000_000)
    }
}
