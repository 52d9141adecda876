import ArgumentParser
import Glibc

/// The address that serves metrics: `ADDRESS:PORT`, or only a port for this machine. The address
/// must be numeric; names are not looked up.
package struct MetricsAddress: Hashable, Sendable, ExpressibleByArgument {
    let host: String
    let port: UInt16

    private static let loopback = "127.0.0.1"

    package init?(argument: String) {
        let colon = argument.lastIndex(of: ":")
        var host = colon.map { String(argument[..<$0]) } ?? Self.loopback
        let port = colon.map { String(argument[argument.index(after: $0)...]) } ?? argument
        let isBracketed = host.hasPrefix("[") && host.hasSuffix("]")
        if isBracketed { host = String(host.dropFirst().dropLast()) }
        guard let number = UInt16(port), port.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
            isBracketed == host.contains(":")
        else { return nil }
        (self.host, self.port) = (host, number)
        guard isNumber else { return nil }
    }

    private var isNumber: Bool {
        var address = in6_addr()
        return inet_pton(isSix ? AF_INET6 : AF_INET, host, &address) == 1
    }

    private var isSix: Bool { host.contains(":") }

    var isLoopback: Bool { host.hasPrefix("127.") || host == "::1" }

    /// Returns the address as it is written in a URL.
    package func text(port: UInt16) -> String { isSix ? "[\(host)]:\(port)" : "\(host):\(port)" }
}
