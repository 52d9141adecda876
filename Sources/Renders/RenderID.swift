/// The number of a render on its server. Numbers increase and are never reused.
public struct RenderID: Hashable, Sendable, Codable, Comparable, CustomStringConvertible {
    public let number: Int64

    public init(_ number: Int64) { self.number = number }
    public init(from decoder: any Decoder) throws { number = try decoder.singleValueContainer().decode(Int64.self) }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(number)
    }

    public static func < (a: RenderID, b: RenderID) -> Bool { a.number < b.number }

    public var description: String { "\(number)" }
}
