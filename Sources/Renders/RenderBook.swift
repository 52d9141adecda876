/// The renders of a server: which there are, and which of them run. A value: it is told what people want and what has happened, and answers
/// with what is to be done. It does no I/O and has no clock.
///
/// What it changes it notes in ``changes``. Whoever drives it writes these down whole, at once, before it does anything else about the event
/// or answers it. So what was written down is always a state between two events, and a book that is made from it (``init(_:nextID:limit:)``)
/// goes on from there.
///
/// What holds at all times:
/// - An entry that has ended changes only by ``retry(_:at:)`` and ``purge(_:)``.
/// - At most ``limit`` renders are active.
/// - A submitter's key belongs to one render.
/// - No render runs before those that it comes after are done.
public struct RenderBook: Sendable {
    public private(set) var entries: [RenderID: RenderEntry]
    /// The most renders that may be active at a time.
    public let limit: Int
    public private(set) var nextID: Int64
    /// What is to be written down since ``takeChanges()`` was asked last.
    private var pending: [RenderID: Change] = [:]
    private var keys: [SubmitterKey: RenderID] = [:]
    private var queued: Set<RenderID> = []
    private var active: Set<RenderID> = []
    /// The renders that wait for one.
    private var followers: [RenderID: Set<RenderID>] = [:]

    private struct SubmitterKey: Hashable {
        var submitter: String
        var key: String
    }

    public enum Change: Hashable, Sendable {
        case put(RenderEntry)
        case remove(RenderID)
    }

    public enum Action: Hashable, Sendable {
        /// Have it rendered; answered by ``ended(_:_:at:)``, once.
        case begin(RenderID)
        /// End it soon; it is answered all the same.
        case stop(RenderID)
    }

    /// How a run of a render has ended.
    public enum Outcome: Hashable, Sendable {
        case done
        /// For good.
        case failed(reason: String)
        /// The machine lacks something that may come back: disk space, a worker.
        case lacking(reason: String)
        /// Somebody wanted it to end, or the server leaves.
        case stopped
    }

    /// Why something cannot be done: a sentence.
    public struct Refusal: Error, Hashable, Sendable, CustomStringConvertible {
        public let description: String

        public init(_ description: String) { self.description = description }
    }

    /// A book as it was written down. What ran then is queued; what was being paused or cancelled is so.
    /// - Parameters:
    ///   - nextID: greater than any number that was ever given.
    ///   - running: what runs all the same, as the server has not ended.
    ///   - now: when what was being cancelled has ended.
    public init(
        _ written: [RenderEntry] = [], nextID: Int64 = 1, limit: Int, running: Set<RenderID> = [], at now: Double = 0
    ) {
        self.limit = max(1, limit)
        self.nextID = max(nextID, min(written.map(\.id.number).max() ?? 0, .max - 1) + 1)
        entries = Dictionary(written.map { ($0.id, $0) }) { $1 }
        for entry in written {
            if let key = entry.ticket.key { keys[SubmitterKey(submitter: entry.ticket.submitter, key: key)] = entry.id }
            index(entry, before: nil)
        }
        for id in active.sorted() where !running.contains(id) {
            change(id) { entry in
                switch entry.state {
                case .pausing: entry.state = .paused
                case .cancelling: (entry.state, entry.endedAt) = (.cancelled, now)
                default: entry.state = .queued
                }
            }
            follow(id, at: now)
        }
    }

    /// What has changed since this was asked last, by number.
    public mutating func takeChanges() -> [Change] {
        defer { pending = [:] }
        return pending.sorted { $0.key < $1.key }.map(\.value)
    }

    // MARK: Entries

    /// The one place where an entry changes.
    mutating func change(_ id: RenderID, _ body: (inout RenderEntry) -> Void) {
        guard let old = entries[id] else { return }
        var new = old
        body(&new)
        guard new != old else { return }
        entries[id] = new
        index(new, before: old)
        pending[id] = .put(new)
    }

    mutating func add(_ ticket: RenderTicket, at now: Double) -> RenderEntry {
        var entry = RenderEntry(RenderID(nextID), ticket, at: now)
        nextID += 1
        if !isFree(entry) { entry.state = .waiting }
        entries[entry.id] = entry
        if let key = ticket.key { keys[SubmitterKey(submitter: ticket.submitter, key: key)] = entry.id }
        index(entry, before: nil)
        pending[entry.id] = .put(entry)
        return entry
    }

    mutating func remove(_ id: RenderID) {
        guard let entry = entries.removeValue(forKey: id) else { return }
        if let key = entry.ticket.key { keys[SubmitterKey(submitter: entry.ticket.submitter, key: key)] = nil }
        followers[id] = nil
        pending[id] = .remove(id)
    }

    func known(_ key: String, of submitter: String) -> RenderEntry? {
        keys[SubmitterKey(submitter: submitter, key: key)].flatMap { entries[$0] }
    }

    /// Whether nothing that it comes after holds it up. What was removed had ended.
    func isFree(_ entry: RenderEntry) -> Bool {
        entry.ticket.after.allSatisfy { entries[$0].map { $0.state == .done } ?? true }
    }

    func waiting(for id: RenderID) -> [RenderID] {
        (followers[id] ?? []).filter { entries[$0]?.state == .waiting }.sorted()
    }

    /// The renders that are to come after one and have not ended.
    func openFollowers(of id: RenderID) -> [RenderID] {
        (followers[id] ?? []).filter { entries[$0].map { !$0.state.hasEnded } ?? false }.sorted()
    }

    private mutating func index(_ entry: RenderEntry, before: RenderEntry?) {
        if before == nil { for id in entry.ticket.after { followers[id, default: []].insert(entry.id) } }
        if entry.state == .queued { queued.insert(entry.id) } else { queued.remove(entry.id) }
        if entry.state.isActive { active.insert(entry.id) } else { active.remove(entry.id) }
    }

    // MARK: Who goes next

    /// Begins what there is room for: what has the highest priority, of these one of a submitter who has fewest active, of these the earliest.
    mutating func admit(at now: Double) -> [Action] {
        var actions: [Action] = []
        while active.count < limit, !queued.isEmpty {
            var load: [String: Int] = [:]
            for id in active { if let entry = entries[id] { load[entry.ticket.submitter, default: 0] += 1 } }
            let next = queued.compactMap { entries[$0] }.min { rank($0, load) < rank($1, load) }
            guard let next else { break }
            change(next.id) { entry in
                entry.state = .running
                entry.reason = nil
                entry.startedAt = entry.startedAt ?? now
                entry.runs += 1
            }
            actions.append(.begin(next.id))
        }
        return actions
    }

    private func rank(_ entry: RenderEntry, _ load: [String: Int]) -> (Int, Int, RenderID) {
        // Not negated, which the least of all numbers cannot be.
        (~entry.ticket.priority, load[entry.ticket.submitter] ?? 0, entry.id)
    }
}
