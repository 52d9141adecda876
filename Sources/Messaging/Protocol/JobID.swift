/// The name of a job, chosen by whoever submits it; unique among the jobs that have not ended.
public struct JobID: Hashable, Sendable, Codable, CustomStringConvertible, ExpressibleByStringLiteral {
    /// What the wire can carry, in UTF-8 bytes. An empty name or a longer one is refused on submission.
    public static let longest = 255

    public let name: String

    public init(_ name: String) { self.name = name }
    public init(stringLiteral value: String) { name = value }
    public init(from decoder: any Decoder) throws { name = try decoder.singleValueContainer().decode(String.self) }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(name)
    }

    public var description: String { name }

    /// Whether the name has a length that the wire can carry.
    public var isValid: Bool { (1...Self.longest).contains(name.utf8.count) }
}
