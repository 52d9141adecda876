import FoundationEssentials

/// A worker's name; its ZeroMQ routing id. That of a local worker is given to it by the host, and is never used for a second process.
/// The name of a worker from elsewhere is its node's, a slash, and the slot's number.
public struct WorkerID: Hashable, Sendable, Comparable, CustomStringConvertible, ExpressibleByStringLiteral {
    /// ZeroMQ's limit for a routing id, in bytes.
    public static let longest = 255

    public let name: String

    public init(_ name: String) { self.name = name }
    public init(stringLiteral value: String) { name = value }

    /// A routing id as it came from a socket. One that is not text (ZeroMQ makes such names for peers that gave none)
    /// becomes its hexadecimal form, which no worker of ours has as a name.
    public init(routing bytes: some Collection<UInt8>) {
        if let text = String(validating: bytes, as: UTF8.self), !text.isEmpty, !text.utf8.contains(where: { $0 < 0x20 })
        {
            name = text
        } else {
            name = "0x" + bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        }
    }

    /// The slot of a node.
    public init(node: String, slot: Int) { name = "\(node)/\(slot)" }

    /// The node of a worker from elsewhere; nil for a local one.
    public var node: String? { name.firstIndex(of: "/").map { String(name[..<$0]) } }
    public var isRemote: Bool { name.utf8.contains(UInt8(ascii: "/")) }

    var routing: Data { Data(name.utf8) }

    public var description: String { name }
    public static func < (left: Self, right: Self) -> Bool { left.name < right.name }
}
