import CZeroMQ
import FoundationEssentials

/// What becomes of a socket's connection, as ZeroMQ tells (`zmq_socket_monitor`): for people, who want to know why nothing happens.
public final class ConnectionMonitor {
    public enum Event: Sendable {
        /// Somebody has connected, and has shown nothing yet.
        case accepted
        /// The peers have shown each other their keys.
        case connected
        case disconnected
        /// The server does not let this key in.
        case refused
        /// The server could not be understood: it has another key, or is none.
        case misunderstood
    }

    private let socket: ZMQSocket

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

    /// What ends a wait when something has happened.
    public var name: ZMQSocket.Name { socket.name }

    /// What has happened since the last call.
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
