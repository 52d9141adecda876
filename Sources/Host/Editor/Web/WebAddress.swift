import Foundation
import Glibc

/// The address at which a page is served, and the names by which it may be asked for.
struct WebAddress: Hashable, Sendable {
    /// An IPv4 address.
    let host: String
    /// 0: one that is free.
    var port: UInt16

    /// - Returns: nil where it is no IPv4 address.
    init?(_ host: String, port: UInt16) {
        var address = in_addr()
        guard inet_pton(AF_INET, host, &address) == 1 else { return nil }
        (self.host, self.port) = (host, port)
    }

    private var isAny: Bool { host == "0.0.0.0" }

    /// What a browser on this machine calls it.
    var url: String { "http://\(isAny ? "127.0.0.1" : host):\(port)" }

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

    /// A socket that listens there, and the port that it has.
    func listen() throws(HostError) -> (descriptor: Int32, port: UInt16) {
        let descriptor = socket(
            AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue), 0)
        guard descriptor >= 0 else { throw failure(errno) }
        var yes: Int32 = 1
        setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        inet_pton(AF_INET, host, &address.sin_addr)
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let code = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer -> Int32 in
                guard bind(descriptor, pointer, size) == 0, Glibc.listen(descriptor, 128) == 0,
                    getsockname(descriptor, pointer, &size) == 0
                else { return errno }
                return 0
            }
        }
        guard code == 0 else {
            close(descriptor)
            throw failure(code)
        }
        return (descriptor, UInt16(bigEndian: address.sin_port))
    }

    private func failure(_ code: Int32) -> HostError {
        HostError(.unavailable, "The page cannot be served at \(host):\(port): \(systemText(code)).")
    }
}
