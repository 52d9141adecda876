/// The clients that wait for changes of renders: a value that returns the clients to answer. It has
/// no clock.
///
/// Invariants:
/// - A watcher is answered once: when something that it waits for changes, or when its time is
///   over.
/// - At most ``Limits/all`` watchers wait in total, and ``Limits/perClient`` of one client.
public struct RenderWatchers: Sendable {
    public struct Limits: Sendable {
        public var all = 1024
        public var perClient = 32

        public init(all: Int = 1024, perClient: Int = 32) {
            (self.all, self.perClient) = (max(1, all), max(1, perClient))
        }
    }

    public struct ID: Hashable, Sendable, Comparable {
        let number: UInt64

        public static func < (a: ID, b: ID) -> Bool { a.number < b.number }
    }

    private struct Watcher: Sendable {
        var client: String
        var interest: RenderInterest
        var deadline: Double
    }

    private let limits: Limits
    private var watchers: [ID: Watcher] = [:]
    private var next: UInt64 = 0
    /// The watchers of some renders, by render.
    private var byRender: [RenderID: Set<ID>] = [:]
    /// The watchers of all renders.
    private var ofAll: Set<ID> = []
    /// In order of arrival.
    private var byClient: [String: [ID]] = [:]

    public init(_ limits: Limits = Limits()) { self.limits = limits }

    public var count: Int { watchers.count }

    /// The earliest deadline of a watcher; nil if there is none.
    public var deadline: Double? { watchers.values.map(\.deadline).min() }

    /// Adds a watcher.
    /// - Parameter deadline: when it is answered at the latest; NaN is in the past.
    /// - Returns: its id, and the watchers to answer now because too many wait.
    public mutating func add(
        _ client: String, for interest: RenderInterest, until deadline: Double
    ) -> (id: ID, crowdedOut: [ID]) {
        var out: [ID] = []
        if let own = byClient[client], own.count >= limits.perClient, let oldest = own.first {
            remove(oldest)
            out.append(oldest)
        } else if watchers.count >= limits.all, let oldest = watchers.keys.min() {
            remove(oldest)
            out.append(oldest)
        }
        let id = ID(number: next)
        next += 1
        watchers[id] = Watcher(
            client: client, interest: interest, deadline: deadline.isNaN ? -.infinity : deadline)
        byClient[client, default: []].append(id)
        if let ids = interest.ids {
            for render in ids { byRender[render, default: []].insert(id) }
        } else {
            ofAll.insert(id)
        }
        return (id, out)
    }

    /// Removes and returns the watchers of changed renders, in order of arrival.
    /// - Parameter submitters: the submitters of the changed renders, including removed ones.
    public mutating func wake(_ submitters: [RenderID: String]) -> [ID] {
        guard !watchers.isEmpty else { return [] }
        var woken: Set<ID> = []
        for (render, submitter) in submitters {
            for id in (byRender[render] ?? []).union(ofAll)
            where watchers[id]?.interest.covers(render, of: submitter) ?? false {
                woken.insert(id)
            }
        }
        return take(woken)
    }

    /// Removes and returns the watchers whose time is over.
    public mutating func expire(at now: Double) -> [ID] {
        take(Set(watchers.filter { !($0.value.deadline > now) }.keys))
    }

    /// Removes and returns all watchers.
    public mutating func dismiss() -> [ID] { take(Set(watchers.keys)) }

    private mutating func take(_ ids: Set<ID>) -> [ID] {
        let sorted = ids.sorted()
        for id in sorted { remove(id) }
        return sorted
    }

    private mutating func remove(_ id: ID) {
        guard let watcher = watchers.removeValue(forKey: id) else { return }
        ofAll.remove(id)
        for render in watcher.interest.ids ?? [] {
            byRender[render]?.remove(id)
            if byRender[render]?.isEmpty == true { byRender[render] = nil }
        }
        byClient[watcher.client]?.removeAll { $0 == id }
        if byClient[watcher.client]?.isEmpty == true { byClient[watcher.client] = nil }
    }
}
