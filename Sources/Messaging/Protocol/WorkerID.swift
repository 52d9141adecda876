import FoundationEssentials

/// A worker's name, which is its ZeroMQ routing id. The host names local workers, and never reuses
/// a name for a second process. The name of a remote worker is its node's, a slash, and the slot's
/// number.
public struct WorkerID: Hashable, Sendable, Comparable, CustomStringConvertible, ExpressibleByStringLiteral {
    /// ZeroMQ's limit for a routing id, in bytes.
    public static let longest = 255

    public let name: String

    public init(_ name: String) { self.name = name }
    public init(stringLiteral value: String) { name = value }

    /// Makes a name from a socket's routing id. An id that is not text (ZeroMQ makes such names for
    /// peers without one) becomes its hexadecimal form, which no worker of ours has as a name.
    public init(routing bytes: some Collection<UInt8>) {
        if let text = String(validating: bytes, as: UTF8.self), !text.isEmpty, !text.utf8.contains(where: { $0 < 0x20 })
        {
            name = text
        } else {
            name = "0x" + bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        }
    }

    /// Makes the name of a node's slot.
    public init(node: String, slot: Int) { name = "\(node)/\(slot)" }

    /// The node of a remote worker; nil for a local one.
    public var node: String? { name.firstIndex(of: "/").map { String(name[..<$0]) } }
    public var isRemote: Bool { name.utf8.contains(UInt8(ascii: "/")) }

    var routing: Data { Data(name.utf8) }

    public var description: String { name }
    public static func < (left: Self, right: Self) -> Bool { left.name < right.name }
}
