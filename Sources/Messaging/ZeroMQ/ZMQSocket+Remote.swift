import CZeroMQ

/// Sockets over a network: encrypted, and each side knows the other by its key (CURVE, https://rfc.zeromq.org/spec/26/).
extension ZMQSocket {
    /// Messages that may wait to be sent to one peer. Work is given against credit of one.
    private static let remoteHighWaterMark: Int32 = 100
    /// The same at a door, where a peer asks again when it has its answer.
    private static let doorHighWaterMark: Int32 = 16
    /// A connection to a door that has not shown its key after this long is dropped, in ms.
    private static let doorHandshakeLimit: Int32 = 5_000
    /// A connection is asked for a sign of life after this long in ms, and dropped where it gives none for the second time: so both
    /// sides learn of one that is open at one end alone.
    private static let pulse: Int32 = 2_000
    private static let pulseLimit: Int32 = 10_000

    /// The server's socket for peers from elsewhere, addressed by the first frame. An ``Authenticator`` of the same context says who may connect;
    /// were there none, ZeroMQ would let everybody in, but their messages would have no key (``ZMQSocket/receiveSigned()``).
    /// - Parameter overIPv6: it is bound to addresses of that, too.
    public static func remoteRouter(
        context: ZMQContext, key: KeyPair, overIPv6: Bool = false
    ) throws(ZMQError) -> ZMQSocket {
        let socket = try ZMQSocket(context: context, type: ZMQ_ROUTER, operation: "ROUTER")
        try socket.set(ZMQ_ROUTER_MANDATORY, 1 as Int32, "ROUTER_MANDATORY")
        try socket.set(ZMQ_ROUTER_HANDOVER, 1 as Int32, "ROUTER_HANDOVER")
        try socket.set(ZMQ_LINGER, 500 as Int32, "LINGER")
        try socket.set(ZMQ_CURVE_SERVER, 1 as Int32, "CURVE_SERVER")
        try socket.set(ZMQ_CURVE_SECRETKEY, key.secret, "CURVE_SECRETKEY")
        try socket.set(ZMQ_ZAP_DOMAIN, "cutroom", "ZAP_DOMAIN")
        try socket.set(ZMQ_IPV6, (overIPv6 ? 1 : 0) as Int32, "IPV6")
        try socket.setRemoteLimits()
        return socket
    }

    /// The socket at which a server is asked over a network. As ``remoteRouter(context:key:overIPv6:)``, but who asks is trusted less than
    /// who works: messages are smaller, few of them wait for a peer that does not read, and a peer's name cannot be taken over by another
    /// connection while that peer is there.
    public static func doorRouter(context: ZMQContext, key: KeyPair, overIPv6: Bool = false) throws(ZMQError)
        -> ZMQSocket
    {
        let socket = try remoteRouter(context: context, key: key, overIPv6: overIPv6)
        try socket.set(ZMQ_ROUTER_HANDOVER, 0 as Int32, "ROUTER_HANDOVER")
        try socket.set(ZMQ_SNDHWM, doorHighWaterMark, "SNDHWM")
        try socket.set(ZMQ_MAXMSGSIZE, Wire.largestQuestion, "MAXMSGSIZE")
        try socket.set(ZMQ_HANDSHAKE_IVL, doorHandshakeLimit, "HANDSHAKE_IVL")
        return socket
    }

    /// A peer's socket.
    /// - Parameters:
    ///   - name: its routing id.
    ///   - server: the key that the server must have.
    public static func remoteDealer(
        context: ZMQContext, name: WorkerID, key: KeyPair, server: PublicKey
    ) throws(ZMQError) -> ZMQSocket {
        let socket = try ZMQSocket(context: context, type: ZMQ_DEALER, operation: "DEALER")
        try socket.set(ZMQ_ROUTING_ID, name.name, "ROUTING_ID")
        try socket.set(ZMQ_IMMEDIATE, 1 as Int32, "IMMEDIATE")
        try socket.set(ZMQ_LINGER, 1000 as Int32, "LINGER")
        try socket.set(ZMQ_RECONNECT_IVL, 200 as Int32, "RECONNECT_IVL")
        try socket.set(ZMQ_RECONNECT_IVL_MAX, 5000 as Int32, "RECONNECT_IVL_MAX")
        try socket.set(ZMQ_IPV6, 1 as Int32, "IPV6")
        try socket.set(ZMQ_CONNECT_TIMEOUT, 10_000 as Int32, "CONNECT_TIMEOUT")
        try socket.set(ZMQ_CURVE_SERVERKEY, server.text, "CURVE_SERVERKEY")
        try socket.set(ZMQ_CURVE_PUBLICKEY, key.publicKey.text, "CURVE_PUBLICKEY")
        try socket.set(ZMQ_CURVE_SECRETKEY, key.secret, "CURVE_SECRETKEY")
        try socket.setRemoteLimits()
        return socket
    }

    /// What has arrived waits without a limit: where libzmq 4.3.4 stops reading a connection and its peer leaves, the next heartbeat of either
    /// side ends the process (`!_io_error`, https://github.com/zeromq/libzmq/issues/4767). Whoever owns a socket therefore takes messages faster
    /// than a peer can send them, and drops what is too much unread.
    private borrowing func setRemoteLimits() throws(ZMQError) {
        try setLimits(highWaterMark: Self.remoteHighWaterMark)
        try set(ZMQ_RCVHWM, 0 as Int32, "RCVHWM")
        try set(ZMQ_HEARTBEAT_IVL, Self.pulse, "HEARTBEAT_IVL")
        try set(ZMQ_HEARTBEAT_TIMEOUT, Self.pulseLimit, "HEARTBEAT_TIMEOUT")
        try set(ZMQ_HEARTBEAT_TTL, Self.pulseLimit, "HEARTBEAT_TTL")
        try set(ZMQ_TCP_KEEPALIVE, 1 as Int32, "TCP_KEEPALIVE")
        try set(ZMQ_TCP_KEEPALIVE_IDLE, 30 as Int32, "TCP_KEEPALIVE_IDLE")
        try set(ZMQ_TCP_KEEPALIVE_INTVL, 10 as Int32, "TCP_KEEPALIVE_INTVL")
        try set(ZMQ_TCP_KEEPALIVE_CNT, 3 as Int32, "TCP_KEEPALIVE_CNT")
    }
}
