import Foundation
import Glibc
import Testing

@testable import Farm

/// A link between a node and its server, which can be slow, or open at both ends without carrying
/// anything.
final class Proxy: Sendable {
    private struct State {
        var isOver = false
        /// Connections with lower numbers carry nothing any more.
        var firstLive = 0
        var count = 0
        var descriptors: [Int32] = []
        var repeats = false
    }

    let port: UInt16
    private let listener: Int32
    private let target: UInt16
    private let delay: UInt32
    private let state = Locked(State())

    /// Starts a proxy.
    /// - Parameter delay: of each piece in each direction, in ms.
    init(to target: UInt16, delay: UInt32 = 0) throws {
        (self.target, self.delay) = (target, delay)
        listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = Self.address(0)
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let descriptor = listener
        let isBound = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, size) == 0 && listen(descriptor, 16) == 0
                    && getsockname(descriptor, $0, &size) == 0
            }
        }
        port = UInt16(bigEndian: address.sin_port)
        try #require(isBound)
        Thread.detachNewThread { [weak self, listener] in
            while true {
                let client = accept(listener, nil, nil)
                guard client >= 0, let self else { return }
                self.join(client)
            }
        }
    }

    deinit { stop() }

    func stop() {
        state.withLock { state in
            guard !state.isOver else { return }
            state.isOver = true
            for descriptor in state.descriptors + [listener] { shutdown(descriptor, Int32(SHUT_RDWR)) }
        }
    }

    /// Ends the current connections. New ones work.
    func cut() {
        state.withLock { state in
            for descriptor in state.descriptors { shutdown(descriptor, Int32(SHUT_RDWR)) }
            state.descriptors = []
        }
    }

    /// Silences the current connections without closing them. New ones work.
    func fallSilent() { state.withLock { $0.firstLive = $0.count } }

    /// Passes everything on twice from now on.
    func sayTwice() { state.withLock { $0.repeats = true } }

    private static func address(_ port: UInt16) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        return address
    }

    private func join(_ client: Int32) {
        let server = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = Self.address(target)
        let isConnected = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(server, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
        guard isConnected else {
            close(client)
            close(server)
            return
        }
        let number = state.withLock { state in
            state.descriptors += [client, server]
            defer { state.count += 1 }
            return state.count
        }
        for (from, to) in [(client, server), (server, client)] {
            Thread.detachNewThread { [state, delay] in
                var buffer = [UInt8](repeating: 0, count: 64 << 10)
                while true {
                    let count = read(from, &buffer, buffer.count)
                    if state.withLock({ $0.isOver }) { return }
                    if delay > 0 { usleep(delay * 1000) }
                    // A silent link drops what arrives, and hides ends.
                    let isSilent = state.withLock { number < $0.firstLive }
                    guard count > 0 else {
                        if !isSilent { shutdown(to, Int32(SHUT_RDWR)) }
                        return
                    }
                    guard !isSilent else { continue }
                    for _ in 0..<(state.withLock { $0.repeats } ? 2 : 1) {
                        _ = send(to, buffer, count, Int32(MSG_NOSIGNAL))
                    }
                }
            }
        }
    }
}
