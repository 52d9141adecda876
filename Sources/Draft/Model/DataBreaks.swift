/// Places in a file at which its data do not follow what is before: bytes are missing or damaged
/// there.
public struct DataBreaks: Hashable, Sendable, Codable {
    /// The bytes at which the first of them are.
    public private(set) var positions: [Int64] = []
    public private(set) var count = 0

    private static let named = 3

    public init() {}

    public mutating func add(_ position: Int64) {
        count += 1
        if positions.count < Self.named { positions.append(position) }
    }

    /// For a sentence: `at byte 812, 9040 and at 2 more places`.
    public var forPeople: String {
        let more = count > positions.count ? " and at \(count - positions.count) more places" : ""
        return "at byte " + positions.map { "\($0)" }.joined(separator: ", ") + more
    }
}
