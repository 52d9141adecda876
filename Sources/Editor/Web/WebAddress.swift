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
    private var usualPort: UInt16 { certificate == nil ? 80 : 443 }

    /// The address for a browser on this machine.
    package var url: String { "\(scheme)://\(name):\(port)" }

    /// The host for a browser on this machine: the address, or what the certificate names instead,
    /// if that leads here.
    private var name: String {
        let address = isAny ? "127.0.0.1" : host
        guard let certificate, !certificate.isValid(for: address) else { return address }
        let here = isAny ? LocalAddresses.own : [host]
        return certificate.names.first { !LocalAddresses.of($0).isDisjoint(with: here) } ?? address
    }

    /// Sentences about what browsers will not accept.
    var warnings: [String] {
        guard let certificate else { return [] }
        let loopback: Set = ["127.0.0.1", "localhost"]
        guard isAny, !certificate.names.isEmpty, loopback.isSuperset(of: certificate.names) else {
            return certificate.warnings(for: name)
        }
        // The address that another machine would use.
        let other = LocalAddresses.own.filter { !$0.hasPrefix("127.") }.sorted().first
        return certificate.warnings(for: other ?? name)
    }

    /// Returns whether a page of this origin is the server's own.
    /// - Parameter authority: what the request was sent to, of which ``isNamed(_:)`` is true.
    func isOwn(_ origin: String, _ authority: String) -> Bool {
        origin.lowercased() == "\(scheme)://\(authority)".lowercased()
    }

    private static func isAddress(_ text: String) -> Bool {
        var address = in_addr()
        return inet_pton(AF_INET, text, &address) == 1
    }

    /// Returns whether a request may use this name. Names that any site could point to this machine
    /// (DNS rebinding) are excluded: its certificate is not valid for them.
    func isNamed(_ authority: String) -> Bool {
        let parts = authority.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        // Browsers leave out the usual port.
        guard let name = parts.first, parts.count == 2 ? parts[1] == "\(port)" : port == usualPort else { return false }
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

/// What names and this machine have: IPv4 addresses.
private enum LocalAddresses {
    /// Those of this machine.
    static var own: Set<String> {
        var list: UnsafeMutablePointer<ifaddrs>?
        guard getifaddrs(&list) == 0 else { return ["127.0.0.1"] }
        defer { freeifaddrs(list) }
        return Set(sequence(first: list) { $0?.pointee.ifa_next }.compactMap { text($0?.pointee.ifa_addr) })
    }

    /// Those that the system knows for a name; none for a pattern.
    static func of(_ name: String) -> Set<String> {
        var hints = addrinfo()
        (hints.ai_family, hints.ai_socktype) = (AF_INET, Int32(SOCK_STREAM.rawValue))
        var list: UnsafeMutablePointer<addrinfo>?
        guard !name.contains("*"), getaddrinfo(name, nil, &hints, &list) == 0 else { return [] }
        defer { freeaddrinfo(list) }
        return Set(sequence(first: list) { $0?.pointee.ai_next }.compactMap { text($0?.pointee.ai_addr) })
    }

    private static func text(_ address: UnsafeMutablePointer<sockaddr>?) -> String? {
        guard let address, address.pointee.sa_family == sa_family_t(AF_INET) else { return nil }
        var number = address.withMemoryRebound(to: sockaddr_in.self, capacity: 1) { $0.pointee.sin_addr }
        var bytes = [CChar](repeating: 0, count: Int(INET_ADDRSTRLEN))
        return bytes.withUnsafeMutableBufferPointer { bytes in
            inet_ntop(AF_INET, &number, bytes.baseAddress, socklen_t(bytes.count)).map { String(cString: $0) }
        }
    }
}
