/// The name of a sequence of bytes, wherever it is stored: its length and its SHA-256.
public struct ContentID: Hashable, Sendable, Codable, CustomStringConvertible {
    /// The SHA-256 in lower-case hexadecimal.
    public let digest: String
    public let size: Int64

    /// Checks and makes a name.
    /// - Returns: nil for an invalid digest or size, such as a peer may send.
    public init?(digest: String, size: Int64) {
        guard digest.utf8.count == 64, size >= 0, size <= Self.largest,
            digest.utf8.allSatisfy({ (48...57).contains($0) || (97...102).contains($0) })
        else { return nil }
        (self.digest, self.size) = (digest, size)
    }

    /// The largest size that is accepted, so that a peer's number cannot make this process allocate
    /// without a limit.
    public static let largest: Int64 = 1 << 46

    private enum CodingKeys: CodingKey { case digest, size }

    public init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: CodingKeys.self)
        guard
            let id = Self(
                digest: try fields.decode(String.self, forKey: .digest),
                size: try fields.decode(Int64.self, forKey: .size))
        else {
            throw DecodingError.dataCorrupted(
                .init(codingPath: decoder.codingPath, debugDescription: "no content has this name"))
        }
        self = id
    }

    /// The name of the content's folder.
    public var description: String { "\(digest)-\(size)" }

    /// Parses a ``description``; nil for any other text.
    public init?(_ text: String) {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 2, let size = Int64(parts[1]),
            let id = Self(digest: String(parts[0]), size: size), id.description == text
        else { return nil }
        self = id
    }
}
