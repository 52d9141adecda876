import CZeroMQ

/// Sockets over a network: encrypted, with both sides authenticated by their keys (CURVE,
/// https://rfc.zeromq.org/spec/26/).
extension ZMQSocket {
    /// The most messages that wait to be sent to one peer. Jobs are assigned against a credit of
    /// one.
    private static let remoteHighWaterMark: Int32 = 100
    /// The same for a server's public socket, whose peers send a request after each answer.
    private static let clientHighWaterMark: Int32 = 16
    /// The time in ms after which a connection to a public socket is dropped unless its peer has
    /// authenticated.
    private static let clientHandshakeLimit: Int32 = 5_000
    /// The interval in ms at which a peer pings its server. Either side drops the connection if
    /// nothing arrives in the time below after a ping.
    private static let pulse: Int32 = 2_000
    private static let pulseLimit: Int32 = 10_000
    /// The time in ms after which a connection is dropped on which sent data is not acknowledged.
    private static let deliveryLimit: Int32 = 60_000

    /// Makes the server's socket for remote workers, addressed by the first frame. An
    /// ``Authenticator`` of the same context decides who may connect. Without one, ZeroMQ would
    /// admit every peer, but their messages would have no key (``ZMQSocket/receiveSigned()``).
    /// - Parameter overIPv6: whether it also binds to IPv6 addresses.
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

    /// Makes the socket at which clients reach a server over a network. It resembles
    /// ``remoteRouter(context:key:overIPv6:)``, but clients are trusted less than workers: messages
    /// are smaller, few of them wait for a peer that does not read, and another connection cannot
    /// take over the name of a connected peer.
    public static func requestRouter(context: ZMQContext, key: KeyPair, overIPv6: Bool = false) throws(ZMQError)
        -> ZMQSocket
    {
        let socket = try remoteRouter(context: context, key: key, overIPv6: overIPv6)
        try socket.set(ZMQ_ROUTER_HANDOVER, 0 as Int32, "ROUTER_HANDOVER")
        try socket.set(ZMQ_SNDHWM, clientHighWaterMark, "SNDHWM")
        try socket.set(ZMQ_MAXMSGSIZE, Wire.largestQuestion, "MAXMSGSIZE")
        try socket.set(ZMQ_HANDSHAKE_IVL, clientHandshakeLimit, "HANDSHAKE_IVL")
        return socket
    }

    /// Makes a peer's socket.
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
        try socket.ping()
        return socket
    }

    /// Sets the limits of a remote socket. Received messages wait without a limit: if libzmq 4.3.4
    /// stops reading a connection and its peer leaves, the next ping that it sends there ends the
    /// process (`!_io_error`, https://github.com/zeromq/libzmq/issues/4767). The owner of a socket
    /// therefore receives messages faster than a peer can send them, and drops the excess unread.
    private borrowing func setRemoteLimits() throws(ZMQError) {
        try setLimits(highWaterMark: Self.remoteHighWaterMark)
        try set(ZMQ_RCVHWM, 0 as Int32, "RCVHWM")
        try set(ZMQ_TCP_KEEPALIVE, 1 as Int32, "TCP_KEEPALIVE")
        try set(ZMQ_TCP_KEEPALIVE_IDLE, 30 as Int32, "TCP_KEEPALIVE_IDLE")
        try set(ZMQ_TCP_KEEPALIVE_INTVL, 10 as Int32, "TCP_KEEPALIVE_INTVL")
        try set(ZMQ_TCP_KEEPALIVE_CNT, 3 as Int32, "TCP_KEEPALIVE_CNT")
        try set(ZMQ_TCP_MAXRT, Self.deliveryLimit, "TCP_MAXRT")
    }

    /// Pings the server, and lets it drop the connection when the pings end. Only a peer may do
    /// that. A server's ROUTER also stops reading a connection whose name another one has taken
    /// over (`ROUTER_HANDOVER`), so a ping of its own could end the process as above.
    private borrowing func ping() throws(ZMQError) {
        try set(ZMQ_HEARTBEAT_IVL, Self.pulse, "HEARTBEAT_IVL")
        try set(ZMQ_HEARTBEAT_TIMEOUT, Self.pulseLimit, "HEARTBEAT_TIMEOUT")
        try set(ZMQ_HEARTBEAT_TTL, Self.pulseLimit, "HEARTBEAT_TTL")
    }
}
