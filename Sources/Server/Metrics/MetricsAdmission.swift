import Glibc
import Web

/// The rules for requests to the metrics server: reading needs no token, and everything else is
/// rejected.
///
/// At a loopback address the request must name this machine. Otherwise a page of any site could
/// read the metrics through its own host name that resolves to 127.0.0.1 (DNS rebinding).
struct MetricsAdmission: GateAdmission {
    let isLoopback: Bool

    func judge(_ head: RequestHead) -> GateVerdict {
        guard ["GET", "HEAD"].contains(head.method) else {
            return .refuse(405, "Metrics are read-only.", ["Allow: GET, HEAD"])
        }
        guard !isLoopback || head["host"].map(Self.isThisMachine) ?? true else {
            return .refuse(403, "Metrics are served to this machine only; use 127.0.0.1 or localhost.")
        }
        guard head["transfer-encoding"] == nil, head["content-length"].map({ Int($0) == 0 }) ?? true else {
            return .refuse(413, "A request for metrics must have no body.")
        }
        guard head["upgrade"] == nil else { return .refuse(400, "Metrics are served over plain HTTP only.") }
        return .pass
    }

    /// Returns whether the authority names this machine.
    /// - Parameter authority: with any port or none, because a tunnel may use another port.
    private static func isThisMachine(_ authority: String) -> Bool {
        var name = authority[...]
        if let colon = name.lastIndex(of: ":"), name[name.index(after: colon)...].allSatisfy(\.isWholeNumber) {
            name = name[..<colon]
        }
        var address = in_addr()
        return name.lowercased() == "localhost" || name == "[::1]"
            || (name.hasPrefix("127.") && inet_pton(AF_INET, String(name), &address) == 1)
    }
}
