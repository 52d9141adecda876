import CZeroMQ

/// A failed call to ZeroMQ, or to the kernel for the descriptors that are polled beside its
/// sockets.
public struct ZMQError: Error, Hashable, Sendable, CustomStringConvertible {
    /// An `errno` value, including ZeroMQ's own ones.
    public struct Code: RawRepresentable, Hashable, Sendable {
        public let rawValue: Int32
        public init(rawValue: Int32) { self.rawValue = rawValue }

        /// Nothing to receive, or no room to send.
        public static let again = Code(rawValue: EAGAIN)
        public static let interrupted = Code(rawValue: EINTR)
        /// A ROUTER has no connection to the named peer.
        public static let unreachable = Code(rawValue: EHOSTUNREACH)
        public static let addressInUse = Code(rawValue: EADDRINUSE)
        public static let invalid = Code(rawValue: EINVAL)
    }

    public let code: Code
    /// The name of the call.
    public let operation: String
    /// The endpoint or option concerned; empty if there is none.
    public let object: String

    public init(_ code: Code, operation: String, object: String = "") {
        self.code = code
        self.operation = operation
        self.object = object
    }

    /// Returns the error of this thread's last ZeroMQ call.
    static func last(_ operation: String, _ object: String = "") -> ZMQError {
        ZMQError(Code(rawValue: zmq_errno()), operation: operation, object: object)
    }

    /// ZeroMQ's description of the error.
    public var reason: String {
        zmq_strerror(code.rawValue).map { String(cString: $0) } ?? "error \(code.rawValue)"
    }

    public var description: String {
        object.isEmpty ? "\(operation): \(reason)" : "\(operation) \(object): \(reason)"
    }
}
