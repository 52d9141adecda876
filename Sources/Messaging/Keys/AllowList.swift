import Synchronization

/// The owner of a key, and the role of the key.
public struct KeyHolder: Hashable, Sendable {
    public var name: String
    public var role: KeyFile.Role

    public init(_ name: String, _ role: KeyFile.Role) { (self.name, self.role) = (name, role) }
}

/// The keys that may connect to a socket, each with its holder. The list may change at any time. A
/// removed key cannot connect again, and messages that still arrive from it have no holder
/// (``holder(of:)``).
public final class AllowList: Sendable {
    private let holders: Mutex<[PublicKey: KeyHolder]>

    public init(_ holders: [PublicKey: KeyHolder] = [:]) { self.holders = Mutex(holders) }

    /// Returns the current holder of a key; nil for one that may not connect.
    public func holder(of key: PublicKey) -> KeyHolder? { holders.withLock { $0[key] } }

    /// Returns the current name of a key; nil for one that may not connect.
    public func name(of key: PublicKey) -> String? { holder(of: key)?.name }

    public var isEmpty: Bool { holders.withLock { $0.isEmpty } }

    /// Replaces all keys.
    /// - Returns: the names that have lost a key, or whose key has lost its role.
    public func replace(with new: [PublicKey: KeyHolder]) -> Set<String> {
        holders.withLock { holders in
            defer { holders = new }
            return Set(holders.filter { new[$0.key] != $0.value }.values.map(\.name))
        }
    }
}

extension AllowList {
    /// Makes a list of nodes.
    public convenience init(_ nodes: [PublicKey: String]) { self.init(nodes.mapValues { KeyHolder($0, .node) }) }

    public func replace(with nodes: [PublicKey: String]) -> Set<String> {
        replace(with: nodes.mapValues { KeyHolder($0, .node) })
    }
}
