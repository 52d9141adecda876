import Farm
import Foundation
import HostCore
import Messaging

/// The listeners of a server: one at the socket in its folder, and one for each network address.
final class Listeners {
    private let local: RequestListener
    private let remote: [RequestListener]
    private let watch: AllowListWatch?

    /// Starts listening.
    /// - Parameter ask: receives each request, on threads that it must not block.
    /// - Throws: if a socket cannot be opened, or the server has no key for it.
    init(
        _ options: Server.Options,
        ask: @escaping @Sendable (RequestListener, RequestSocket.Sender, IncomingRequest) -> Void
    ) throws(HostError) {
        let (confinement, log, lane) = (options.confinement, options.log, FileLane("submissions"))
        func open(_ place: RequestSocket.Place) throws(HostError) -> RequestListener {
            try RequestListener(place, warn: { log.warning("\($0)") }) { listener, sender, data, bytes in
                IncomingRequest.read(data, with: bytes, of: sender, confinement, lane) { ask(listener, sender, $0) }
            }
        }
        local = try open(.local(path: options.place.socketPath, descriptor: options.listeningSocket))
        guard !options.addresses.isEmpty else {
            (remote, watch) = ([], nil)
            return
        }
        let (key, roles): (KeyPair, Set<KeyFile.Role>) = (try Self.key(options.keys), [.submitter, .admin])
        let allowed = AllowList(options.keys.allowed().holders(roles))
        var opened: [RequestListener] = []
        for endpoint in options.addresses {
            opened.append(try open(.network(endpoint: endpoint, key: key, allowed: allowed)))
        }
        remote = opened
        watch = AllowListWatch(options.keys, for: roles, into: allowed) { problem in
            log.warning("\(problem)")
        } onRevoked: { [remote] _ in
            for listener in remote { listener.listHasChanged() }
        }
        guard watch != nil else { throw HostError(.unavailable, "The system cannot start another thread.") }
    }

    private static func key(_ keys: FarmKeys) throws(HostError) -> KeyPair {
        do throws(KeyFile.Problem) { return try keys.server() } catch {
            throw HostError(.noInput, error.description)
        }
    }

    /// The network addresses at which the server accepts requests.
    var endpoints: [String] { remote.map(\.endpoint) }

    func close() { for listener in [local] + remote { listener.close() } }
}
