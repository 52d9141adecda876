/// The name of a job, chosen by its submitter; unique among the jobs that have not ended.
public struct JobID: Hashable, Sendable, Codable, CustomStringConvertible, ExpressibleByStringLiteral {
    /// The longest name that fits a message, in UTF-8 bytes. Submitting an empty or longer name
    /// fails.
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

    /// Whether the length of the name fits a message.
    public var isValid: Bool { (1...Self.longest).contains(name.utf8.count) }
}
