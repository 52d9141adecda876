import CZeroMQ
import FoundationEssentials

extension ZMQSocket {
    /// The most messages that wait for one peer. Jobs are assigned against a credit of one, so a
    /// queue this long means a peer that does not read; then a send fails at once instead of
    /// growing memory.
    static let highWaterMark: Int32 = 1000
    /// The time in ms after which a connection without a handshake is dropped.
    private static let handshakeLimit: Int32 = 10_000

    /// Makes the host's socket: one peer per worker, addressed by the first frame.
    ///
    /// - MANDATORY: a message without a receiver is an error and not silently dropped.
    /// - HANDOVER: a worker that reconnects takes its name over from its half-dead connection.
    public static func router(context: ZMQContext) throws(ZMQError) -> ZMQSocket {
        let socket = try ZMQSocket(context: context, type: ZMQ_ROUTER, operation: "ROUTER")
        try socket.set(ZMQ_ROUTER_MANDATORY, 1 as Int32, "ROUTER_MANDATORY")
        try socket.set(ZMQ_ROUTER_HANDOVER, 1 as Int32, "ROUTER_HANDOVER")
        try socket.set(ZMQ_LINGER, 200 as Int32, "LINGER")
        try socket.setLimits()
        return socket
    }

    /// Makes a worker's socket.
    ///
    /// - IMMEDIATE: nothing is queued for a connection that does not exist; `send` returns false
    ///   instead.
    public static func dealer(context: ZMQContext, name: WorkerID) throws(ZMQError) -> ZMQSocket {
        guard (1...WorkerID.longest).contains(name.name.utf8.count) else {
            throw ZMQError(.invalid, operation: "zmq_setsockopt", object: "ROUTING_ID \(name)")
        }
        let socket = try ZMQSocket(context: context, type: ZMQ_DEALER, operation: "DEALER")
        try socket.set(ZMQ_ROUTING_ID, name.name, "ROUTING_ID")
        try socket.set(ZMQ_IMMEDIATE, 1 as Int32, "IMMEDIATE")
        try socket.set(ZMQ_LINGER, 1000 as Int32, "LINGER")
        try socket.set(ZMQ_RECONNECT_IVL, 50 as Int32, "RECONNECT_IVL")
        try socket.set(ZMQ_RECONNECT_IVL_MAX, 2000 as Int32, "RECONNECT_IVL_MAX")
        try socket.setLimits()
        return socket
    }

    borrowing func setLimits(highWaterMark: Int32 = Self.highWaterMark) throws(ZMQError) {
        try set(ZMQ_SNDHWM, highWaterMark, "SNDHWM")
        try set(ZMQ_RCVHWM, highWaterMark, "RCVHWM")
        try set(ZMQ_MAXMSGSIZE, Wire.largestFrame, "MAXMSGSIZE")
        try set(ZMQ_HANDSHAKE_IVL, Self.handshakeLimit, "HANDSHAKE_IVL")
    }
}

extension ZMQSocket {
    /// Sends messages to the host (from a DEALER), at most ``Wire/mostAtOnce``, all or none.
    /// - Returns: false if they could not be sent now.
    public borrowing func send(_ messages: Message...) throws(ZMQError) -> Bool {
        try send(messages.flatMap(\.frames))
    }

    /// Sends messages to one worker (from a ROUTER), at most ``Wire/mostAtOnce``, all or none.
    /// - Returns: false if there is no room for them now.
    /// - Throws: `.unreachable` if that worker has no connection.
    public borrowing func send(_ messages: [Message], to worker: WorkerID) throws(ZMQError) -> Bool {
        try send([worker.routing] + messages.flatMap(\.frames))
    }

    public borrowing func send(_ message: Message, to worker: WorkerID) throws(ZMQError) -> Bool {
        try send([message], to: worker)
    }

    /// Returns the next messages at a DEALER, those that were sent together; nil if there are none
    /// now.
    public borrowing func receiveMessages() throws(ZMQError) -> [Result<Message, MessageProblem>]? {
        try receive().map(Message.decodeAll)
    }

    /// Returns the next messages at a ROUTER with their sender; nil if there are none now.
    public borrowing func receiveFromWorker() throws(ZMQError) -> (
        worker: WorkerID, messages: [Result<Message, MessageProblem>]
    )? {
        guard let frames = try receive(), let routing = frames.first else { return nil }
        return (WorkerID(routing: routing), Message.decodeAll(Array(frames.dropFirst())))
    }

    /// Returns the next messages with their sender and the key that it has authenticated with.
    public borrowing func receiveFromRemote() throws(ZMQError) -> (
        worker: WorkerID, key: PublicKey?, messages: [Result<Message, MessageProblem>]
    )? {
        guard let (frames, key) = try receiveSigned(), let routing = frames.first else { return nil }
        return (WorkerID(routing: routing), key, Message.decodeAll(Array(frames.dropFirst())))
    }
}

extension Message {
    fileprivate var frames: [Data] {
        let (header, body) = encoded()
        return [header, body]
    }
}
