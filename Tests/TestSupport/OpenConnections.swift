import Foundation
import Glibc

/// Connections to a port of this machine that are kept open.
public final class OpenConnections {
    public private(set) var descriptors: [Int32] = []
    private let port: UInt16

    public init(to port: UInt16) { self.port = port }

    deinit { closeAll() }

    public func closeAll() {
        for descriptor in descriptors { close(descriptor) }
        descriptors = []
    }

    /// Opens connections that send nothing; those that are refused are left out.
    /// - Returns: how many there are now.
    @discardableResult
    public func open(_ count: Int) -> Int {
        for _ in 0..<count {
            if let descriptor = Self.connect(to: port) { descriptors.append(descriptor) }
        }
        return descriptors.count
    }

    /// - Parameter seconds: after which an answer counts as missing.
    public static func connect(to port: UInt16, seconds: Int = 30) -> Int32? {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { return nil }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        inet_pton(AF_INET, "127.0.0.1", &address.sin_addr)
        var limit = timeval(tv_sec: seconds, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        let code = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Glibc.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        if code == 0 { return descriptor }
        close(descriptor)
        return nil
    }

    /// Sends a request over a connection of its own.
    /// - Returns: what comes back until the other side closes; nil where it refuses, or says
    ///   nothing for `seconds`.
    public static func exchange(_ request: String, with port: UInt16, seconds: Int = 30) -> String? {
        guard let descriptor = connect(to: port, seconds: seconds) else { return nil }
        defer { close(descriptor) }
        let bytes = Array(request.utf8)
        guard send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count else { return nil }
        var (data, buffer) = (Data(), [UInt8](repeating: 0, count: 64 << 10))
        while true {
            let count = recv(descriptor, &buffer, buffer.count, 0)
            guard count > 0 else { return count == 0 ? String(decoding: data, as: UTF8.self) : nil }
            data += buffer[..<count]
        }
    }
}

extension Command {
    /// How many descriptors the process has open.
    public var openFiles: Int {
        (try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(pid)/fd"))?.count ?? 0
    }

    /// Sets how many open files the process may have from now on; those that are open stay.
    public func limitOpenFiles(to count: Int) -> Bool {
        (try? Command.run(["prlimit", "--pid", "\(pid)", "--nofile=\(count):"]))?.succeeded == true
    }
}
