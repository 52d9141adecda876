import Foundation

/// The header of an HTTP request. Parsing is strict: input that two parsers could understand
/// differently is rejected.
package struct RequestHead: Hashable, Sendable {
    package struct Field: Hashable, Sendable {
        /// In lower case.
        package var name: String
        package var value: String
    }

    package var method: String
    package var target: String
    package var fields: [Field]

    /// Why a header is rejected: an HTTP status and a sentence.
    package struct Refusal: Error, Hashable, Sendable {
        package var status: Int
        package var message: String

        package init(_ status: Int, _ message: String) { (self.status, self.message) = (status, message) }
    }

    package static let longest = 32 << 10
    private static let mostFields = 100

    /// Parses a header.
    /// - Parameter bytes: up to the empty line, without it.
    package init(_ bytes: some Collection<UInt8>) throws(Refusal) {
        let bad = Refusal(400, "The request cannot be read.")
        // Only visible characters and spaces: no byte that another parser could take for the end of
        // a line or text.
        guard bytes.allSatisfy({ $0 == 13 || $0 == 10 || $0 == 9 || (32...126).contains($0) }) else { throw bad }
        let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\r\n", omittingEmptySubsequences: false)
        let words = (lines.first ?? "").split(separator: " ", omittingEmptySubsequences: false)
        guard words.count == 3, words[2] == "HTTP/1.1" || words[2] == "HTTP/1.0", words[1].hasPrefix("/"),
            lines.count <= Self.mostFields
        else { throw bad }
        (method, target, fields) = (String(words[0]), String(words[1]), [])
        guard !method.isEmpty, method.utf8.allSatisfy({ (65...90).contains($0) }) else { throw bad }
        for line in lines.dropFirst() {
            guard let colon = line.firstIndex(of: ":"), !line.utf8.contains(10), !line.utf8.contains(13) else {
                throw bad
            }
            let name = line[..<colon]
            guard !name.isEmpty, name.utf8.allSatisfy(Self.isNameByte) else { throw bad }
            fields.append(
                Field(
                    name: name.lowercased(),
                    value: line[line.index(after: colon)...].trimmingCharacters(in: .whitespaces)))
        }
        for name in ["host", "content-length", "transfer-encoding", "origin", "authorization", "content-type"]
        where fields.count(where: { $0.name == name }) > 1 { throw bad }
    }

    private static func isNameByte(_ byte: UInt8) -> Bool {
        (48...57).contains(byte) || (65...90).contains(byte & 0xdf) || byte == 45 || byte == 95
    }

    package subscript(name: String) -> String? { fields.first { $0.name == name }?.value }

    /// The part of the target before the question mark.
    package var path: Substring { target.prefix { $0 != "?" } }

    /// Returns a value of the target's query.
    package func query(_ name: String) -> String? {
        URLComponents(string: target)?.queryItems?.first { $0.name == name }?.value
    }

    /// Returns the value of a cookie.
    package func cookie(_ name: String) -> String? {
        for field in fields where field.name == "cookie" {
            for pair in field.value.split(separator: ";") {
                let parts = pair.split(separator: "=", maxSplits: 1).map { $0.trimmingCharacters(in: .whitespaces) }
                if parts.count == 2, parts[0] == name { return parts[1] }
            }
        }
        return nil
    }

    var isUpgrade: Bool { self["upgrade"]?.lowercased() == "websocket" }

    /// The number of bytes that follow the header.
    var bodyLength: Int { self["content-length"].flatMap { Int($0) } ?? 0 }

    /// Returns the header for the library behind the gate: one request for each connection.
    /// - Parameter isLocal: whether the client is on this machine.
    func forwarded(_ connection: UInt64, isLocal: Bool) -> [UInt8] {
        var text = "\(method) \(target) HTTP/1.1\r\n"
        for field in fields where !Self.ownFields.contains(field.name) { text += "\(field.name): \(field.value)\r\n" }
        text += isUpgrade ? "connection: Upgrade\r\n" : "connection: close\r\n"
        if isLocal { text += "\(Self.localField): 1\r\n" }
        text += "\(Self.connectionField): \(connection)\r\n\r\n"
        return Array(text.utf8)
    }

    /// The field that identifies the connection to the handler of the request.
    package static let connectionField = "x-cutroom-connection"
    /// The field of requests that come over the loopback interface.
    package static let localField = "x-cutroom-local"
    private static let ownFields: Set<String> = ["connection", "keep-alive", "expect", connectionField, localField]
}
