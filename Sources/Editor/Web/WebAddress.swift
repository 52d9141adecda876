import Glibc
import HostCore
import Web

/// The address at which a page is served, and the names with which requests may refer to it.
package struct WebAddress: Hashable, Sendable {
    /// An IPv4 address.
    let host: String
    /// 0: any free port.
    var port: UInt16

    /// Parses an address; nil if it is not an IPv4 address.
    package init?(_ host: String, port: UInt16) {
        var address = in_addr()
        guard inet_pton(AF_INET, host, &address) == 1 else { return nil }
        (self.host, self.port) = (host, port)
    }

    private var isAny: Bool { host == "0.0.0.0" }

    /// The address for a browser on this machine.
    package var url: String { "http://\(isAny ? "127.0.0.1" : host):\(port)" }

    /// Returns whether a request may use this name. Names that any site could point to this machine
    /// (DNS rebinding) are excluded.
    func isNamed(_ authority: String) -> Bool {
        guard let colon = authority.lastIndex(of: ":"), authority[authority.index(after: colon)...] == "\(port)" else {
            return false
        }
        let name = String(authority[..<colon])
        if name == "127.0.0.1" || name == "localhost" || name == host { return true }
        var address = in_addr()
        return isAny && inet_pton(AF_INET, name, &address) == 1
    }

    /// Listens at the address; ``port`` becomes the port of the socket.
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
