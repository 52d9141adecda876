import CZeroMQ

/// A call to ZeroMQ (or to the kernel, for the descriptors polled beside its sockets) that failed.
public struct ZMQError: Error, Hashable, Sendable, CustomStringConvertible {
    /// An `errno` value, ZeroMQ's own ones included.
    public struct Code: RawRepresentable, Hashable, Sendable {
        public let rawValue: Int32
        public init(rawValue: Int32) { self.rawValue = rawValue }

        /// Nothing to receive, or no room to send.
        public static let again = Code(rawValue: EAGAIN)
        public static let interrupted = Code(rawValue: EINTR)
        /// A ROUTER has no connection to the peer that was named.
        public static let unreachable = Code(rawValue: EHOSTUNREACH)
        public static let addressInUse = Code(rawValue: EADDRINUSE)
        public static let invalid = Code(rawValue: EINVAL)
    }

    public let code: Code
    /// The call, by ZeroMQ's name.
    public let operation: String
    /// The endpoint or option concerned; empty where there is none.
    public let object: String

    public init(_ code: Code, operation: String, object: String = "") {
        self.code = code
        self.operation = operation
        self.object = object
    }

    /// The error that this thread's last ZeroMQ call left behind.
    static func last(_ operation: String, _ object: String = "") -> ZMQError {
        ZMQError(Code(rawValue: zmq_errno()), operation: operation, object: object)
    }

    /// What ZeroMQ says of it.
    public var reason: String {
        zmq_strerror(code.rawValue).map { String(cString: $0) } ?? "error \(code.rawValue)"
    }

    public var description: String {
        object.isEmpty ? "\(operation): \(reason)" : "\(operation) \(object): \(reason)"
    }
}
