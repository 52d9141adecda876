/// A place in the history of a book, which tells what has changed since.
public struct RenderCursor: Hashable, Sendable, Codable {
    /// The book: a server that starts again, or has lost a change, has another one.
    public var era: UInt64
    /// How many changes the book has had.
    public var revision: Int64

    public init(era: UInt64, revision: Int64) { (self.era, self.revision) = (era, revision) }
}

/// What has changed in a book since a revision.
public struct RenderChanges: Hashable, Sendable {
    /// The renders as they are now, each once.
    public var entries: [RenderEntry] = []
    /// Renders that are there no more, each once.
    public var gone: [RenderID] = []
    /// Everything up to here is told.
    public var cursor: RenderCursor

    public var isEmpty: Bool { entries.isEmpty && gone.isEmpty }
}

/// Which renders a question about changes is about, and which of them the client may see.
public struct RenderInterest: Hashable, Sendable {
    /// nil: all.
    public var ids: Set<RenderID>?
    /// Whose renders alone are seen; nil: those of all.
    public var submitter: String?

    public init(_ ids: Set<RenderID>? = nil, of submitter: String? = nil) {
        (self.ids, self.submitter) = (ids, submitter)
    }

    public func covers(_ id: RenderID, of owner: String?) -> Bool {
        (ids?.contains(id) ?? true) && (submitter == nil || submitter == owner)
    }
}

/// The order in which renders changed last. It reaches back a bounded number of changes; a client
/// that knows less lists all renders anew.
struct RenderHistory: Sendable {
    private struct Item: Sendable {
        var revision: Int64
        var id: RenderID
    }

    /// How many changes there were.
    private(set) var revision: Int64 = 0
    /// What changed up to here cannot be told any more.
    private(set) var floor: Int64 = 0
    /// In ascending order. One that a later change of the same render has overtaken is skipped.
    private var items: [Item] = []
    /// The renders that are gone.
    private var removals: [RenderID: Removal] = [:]

    struct Removal: Sendable {
        var revision: Int64
        var submitter: String
    }

    /// The number of changes that are kept at least.
    static let reach = 65_536

    /// - Parameter owner: the submitter, where the render is removed.
    /// - Returns: the new revision.
    mutating func note(_ id: RenderID, removedFrom owner: String? = nil) -> Int64 {
        revision += 1
        items.append(Item(revision: revision, id: id))
        if let owner { removals[id] = Removal(revision: revision, submitter: owner) }
        return revision
    }

    /// Forgets what happened after a revision, which nothing has been told of.
    mutating func goBack(to revision: Int64) {
        while let last = items.last, last.revision > revision {
            items.removeLast()
            // A number that was removed is not used again, so this is its only removal.
            removals[last.id] = nil
        }
        self.revision = revision
    }

    mutating func tidy() {
        guard items.count > 2 * Self.reach else { return }
        let surplus = items.count - Self.reach
        for item in items[..<surplus] { removals[item.id] = nil }
        floor = items[surplus - 1].revision
        items.removeFirst(surplus)
    }

    func removal(of id: RenderID) -> Removal? { removals[id] }

    /// Calls `body` with what has changed since a revision, oldest first, until it returns false.
    func forEach(since revision: Int64, _ body: (RenderID, _ revision: Int64) -> Bool) {
        var (low, high) = (0, items.count)
        while low < high {
            let middle = (low + high) / 2
            if items[middle].revision <= revision { low = middle + 1 } else { high = middle }
        }
        while low < items.count, body(items[low].id, items[low].revision) { low += 1 }
    }
}

extension RenderBook {
    public var cursor: RenderCursor { RenderCursor(era: era, revision: history.revision) }

    /// Returns what has changed since a cursor.
    /// - Parameters:
    ///   - since: from ``cursor`` or an answer before, or anything else that a client says.
    ///   - limit: the most renders in one answer; the next answer continues with the others.
    /// - Returns: nil where that cannot be told: the client lists all renders anew.
    public func changes(since: RenderCursor, for interest: RenderInterest, limit: Int = 1000) -> RenderChanges? {
        guard since.era == era, (history.floor...history.revision).contains(since.revision) else { return nil }
        var changes = RenderChanges(cursor: cursor)
        if let ids = interest.ids, ids.count <= limit {
            for id in ids.sorted() {
                if let entry = entries[id] {
                    guard entries.revision(of: id) > since.revision else { continue }
                    if interest.covers(id, of: entry.ticket.submitter) { changes.entries.append(entry) }
                } else if let removal = history.removal(of: id), removal.revision > since.revision,
                    interest.covers(id, of: removal.submitter)
                {
                    changes.gone.append(id)
                }
            }
            return changes
        }
        var gone: Set<RenderID> = []
        history.forEach(since: since.revision) { id, revision in
            if let entry = entries[id] {
                guard entries.revision(of: id) == revision else { return true }
                guard interest.covers(id, of: entry.ticket.submitter) else { return true }
                changes.entries.append(entry)
            } else if interest.covers(id, of: history.removal(of: id)?.submitter) {
                guard gone.insert(id).inserted else { return true }
                changes.gone.append(id)
            }
            guard changes.entries.count + changes.gone.count >= max(1, limit) else { return true }
            changes.cursor.revision = revision
            return false
        }
        return changes
    }
}
