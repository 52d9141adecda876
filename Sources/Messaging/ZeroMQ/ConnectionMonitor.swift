import CZeroMQ
import FoundationEssentials

/// The events of a socket's connection, from `zmq_socket_monitor`: for people, who want to know why
/// nothing happens.
public final class ConnectionMonitor {
    public enum Event: Sendable {
        /// A peer has connected, and has not authenticated yet.
        case accepted
        /// The peers have authenticated each other.
        case connected
        case disconnected
        /// The server refuses this key.
        case refused
        /// The handshake failed: the server has another key, or is no server.
        case misunderstood
    }

    private let socket: ZMQSocket

    /// Monitors a socket.
    /// - Parameter name: unique in the context.
    public init(_ watched: borrowing ZMQSocket, context: ZMQContext, name: String) throws(ZMQError) {
        let endpoint = "inproc://monitor-\(name)"
        let events =
            ZMQ_EVENT_ACCEPTED | ZMQ_EVENT_HANDSHAKE_SUCCEEDED | ZMQ_EVENT_DISCONNECTED
            | ZMQ_EVENT_HANDSHAKE_FAILED_AUTH
            | ZMQ_EVENT_HANDSHAKE_FAILED_NO_DETAIL | ZMQ_EVENT_HANDSHAKE_FAILED_PROTOCOL
        if zmq_socket_monitor(watched.pointer, endpoint, Int32(events)) != 0 {
            throw .last("zmq_socket_monitor", endpoint)
        }
        socket = try ZMQSocket(context: context, type: ZMQ_PAIR, operation: "PAIR")
        try socket.set(ZMQ_LINGER, 0 as Int32, "LINGER")
        try socket.connect(endpoint)
    }

    /// The socket to poll for events.
    public var name: ZMQSocket.Name { socket.name }

    /// Returns the events since the last call.
    public func take() -> [Event] {
        var events: [Event] = []
        while let frames = try? socket.receive(), let first = frames.first, first.count >= 2 {
            let number = Int32(UInt16(littleEndian: first.withUnsafeBytes { $0.loadUnaligned(as: UInt16.self) }))
            switch number {
            case ZMQ_EVENT_ACCEPTED: events.append(.accepted)
            case ZMQ_EVENT_HANDSHAKE_SUCCEEDED: events.append(.connected)
            case ZMQ_EVENT_DISCONNECTED: events.append(.disconnected)
            case ZMQ_EVENT_HANDSHAKE_FAILED_AUTH: events.append(.refused)
            case ZMQ_EVENT_HANDSHAKE_FAILED_NO_DETAIL, ZMQ_EVENT_HANDSHAKE_FAILED_PROTOCOL:
                events.append(.misunderstood)
            default: break
            }
        }
        return events
    }
}
