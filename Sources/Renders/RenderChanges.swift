/// A position in the history of a book, from which later changes can be requested.
public struct RenderCursor: Hashable, Sendable, Codable {
    /// The book: after a restart or a lost change, the server has another one.
    public var era: UInt64
    /// The number of changes of the book so far.
    public var revision: Int64

    public init(era: UInt64, revision: Int64) { (self.era, self.revision) = (era, revision) }
}

/// The changes of a book since a revision.
public struct RenderChanges: Hashable, Sendable {
    /// The current renders, each once.
    public var entries: [RenderEntry] = []
    /// Removed renders, each once.
    public var gone: [RenderID] = []
    /// All changes up to here are included.
    public var cursor: RenderCursor

    public var isEmpty: Bool { entries.isEmpty && gone.isEmpty }
}

/// The renders that a request for changes is about, and those that the client may see.
public struct RenderInterest: Hashable, Sendable {
    /// nil: all.
    public var ids: Set<RenderID>?
    /// The only submitter whose renders the client may see; nil: all.
    public var submitter: String?

    public init(_ ids: Set<RenderID>? = nil, of submitter: String? = nil) {
        (self.ids, self.submitter) = (ids, submitter)
    }

    public func covers(_ id: RenderID, of owner: String?) -> Bool {
        (ids?.contains(id) ?? true) && (submitter == nil || submitter == owner)
    }
}

/// The order of the last changes of renders. Its length is limited; a client whose revision is
/// older lists all renders again.
struct RenderHistory: Sendable {
    private struct Item: Sendable {
        var revision: Int64
        var id: RenderID
    }

    /// The number of changes so far.
    private(set) var revision: Int64 = 0
    /// Changes up to this revision are no longer known.
    private(set) var floor: Int64 = 0
    /// In ascending order. An item is skipped if the render has a later change.
    private var items: [Item] = []
    /// The removed renders.
    private var removals: [RenderID: Removal] = [:]

    struct Removal: Sendable {
        var revision: Int64
        var submitter: String
    }

    /// The minimum number of changes to keep.
    static let reach = 65_536

    /// Records a change.
    /// - Parameter owner: the submitter, if the render is removed.
    /// - Returns: the new revision.
    mutating func note(_ id: RenderID, removedFrom owner: String? = nil) -> Int64 {
        revision += 1
        items.append(Item(revision: revision, id: id))
        if let owner { removals[id] = Removal(revision: revision, submitter: owner) }
        return revision
    }

    /// Undoes the changes after a revision, which were not reported.
    mutating func goBack(to revision: Int64) {
        while let last = items.last, last.revision > revision {
            items.removeLast()
            // The number of a removed render is not reused, so this is its only removal.
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

    /// Calls `body` with the changes since a revision, oldest first, until it returns false.
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

    /// Returns the changes since a cursor.
    /// - Parameters:
    ///   - since: ``cursor``, or that of a previous answer; clients may send any other value.
    ///   - limit: the maximum number of renders in an answer; the next answer continues with the
    ///     others.
    /// - Returns: nil if the changes are unknown: the client lists all renders again.
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
