import Synchronization

/// Whose a key is, and what he may do with it.
public struct KeyHolder: Hashable, Sendable {
    public var name: String
    public var role: KeyFile.Role

    public init(_ name: String, _ role: KeyFile.Role) { (self.name, self.role) = (name, role) }
}

/// The keys whose owners may connect to a socket, each with its holder. It may change at any time: who is taken out is not let in again, and
/// what still comes from there is nobody's (``holder(of:)``).
public final class AllowList: Sendable {
    private let holders: Mutex<[PublicKey: KeyHolder]>

    public init(_ holders: [PublicKey: KeyHolder] = [:]) { self.holders = Mutex(holders) }

    /// Who has a key now; nil for one that may not connect.
    public func holder(of key: PublicKey) -> KeyHolder? { holders.withLock { $0[key] } }

    /// The name that a key has now; nil for one that may not connect.
    public func name(of key: PublicKey) -> String? { holder(of: key)?.name }

    public var isEmpty: Bool { holders.withLock { $0.isEmpty } }

    /// Puts other keys in place of all that there are.
    /// - Returns: the names that have lost a key, or a key its role.
    public func replace(with new: [PublicKey: KeyHolder]) -> Set<String> {
        holders.withLock { holders in
            defer { holders = new }
            return Set(holders.filter { new[$0.key] != $0.value }.values.map(\.name))
        }
    }
}

extension AllowList {
    /// A list of nodes.
    public convenience init(_ nodes: [PublicKey: String]) { self.init(nodes.mapValues { KeyHolder($0, .node) }) }

    public func replace(with nodes: [PublicKey: String]) -> Set<String> {
        replace(with: nodes.mapValues { KeyHolder($0, .node) })
    }
}
