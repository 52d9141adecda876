import Foundation
import HostCore
import Messaging
import ServerClient

/// A socket at which clients send requests. A network socket admits only keys that are on a list,
/// within the limits of ``RequestLimiter``, each under its own name. It belongs to the listener's
/// thread.
final class RequestSocket {
    /// The address of a socket, and the clients that it admits.
    enum Place: Sendable {
        /// A socket in a folder that only the server's user can access.
        /// - Parameter descriptor: a socket that already listens there; nil: there is none.
        case local(path: String, descriptor: Int32? = nil)
        /// A network address, for the keys on the list.
        case network(endpoint: String, key: KeyPair, allowed: AllowList)

        var endpoint: String {
            switch self {
            case .local(let path, _): "ipc://" + path
            case .network(let endpoint, _, _): endpoint
            }
        }
    }

    /// The sender of a request, as the socket knows it.
    struct Sender: Hashable, Sendable {
        fileprivate var routing: Data
        fileprivate var key: PublicKey?
        /// nil at the socket in the server's folder.
        let holder: KeyHolder?

        /// The name under which limits are counted for each client: that of the key, or of the
        /// connection.
        var client: String { holder.map { "key:\($0.name)" } ?? String(decoding: routing, as: UTF8.self) }
    }

    enum Arrival {
        /// The last data accompanies the request.
        case request(Sender, Data, Data?)
        /// A message that its sender is not allowed to send.
        case dropped
    }

    /// State that only network sockets need.
    private final class Watch {
        let allowed: AllowList
        let authenticator: Authenticator
        let monitor: ConnectionMonitor
        var limiter = RequestLimiter()
        var connections = 0
        var isListening = true
        /// When the address was released, and how often so far.
        var closedAt = 0.0
        var floods = 0
        /// How many attempts to listen again have failed.
        var failures = 0

        init(_ allowed: AllowList, _ authenticator: Authenticator, _ monitor: ConnectionMonitor) {
            (self.allowed, self.authenticator, self.monitor) = (allowed, authenticator, monitor)
        }
    }

    let router: ZMQSocket
    let endpoint: String
    private let watch: Watch?
    private let warn: @Sendable (String) -> Void
    private var dropped = 0

    /// The maximum number of connections at an address, including those without a key. Beyond it,
    /// all are closed.
    static let mostConnections = 512
    /// Seconds until connections are accepted again.
    private static let pause = 1.0

    init(_ place: Place, _ warn: @escaping @Sendable (String) -> Void) throws(ZMQError) {
        self.warn = warn
        // A separate context, so that the messages of other sockets do not wait.
        let context = try ZMQContext()
        switch place {
        case .local:
            router = try ZMQSocket.router(context: context)
            watch = nil
        case .network(let endpoint, let key, let allowed):
            let authenticator = try Authenticator(context: context, allowed: allowed)
            router = try ZMQSocket.requestRouter(context: context, key: key, overIPv6: endpoint.contains("["))
            let monitor = try ConnectionMonitor(router, context: context, name: "requests")
            watch = Watch(allowed, authenticator, monitor)
        }
        if case .local(_, let descriptor?) = place {
            try router.bind(place.endpoint, at: descriptor)
        } else {
            try router.bind(place.endpoint)
        }
        endpoint = try router.lastEndpoint()
    }

    /// The sockets to poll besides this one.
    var others: [ZMQSocket.Name] { watch.map { [$0.monitor.name] } ?? [] }
    /// The maximum time to wait.
    var patience: Duration { watch?.isListening ?? true ? .seconds(10) : .milliseconds(100) }

    private var now: Double { Double(DispatchTime.now().uptimeNanoseconds) / 1e9 }

    /// The socket is in the server's folder, which only its user can access.
    var isLocal: Bool { watch == nil }

    // MARK: Messages

    /// Receives a message.
    /// - Returns: nil if there is none.
    func receive() throws(ZMQError) -> Arrival? {
        guard let (frames, key) = try router.receiveSigned() else { return nil }
        guard (2...3).contains(frames.count) else { return .dropped }
        let bytes = frames.count == 3 ? frames[2] : nil
        guard let watch else {
            return .request(Sender(routing: frames[0], key: nil, holder: nil), frames[1], bytes)
        }
        guard bytes?.count ?? 0 <= ServerRequest.uploadPieceSize else { return .dropped }
        // A key may have been revoked after the connection began.
        guard let key, let holder = watch.allowed.holder(of: key) else {
            drop("from a key that is not on the list")
            return .dropped
        }
        // Connections are named after their keys, so that no client receives another's answers.
        guard frames[0].starts(with: Data("\(holder.name)/".utf8)) else {
            drop("from the key ‘\(holder.name)’ under another name")
            return .dropped
        }
        switch watch.limiter.take(frames[1].count, with: bytes?.count ?? 0, of: key, by: frames[0], at: now) {
        case .taken: return .request(Sender(routing: frames[0], key: key, holder: holder), frames[1], bytes)
        case .tooMuch(let isFirst):
            if isFirst { warn("‘\(holder.name)’ exceeds the rate limit; the excess is dropped") }
            return .dropped
        }
    }

    /// Sends an answer. A sender that has disconnected, does not read, or has a revoked key
    /// receives nothing.
    func send(_ frames: [Data], to sender: Sender) {
        if let key = sender.key, let watch {
            watch.limiter.answered(key)
            guard watch.allowed.holder(of: key) == sender.holder else { return }
        }
        do throws(ZMQError) { _ = try router.send([sender.routing] + frames) } catch {}
    }

    private func drop(_ whose: String) {
        dropped += 1
        // Warn the 1st, 2nd, 4th, 8th … time.
        guard dropped & (dropped - 1) == 0 else { return }
        warn("\(counted(dropped, "request was", "requests were")) dropped so far; the last one was \(whose)")
    }

    // MARK: Clients

    /// Notifies the clients whose keys were revoked.
    func dismiss() {
        guard let watch else { return }
        let farewell = try? JSONEncoder().encode(ServerResponse(number: ServerResponse.unsolicited, say: .dismissed))
        for key in watch.limiter.keys where watch.allowed.holder(of: key) == nil {
            for routing in watch.limiter.connections(of: key) {
                if let farewell { do throws(ZMQError) { _ = try router.send([routing, farewell]) } catch {} }
            }
            watch.limiter.forget(key)
        }
    }

    /// Limits the connections, so that a flood cannot use up the server's descriptors. Clients
    /// whose connections are closed reconnect automatically.
    func tend() {
        guard let watch else { return }
        for event in watch.monitor.take() {
            switch event {
            case .accepted: watch.connections += 1
            case .disconnected: watch.connections = max(0, watch.connections - 1)
            case .connected, .refused, .misunderstood: break
            }
        }
        do throws(ZMQError) {
            if watch.isListening, watch.connections >= Self.mostConnections {
                watch.floods += 1
                // Warn the 1st, 2nd, 4th, 8th … time.
                if watch.floods & (watch.floods - 1) == 0 {
                    warn(
                        "\(watch.connections) connections at ‘\(endpoint)’ are too many; all are closed, and clients reconnect automatically"
                    )
                }
                // Releasing an address makes ZeroMQ close all its connections, without reporting
                // them.
                try router.unbind(endpoint)
                (watch.isListening, watch.connections, watch.closedAt) = (false, 0, now)
            } else if !watch.isListening, now - watch.closedAt > Self.pause {
                try router.bind(endpoint)
                (watch.isListening, watch.failures) = (true, 0)
            }
        } catch {
            // The address may not be free yet; the next iteration tries again. Warn the 1st, 2nd,
            // 4th, 8th … time.
            watch.failures += 1
            guard watch.failures & (watch.failures - 1) == 0 else { return }
            warn("cannot listen again at ‘\(endpoint)’ yet: \(error.reason)")
        }
    }
}
