import FoundationEssentials

/// The name of a worker process, given to it by the host; its ZeroMQ routing id. A name is never used for a second
/// process.
public struct WorkerID: Hashable, Sendable, Comparable, CustomStringConvertible, ExpressibleByStringLiteral {
    /// ZeroMQ's limit for a routing id, in bytes.
    public static let longest = 255

    public let name: String

    public init(_ name: String) { self.name = name }
    public init(stringLiteral value: String) { name = value }

    /// A routing id as it came from a socket. One that is not text (ZeroMQ makes such names for peers that gave none)
    /// becomes its hexadecimal form, which no worker of ours has as a name.
    init(routing bytes: some Collection<UInt8>) {
        if let text = String(validating: bytes, as: UTF8.self), !text.isEmpty, !text.utf8.contains(where: { $0 < 0x20 })
        {
            name = text
        } else {
            name = "0x" + bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        }
    }

    var routing: Data { Data(name.utf8) }

    public var description: String { name }
    public static func < (left: Self, right: Self) -> Bool { left.name < right.name }
}
