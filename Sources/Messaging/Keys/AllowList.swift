import Synchronization

/// The keys whose owners may connect to a socket, each with its name. It may change at any time: who is taken out is not let in again, and
/// what still comes from there is nobody's (``name(of:)``).
public final class AllowList: Sendable {
    private let names: Mutex<[PublicKey: String]>

    public init(_ names: [PublicKey: String] = [:]) { self.names = Mutex(names) }

    /// The name that a key has now; nil for one that may not connect.
    public func name(of key: PublicKey) -> String? { names.withLock { $0[key] } }

    public var isEmpty: Bool { names.withLock { $0.isEmpty } }

    /// Puts other keys in place of all that there are.
    /// - Returns: the names that have lost a key.
    public func replace(with new: [PublicKey: String]) -> Set<String> {
        names.withLock { names in
            defer { names = new }
            return Set(names.filter { new[$0.key] != $0.value }.values)
        }
    }
}
