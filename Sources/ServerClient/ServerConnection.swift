import Composition
import Foundation
import Glibc
import HostCore
import Messaging
import Renders

/// A client's connection to a server. Requests are sent one after the other. Blocks: do not call
/// from asynchronous code.
package struct ServerConnection: ~Copyable {
    private let link: Link
    let verdict = Verdict()
    package let address: ServerAddress
    private var number = ServerResponse.unsolicited
    /// Whether the connection was established before.
    private var wasConnected = false

    /// Whether the server accepts the client.
    final class Verdict {
        /// Another connection would fail, too: the key is refused, or the address is not that of a
        /// server.
        fileprivate(set) var isFinal = false
    }

    /// The time limit for a response.
    package static let patience = Duration.seconds(30)
    /// The time limit for establishing a connection: on this machine, and over a network.
    private static let (nearPatience, farPatience) = (Duration.seconds(5), Duration.seconds(10))

    /// The socket, and the monitor of its connection.
    private final class Link {
        let socket: ZMQSocket
        let monitor: ConnectionMonitor

        init(_ address: ServerAddress) throws(ZMQError) {
            let context = try ZMQContext()
            switch address {
            case .folder(let place):
                let name = "submitter-\(getpid())-\(UInt32.random(in: .min ... .max))"
                socket = try ZMQSocket.dealer(context: context, name: WorkerID(name))
                monitor = try ConnectionMonitor(socket, context: context, name: "server")
                try socket.connect("ipc://" + place.socketPath)
            case .network(let server):
                socket = try ZMQSocket.remoteDealer(
                    context: context, name: server.newRoutingID, key: server.key, server: server.server)
                monitor = try ConnectionMonitor(socket, context: context, name: "server")
                try socket.connect(server.endpoint)
            }
        }
    }

    package init(_ place: ServerPlace) throws(HostError) { try self.init(.folder(place)) }

    /// Opens a connection.
    /// - Throws: `.unavailable` if there is no server.
    package init(_ address: ServerAddress) throws(HostError) {
        self.address = address
        // The socket would wait for a server that may never start.
        if case .folder(let place) = address, access(place.socketPath, F_OK) != 0 { throw Self.nobody(address) }
        do throws(ZMQError) {
            link = try Link(address)
        } catch {
            throw HostError(.unavailable, "Cannot communicate with the server \(address.name): \(error).")
        }
    }

    private static func nobody(_ address: ServerAddress) -> HostError {
        switch address {
        case .folder(let place):
            HostError(
                .unavailable,
                "No server is running in ‘\(place.folder)’; start one with ‘cutroom serve’, or give its folder (--state)."
            )
        case .network(let server):
            HostError(
                .unavailable,
                "No server answers at ‘\(server.endpoint)’; was it started with ‘cutroom serve --door’?")
        }
    }

    /// Sends a request, and returns the response.
    /// - Throws: the server's refusal, or `.unavailable` if it does not answer.
    package mutating func ask(
        _ ask: ServerRequest.Operation, patience: Duration = ServerConnection.patience
    ) throws(HostError) -> ServerResponse.Body {
        try fetch(ask, patience: patience).say
    }

    /// Sends a request, and returns the response and the bytes that accompany it.
    package mutating func fetch(
        _ ask: ServerRequest.Operation, patience: Duration = ServerConnection.patience
    ) throws(HostError) -> (say: ServerResponse.Body, bytes: Data?) {
        let pending = try post(ask)
        while true {
            let (number, say, bytes) = try next(patience)
            if number == pending { return (say, bytes) }
        }
    }

    /// Sends a request without waiting for the response.
    /// - Parameter bytes: data that accompanies the request.
    /// - Returns: the number of the request.
    package mutating func post(_ ask: ServerRequest.Operation, with bytes: Data? = nil) throws(HostError) -> UInt64 {
        number += 1
        let request = ServerRequest(number: number, engine: Engine.version, submitter: Self.user, ask: ask)
        guard let data = try? JSONEncoder().encode(request) else {
            throw HostError(.software, "Cannot encode the request to the server.")
        }
        let most = address.isRemote ? Int(Wire.largestQuestion) : Wire.largestPayload
        guard data.count <= most else {
            throw HostError(
                .data,
                "The submission has \(data.count >> 20) MiB, but at most \(most >> 20) MiB can be sent at a time; submit less at a time."
            )
        }
        try send([data] + (bytes.map { [$0] } ?? []))
        return number
    }

    private func unreachable(_ error: ZMQError) -> HostError {
        HostError(.unavailable, "Cannot communicate with the server \(address.name): \(error).")
    }

    private mutating func send(_ frames: [Data]) throws(HostError) {
        // Until the connection is established, nothing can be sent.
        let last = ContinuousClock.now + (address.isRemote ? Self.farPatience : Self.nearPatience)
        while true {
            do throws(ZMQError) { if try link.socket.send(frames) { return } } catch { throw unreachable(error) }
            try look()
            guard ContinuousClock.now < last else { throw Self.nobody(address) }
            usleep(5000)
        }
    }

    /// Checks the connection.
    private mutating func look() throws(HostError) {
        for event in link.monitor.take() {
            switch event {
            case .connected: wasConnected = true
            case .disconnected where wasConnected:
                throw HostError(.unavailable, "The connection to the server \(address.name) was lost.")
            default: if case .network(let server) = address { try look(at: event, of: server) }
            }
        }
    }

    private func look(at event: ConnectionMonitor.Event, of server: RemoteServer) throws(HostError) {
        switch event {
        case .refused:
            verdict.isFinal = true
            throw HostError(
                .unavailable,
                "The server \(address.name) rejects the key ‘\(server.name)’; allow it on the server: cutroom farm keys allow \(server.name).pub"
            )
        case .misunderstood:
            verdict.isFinal = true
            throw HostError(
                .unavailable,
                "‘\(server.endpoint)’ is not the address of a server (its ‘--door’), or the server's key is not the one of ‘--server-key’."
            )
        case .accepted, .connected, .disconnected: break
        }
    }

    /// Returns the next response, with the bytes that accompany it.
    package mutating func next(
        _ patience: Duration = ServerConnection.patience
    ) throws(HostError) -> (number: UInt64, say: ServerResponse.Body, more: Data?) {
        let deadline = ContinuousClock.now + patience
        var poller = Poller()
        while ContinuousClock.now < deadline {
            while let frames = try receive() {
                guard let body = frames.first, let answer = try? JSONDecoder().decode(ServerResponse.self, from: body)
                else { continue }
                if case .refused(let reason) = answer.say { throw HostError(.data, reason) }
                if case .failed(let reason) = answer.say { throw HostError(.inputOutput, reason) }
                if case .dismissed = answer.say {
                    verdict.isFinal = true
                    throw HostError(.unavailable, "The server \(address.name) no longer accepts this key.")
                }
                return (answer.number, answer.say, frames.count > 1 ? frames[1] : nil)
            }
            try look()
            do throws(ZMQError) {
                _ = try poller.wait(
                    for: link.socket, others: [link.monitor.name], timeout: deadline - ContinuousClock.now)
            } catch {
                throw unreachable(error)
            }
        }
        throw HostError(.unavailable, "The server \(address.name) does not answer.")
    }

    private func receive() throws(HostError) -> [Data]? {
        do throws(ZMQError) { return try link.socket.receive() } catch { throw unreachable(error) }
    }

    /// The user's name, for sockets that do not identify the client.
    static var user: String {
        getpwuid(geteuid()).flatMap { String(validatingCString: $0.pointee.pw_name) } ?? "\(geteuid())"
    }
}
