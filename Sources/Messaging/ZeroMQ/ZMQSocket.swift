import CZeroMQ
import FoundationEssentials

/// A ZeroMQ socket, closed with its value. It belongs to the thread that uses it.
///
/// All sends and receives return at once; only `Poller` waits, so every wait has a limit.
public struct ZMQSocket: ~Copyable {
    let pointer: UnsafeMutableRawPointer
    private let context: ZMQContext

    /// The most frames of a message that are read; the rest of a longer one is dropped.
    private static let frameLimit = 8

    init(context: ZMQContext, type: Int32, operation: String) throws(ZMQError) {
        guard let pointer = zmq_socket(context.pointer, type) else { throw .last("zmq_socket", operation) }
        self.pointer = pointer
        self.context = context
    }

    deinit { zmq_close(pointer) }

    /// Binds to an endpoint such as `ipc:///run/…/socket`.
    public borrowing func bind(_ endpoint: String) throws(ZMQError) {
        if zmq_bind(pointer, endpoint) != 0 { throw .last("zmq_bind", endpoint) }
    }

    /// Accepts connections at a descriptor that is already bound to the endpoint and listens. Its
    /// file remains after this socket is closed.
    public borrowing func bind(_ endpoint: String, at descriptor: Int32) throws(ZMQError) {
        try set(ZMQ_USE_FD, descriptor, "USE_FD")
        defer { do throws(ZMQError) { try set(ZMQ_USE_FD, -1 as Int32, "USE_FD") } catch {} }
        try bind(endpoint)
    }

    /// Stops accepting connections at an endpoint; existing ones stay.
    public borrowing func unbind(_ endpoint: String) throws(ZMQError) {
        if zmq_unbind(pointer, endpoint) != 0 { throw .last("zmq_unbind", endpoint) }
    }

    /// Connects in the background, retrying until the peer is there and whenever it is lost.
    public borrowing func connect(_ endpoint: String) throws(ZMQError) {
        if zmq_connect(pointer, endpoint) != 0 { throw .last("zmq_connect", endpoint) }
    }

    /// Sends a message of one or more frames, all or nothing.
    /// - Returns: false if there is no room or no connection now (`EAGAIN`).
    /// - Throws: `.unreachable` if a ROUTER knows no peer by the name in the first frame; other
    ///   errors of ZeroMQ.
    public borrowing func send(_ frames: [Data]) throws(ZMQError) -> Bool {
        for (index, frame) in frames.enumerated() {
            let more = index < frames.count - 1 ? ZMQ_SNDMORE : 0
            let sent = frame.withUnsafeBytes { bytes in
                var result: Int32
                repeat {
                    result = zmq_send(pointer, bytes.baseAddress, bytes.count, ZMQ_DONTWAIT | more)
                } while result < 0 && zmq_errno() == EINTR
                return result
            }
            if sent < 0 {
                let error = ZMQError.last("zmq_send")
                if error.code == .again { return false }
                throw error
            }
        }
        return true
    }

    /// The identity of a socket for ``Poller``, valid as long as the socket exists.
    public struct Name {
        let pointer: UnsafeMutableRawPointer
    }

    public var name: Name { Name(pointer: pointer) }

    /// Returns the next message's frames; nil if there is none now. Call it until it returns nil: a
    /// poll signals once, however many messages have arrived.
    public borrowing func receive() throws(ZMQError) -> [Data]? { try receiveSigned()?.frames }

    /// Returns the next message with the key that its sender has authenticated with; nil for a
    /// connection without one.
    public borrowing func receiveSigned() throws(ZMQError) -> (frames: [Data], key: PublicKey?)? {
        var frames: [Data] = []
        var key: PublicKey?
        var part = zmq_msg_t()
        while true {
            zmq_msg_init(&part)
            defer { zmq_msg_close(&part) }
            while zmq_msg_recv(&part, pointer, ZMQ_DONTWAIT) < 0 {
                let error = ZMQError.last("zmq_msg_recv")
                if error.code == .again { return nil }
                if error.code != .interrupted { throw error }
            }
            if frames.count < Self.frameLimit {
                let size = zmq_msg_size(&part)
                frames.append(size > 0 ? zmq_msg_data(&part).map { Data(bytes: $0, count: size) } ?? Data() : Data())
            }
            if zmq_msg_more(&part) == 0 {
                if let user = zmq_msg_gets(&part, "User-Id") { key = PublicKey(String(cString: user)) }
                return (frames, key)
            }
        }
    }

    borrowing func set(_ option: Int32, _ value: Int32, _ name: String) throws(ZMQError) {
        var value = value
        if zmq_setsockopt(pointer, option, &value, MemoryLayout<Int32>.size) != 0 {
            throw .last("zmq_setsockopt", name)
        }
    }

    borrowing func set(_ option: Int32, _ value: Int64, _ name: String) throws(ZMQError) {
        var value = value
        if zmq_setsockopt(pointer, option, &value, MemoryLayout<Int64>.size) != 0 {
            throw .last("zmq_setsockopt", name)
        }
    }

    borrowing func set(_ option: Int32, _ value: String, _ name: String) throws(ZMQError) {
        if zmq_setsockopt(pointer, option, value, value.utf8.count) != 0 { throw .last("zmq_setsockopt", name) }
    }

    /// Returns the endpoint that was bound last, with the actual port if that was `*`.
    public borrowing func lastEndpoint() throws(ZMQError) -> String {
        var text = [CChar](repeating: 0, count: 512)
        var size = text.count
        guard zmq_getsockopt(pointer, ZMQ_LAST_ENDPOINT, &text, &size) == 0 else {
            throw .last("zmq_getsockopt", "LAST_ENDPOINT")
        }
        return String(decoding: text.prefix(max(0, size - 1)).map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
}
