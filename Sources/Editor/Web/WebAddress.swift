import Glibc
import HostCore
import Web

/// The address at which a page is served, and the names with which requests may refer to it.
package struct WebAddress: Sendable {
    /// An IPv4 address.
    let host: String
    /// 0: any free port.
    var port: UInt16
    /// With which the page is served over HTTPS; nil: it is served over HTTP.
    let certificate: Certificate?

    /// Parses an address; nil if it is not an IPv4 address.
    package init?(_ host: String, port: UInt16, certificate: Certificate? = nil) {
        guard Self.isAddress(host) else { return nil }
        (self.host, self.port, self.certificate) = (host, port, certificate)
    }

    private var isAny: Bool { host == "0.0.0.0" }
    private var scheme: String { certificate == nil ? "http" : "https" }

    /// The address for a browser on this machine.
    package var url: String { "\(scheme)://\(name):\(port)" }

    /// The host for a browser on this machine: the address, or a name that a certificate is valid
    /// for.
    var name: String {
        let address = isAny ? "127.0.0.1" : host
        guard let certificate, !certificate.isValid(for: address) else { return address }
        return certificate.names.first { !$0.hasPrefix("*") && (isAny || !Self.isAddress($0)) } ?? address
    }

    /// Returns whether a page of this origin is the server's own.
    func isOwn(_ origin: String) -> Bool {
        let prefix = scheme + "://"
        return origin.hasPrefix(prefix) && isNamed(String(origin.dropFirst(prefix.count)))
    }

    private static func isAddress(_ text: String) -> Bool {
        var address = in_addr()
        return inet_pton(AF_INET, text, &address) == 1
    }

    /// Returns whether a request may use this name. Names that any site could point to this machine
    /// (DNS rebinding) are excluded: its certificate is not valid for them.
    func isNamed(_ authority: String) -> Bool {
        guard let colon = authority.lastIndex(of: ":"), authority[authority.index(after: colon)...] == "\(port)" else {
            return false
        }
        let name = String(authority[..<colon])
        return name == "127.0.0.1" || name == "localhost" || name == host || isAny && Self.isAddress(name)
            || certificate?.isValid(for: name) == true
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
