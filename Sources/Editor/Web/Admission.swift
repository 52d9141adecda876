import Foundation
import Web

/// The rules for requests to the page's server: they need its token and must come from the page
/// itself. A pure value.
struct Admission: GateAdmission {
    /// A secret that only clients with the full address know.
    let token: String
    let address: WebAddress

    static let longestBody = 1 << 20

    /// Returns 128 random bits.
    static func newToken() -> String {
        (0..<4).map { _ in
            let number = UInt32.random(in: .min ... .max)
            return String(repeating: "0", count: max(0, 7 - String(number, radix: 36).count))
                + String(number, radix: 36)
        }.joined()
    }

    /// The name of the cookie, which differs between editors of one machine.
    /// Over HTTPS, it has a prefix with which browsers keep others from setting it, and another
    /// name than that of an editor over HTTP, which could not replace it (RFC 6265bis, 4.1.3.2).
    private var cookie: String { (address.certificate == nil ? "" : "__Host-") + "cutroom-\(address.port)" }

    func judge(_ head: RequestHead) -> GateVerdict {
        guard let host = head["host"], address.isNamed(host) else {
            return .refuse(403, "The page is not served under this host name.")
        }
        guard head["origin"].map({ address.isOwn($0, host) }) ?? true else {
            return .refuse(403, "The request comes from another page; only the editor's page may send it.")
        }
        if let site = head["sec-fetch-site"], site != "same-origin", site != "none", !isEntry(head) {
            return .refuse(403, "The request comes from another page; only the editor's page may send it.")
        }
        guard Self.isPlain(head.path) else { return .refuse(400, "The path is not part of the editor.") }
        guard ["GET", "HEAD", "POST"].contains(head.method) else {
            return .refuse(405, "Only GET and POST are allowed.")
        }
        guard head["transfer-encoding"] == nil else {
            return .refuse(411, "A request with a body needs a Content-Length.")
        }
        if let length = head["content-length"] {
            guard let count = Int(length), count >= 0, !length.hasPrefix("+") else {
                return .refuse(400, "The Content-Length is not a valid number.")
            }
            guard count <= Self.longestBody else { return .refuse(413, "The request is too large.") }
        }
        guard head.method != "POST" || head["content-type"].map(Self.isJSON) == true else {
            return .refuse(415, "The Content-Type must be application/json.")
        }
        if isEntry(head), let given = head.query("token") {
            guard isSame(given) else { return .refuse(403, "This address belongs to another or an earlier editor.") }
            return .answer(
                status: 303,
                fields: [
                    "Location: /", "Set-Cookie: \(cookie)=\(token); HttpOnly; \(security)SameSite=Strict; Path=/",
                ],
                message: "Redirecting …")
        }
        let bearer = head["authorization"].flatMap { $0.hasPrefix("Bearer ") ? String($0.dropFirst(7)) : nil }
        guard let given = bearer ?? head.cookie(cookie), isSame(given) else {
            return .refuse(403, "Open the address that ‘cutroom edit’ printed.")
        }
        return .pass
    }

    /// The cookie's attribute that keeps browsers from sending it over HTTP.
    private var security: String { address.certificate == nil ? "" : "Secure; " }

    private func isEntry(_ head: RequestHead) -> Bool { head.method == "GET" && head.path == "/" }

    private static func isJSON(_ type: String) -> Bool {
        type.prefix { $0 != ";" }.trimmingCharacters(in: .whitespaces).lowercased() == "application/json"
    }

    /// Returns whether a path is unambiguous: without parent references and encoded slashes.
    private static func isPlain(_ path: Substring) -> Bool {
        guard let plain = path.removingPercentEncoding, !plain.utf8.contains(0), !plain.contains("\\"),
            Self.slashes(plain) == Self.slashes(path), !plain.contains("//")
        else { return false }
        return !plain.split(separator: "/").contains { $0 == ".." || $0 == "." }
    }

    private static func slashes(_ text: some StringProtocol) -> Int { text.utf8.reduce(0) { $0 + ($1 == 47 ? 1 : 0) } }

    /// Compares the token in constant time.
    private func isSame(_ given: String) -> Bool {
        let (a, b) = (Array(given.utf8), Array(token.utf8))
        guard a.count == b.count else { return false }
        return zip(a, b).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
    }
}
