/// Names of data files that a plugin's library declares: paths relative to the library's folder.
///
/// A worker or a node says them, and what they name is read and sent to others. So a list that is
/// decoded holds no name that leaves the folder, and none that is hidden.
@propertyWrapper public struct DataFiles: Hashable, Sendable, Codable {
    public var wrappedValue: [String]

    public init(wrappedValue: [String]) { self.wrappedValue = wrappedValue }

    /// So many files a library may declare.
    public static let most = 256
    private static let longestName = 1024
    /// In a list that is decoded: several libraries' files may be together.
    private static let mostTogether = 1 << 14

    /// Whether it is a path below a folder, up to 1024 bytes long, whose parts are neither empty
    /// nor begin with a dot.
    public static func isName(_ name: String) -> Bool {
        name.utf8.count <= longestName && !name.utf8.contains(0)
            && name.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).allSatisfy {
                $0.first.map { $0 != UInt8(ascii: ".") } ?? false
            }
    }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        wrappedValue = try container.decode([String].self)
        guard wrappedValue.count <= Self.mostTogether, wrappedValue.allSatisfy(Self.isName) else {
            throw DecodingError.dataCorruptedError(
                in: container, debugDescription: "data files that are not in their library's folder")
        }
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(wrappedValue)
    }
}
