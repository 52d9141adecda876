import Glibc
import HostCore
import Web

/// The address at which a page is served, and the names by which it may be asked for.
package struct WebAddress: Hashable, Sendable {
    /// An IPv4 address.
    let host: String
    /// 0: one that is free.
    var port: UInt16

    /// - Returns: nil where it is no IPv4 address.
    package init?(_ host: String, port: UInt16) {
        var address = in_addr()
        guard inet_pton(AF_INET, host, &address) == 1 else { return nil }
        (self.host, self.port) = (host, port)
    }

    private var isAny: Bool { host == "0.0.0.0" }

    /// What a browser on this machine calls it.
    package var url: String { "http://\(isAny ? "127.0.0.1" : host):\(port)" }

    /// Whether a request may name it so. A name that anybody can give to this machine (DNS rebinding) is not one of them.
    func isNamed(_ authority: String) -> Bool {
        guard let colon = authority.lastIndex(of: ":"), authority[authority.index(after: colon)...] == "\(port)" else {
            return false
        }
        let name = String(authority[..<colon])
        if name == "127.0.0.1" || name == "localhost" || name == host { return true }
        var address = in_addr()
        return isAny && inet_pton(AF_INET, name, &address) == 1
    }

    /// Listens there; ``port`` becomes the port of the socket.
    mutating func listen() throws(HostError) -> ListeningSocket {
        do throws(ListeningSocket.Failure) {
            let socket = try ListeningSocket(at: host, port: port)
            port = socket.port
            return socket
        } catch {
            throw HostError(.unavailable, "Cannot serve the page at \(host):\(port): \(error.reason).")
        }
    }
}
