import Glibc
import HostCore

/// A TCP socket that listens at a numeric address and accepts without blocking.
package struct ListeningSocket {
    package struct Failure: Error {
        /// The system's message.
        package let reason: String
    }

    /// The descriptor, which the owner closes.
    package let descriptor: Int32
    /// The actual port; never 0.
    package let port: UInt16

    /// The length of the kernel's queue of connections to accept.
    private static let backlog: Int32 = 128

    /// Opens the socket.
    /// - Parameters:
    ///   - host: an IPv4 or IPv6 address.
    ///   - port: 0 for a free one.
    package init(at host: String, port: UInt16) throws(Failure) {
        var hints = addrinfo()
        hints.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV | AI_PASSIVE
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var found: UnsafeMutablePointer<addrinfo>?
        let code = getaddrinfo(host, "\(port)", &hints, &found)
        defer { if let found { freeaddrinfo(found) } }
        guard code == 0, let address = found?.pointee else {
            throw Failure(reason: String(cString: gai_strerror(code)))
        }
        let descriptor = socket(
            address.ai_family, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue), 0)
        guard descriptor >= 0 else { throw Failure(reason: systemText(errno)) }
        var yes: Int32 = 1
        setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
        guard bind(descriptor, address.ai_addr, address.ai_addrlen) == 0, listen(descriptor, Self.backlog) == 0,
            let port = Self.port(of: descriptor)
        else {
            let reason = systemText(errno)
            close(descriptor)
            throw Failure(reason: reason)
        }
        (self.descriptor, self.port) = (descriptor, port)
    }

    private static func port(of descriptor: Int32) -> UInt16? {
        var storage = sockaddr_storage()
        var size = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let code = withUnsafeMutablePointer(to: &storage) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &size) }
        }
        guard code == 0 else { return nil }
        return withUnsafeBytes(of: &storage) { bytes in
            // `sockaddr_in` and `sockaddr_in6` have their ports at the same offset.
            UInt16(bigEndian: bytes.loadUnaligned(fromByteOffset: 2, as: UInt16.self))
        }
    }
}
