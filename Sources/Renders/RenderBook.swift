/// The renders of a server, and which of them run. A value: its methods receive requests and
/// events, and return the actions to take. It does no I/O and has no clock.
///
/// It records changes, which the driver takes with ``takeChanges()``. The driver must write them to
/// the journal atomically before it carries out the actions of an event or answers it. The journal
/// thus always contains a state between two events, and a book that is restored from it
/// (``init(_:nextID:limit:running:era:at:)``) continues from there.
///
/// Invariants:
/// - An entry that has ended changes only by ``retry(_:at:)`` and ``purge(_:)``.
/// - At most ``limit`` renders are active.
/// - A submitter's key belongs to one render.
/// - A render does not run before the renders that it waits for are done.
/// - A revision increases with each change; ``changes(since:for:limit:)`` returns the changes since
///   one.
public struct RenderBook: Sendable {
    public private(set) var entries: RenderEntries
    /// The maximum number of active renders.
    public let limit: Int
    public private(set) var nextID: Int64
    /// Distinguishes this book's revisions from those of another.
    public let era: UInt64
    /// The number of renders in each state; states without renders are missing.
    public private(set) var counts: [RenderState: Int] = [:]
    private(set) var history = RenderHistory()
    /// The changes since the last call of ``takeChanges()``.
    private var pending: [RenderID: Change] = [:]
    /// How to undo the changes of ``all(_:)`` if its body throws; nil outside of it.
    private var undo: [Undo]?

    // Indexes of the entries, maintained by `index`.
    private var keys: [SubmitterKey: RenderID] = [:]
    private var queue = RenderQueue()
    private var active: Set<RenderID> = []
    /// The number of active renders of each submitter.
    private var load: [String: Int] = [:]
    /// The renders that wait for a render.
    private var followers: [RenderID: Set<RenderID>] = [:]
    private var holdings: [String: Holdings] = [:]

    /// The renders and uploads of a submitter.
    private struct Holdings {
        var renders = 0
        /// The uploaded files that renders use, with the number of renders that use each.
        var uploads: [String: Int] = [:]
    }

    private struct Undo {
        var id: RenderID
        var entry: RenderEntry?
        var revision: Int64
        var pending: Change?
    }

    private struct SubmitterKey: Hashable {
        var submitter: String
        var key: String
    }

    public enum Change: Hashable, Sendable {
        case put(RenderEntry)
        case remove(RenderID)
    }

    public enum Action: Hashable, Sendable {
        /// Run the render; answered once by ``ended(_:_:at:)``.
        case begin(RenderID)
        /// Stop the render soon; its end is still reported.
        case stop(RenderID)
    }

    /// How a run of a render has ended.
    public enum Outcome: Hashable, Sendable {
        case done
        /// The render has failed permanently.
        case failed(reason: String)
        /// A resource is missing that may come back: disk space, a worker.
        case lacking(reason: String)
        /// The run was stopped by a client, or because the server ends.
        case stopped
    }

    /// Why a request is refused: a sentence.
    public struct Refusal: Error, Hashable, Sendable, CustomStringConvertible {
        public let description: String

        public init(_ description: String) { self.description = description }
    }

    /// Restores a book. Renders that were running are queued; those being paused or cancelled are
    /// paused or cancelled.
    /// - Parameters:
    ///   - nextID: greater than any number so far.
    ///   - running: renders that are still running, because the server has not ended.
    ///   - era: differs from that of any other book whose revisions clients may still know.
    ///   - now: the end time of renders that were being cancelled.
    public init(
        _ written: [RenderEntry] = [], nextID: Int64 = 1, limit: Int, running: Set<RenderID> = [], era: UInt64 = 0,
        at now: Double = 0
    ) {
        self.limit = max(1, limit)
        self.era = era
        entries = RenderEntries(written)
        self.nextID = max(nextID, min(written.map(\.id.number).max() ?? 0, .max - 1) + 1)
        entries.forEach(after: nil) { entry in
            index(entry, before: nil)
            return true
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

    /// Returns the changes since the last call, by number.
    public mutating func takeChanges() -> [Change] {
        defer { pending = [:] }
        entries.tidy()
        history.tidy()
        return pending.sorted { $0.key < $1.key }.map(\.value)
    }

    /// Runs `body`, and undoes all its changes if it throws.
    public mutating func all<Result, Problem: Error>(
        _ body: (inout RenderBook) throws(Problem) -> Result
    ) throws(Problem) -> Result {
        let (firstID, revision) = (nextID, history.revision)
        undo = []
        defer { undo = nil }
        do throws(Problem) {
            return try body(&self)
        } catch {
            let steps = undo ?? []
            undo = nil
            for step in steps.reversed() {
                let entry = entries[step.id]
                entries.set(step.id, step.entry, revision: step.revision)
                index(step.entry, before: entry)
                pending[step.id] = step.pending
            }
            nextID = firstID
            history.goBack(to: revision)
            throw error
        }
    }

    // MARK: Entries

    /// Changes an entry. All changes go through this function.
    mutating func change(_ id: RenderID, _ body: (inout RenderEntry) -> Void) {
        guard let old = entries[id] else { return }
        var new = old
        body(&new)
        guard new != old else { return }
        put(id, new, before: old)
    }

    mutating func add(_ ticket: RenderTicket, at now: Double) -> RenderEntry {
        var entry = RenderEntry(RenderID(nextID), ticket, at: now)
        nextID += 1
        if !isFree(entry) { entry.state = .waiting }
        put(entry.id, entry, before: nil)
        return entry
    }

    mutating func remove(_ id: RenderID) {
        guard let entry = entries[id] else { return }
        put(id, nil, before: entry)
    }

    private mutating func put(_ id: RenderID, _ entry: RenderEntry?, before old: RenderEntry?) {
        undo?.append(Undo(id: id, entry: old, revision: entries.revision(of: id), pending: pending[id]))
        let revision = history.note(id, removedFrom: entry == nil ? old?.ticket.submitter : nil)
        entries.set(id, entry, revision: revision)
        index(entry, before: old)
        pending[id] = entry.map { .put($0) } ?? .remove(id)
    }

    func known(_ key: String, of submitter: String) -> RenderEntry? {
        keys[SubmitterKey(submitter: submitter, key: key)].flatMap { entries[$0] }
    }

    /// Returns whether no other render blocks this one. Removed renders had ended.
    func isFree(_ entry: RenderEntry) -> Bool {
        entry.ticket.after.allSatisfy { entries[$0].map { $0.state == .done } ?? true }
    }

    func waiting(for id: RenderID) -> [RenderID] {
        (followers[id] ?? []).filter { entries[$0]?.state == .waiting }.sorted()
    }

    /// Returns the renders that wait for a render and have not ended.
    func openFollowers(of id: RenderID) -> [RenderID] {
        (followers[id] ?? []).filter { entries[$0].map { !$0.state.hasEnded } ?? false }.sorted()
    }

    /// Returns the number of a submitter's renders, including ended ones.
    public func count(of submitter: String) -> Int { holdings[submitter]?.renders ?? 0 }

    /// Returns the uploaded files that a submitter's renders use, by content.
    public func uploads(of submitter: String) -> Set<String> { Set((holdings[submitter]?.uploads ?? [:]).keys) }

    /// Returns whether a submitter's renders use an uploaded file.
    public func uses(_ upload: String, of submitter: String) -> Bool {
        holdings[submitter]?.uploads[upload] != nil
    }

    /// The submitters that have renders.
    public var submitters: Set<String> { Set(holdings.keys) }

    /// The active renders, in ascending order.
    public var activeIDs: [RenderID] { active.sorted() }

    private mutating func index(_ entry: RenderEntry?, before old: RenderEntry?) {
        if let old { drop(old, for: entry) }
        guard let entry else { return }
        let ticket = entry.ticket
        if old == nil {
            for id in ticket.after { followers[id, default: []].insert(entry.id) }
            if let key = ticket.key { keys[SubmitterKey(submitter: ticket.submitter, key: key)] = entry.id }
            holdings[ticket.submitter, default: Holdings()].renders += 1
            for file in ticket.uploads ?? [] {
                holdings[ticket.submitter, default: Holdings()].uploads[file, default: 0] += 1
            }
        }
        counts[entry.state, default: 0] += 1
        if entry.state == .queued { queue.insert(entry) }
        guard entry.state.isActive else { return }
        active.insert(entry.id)
        load[ticket.submitter, default: 0] += 1
    }

    /// Removes an entry from the indexes.
    /// - Parameter new: its replacement, which differs only in its state and its priority.
    private mutating func drop(_ old: RenderEntry, for new: RenderEntry?) {
        let ticket = old.ticket
        Self.count(down: &counts, old.state)
        if old.state == .queued { queue.remove(old) }
        if old.state.isActive {
            active.remove(old.id)
            Self.count(down: &load, ticket.submitter)
        }
        guard new == nil else { return }
        for id in ticket.after {
            followers[id]?.remove(old.id)
            if followers[id]?.isEmpty == true { followers[id] = nil }
        }
        if let key = ticket.key.map({ SubmitterKey(submitter: ticket.submitter, key: $0) }), keys[key] == old.id {
            keys[key] = nil
        }
        guard var own = holdings.removeValue(forKey: ticket.submitter) else { return }
        own.renders -= 1
        for file in ticket.uploads ?? [] { Self.count(down: &own.uploads, file) }
        if own.renders > 0 { holdings[ticket.submitter] = own }
    }

    private static func count<Key>(down counts: inout [Key: Int], _ key: Key) {
        guard let count = counts[key] else { return }
        counts[key] = count > 1 ? count - 1 : nil
    }

    // MARK: Scheduling

    /// Starts renders while there is room: those with the highest priority, of these one of a
    /// submitter with the fewest active renders, of these the earliest.
    mutating func admit(at now: Double) -> [Action] {
        var actions: [Action] = []
        while active.count < limit, let next = queue.first(load) {
            change(next) { entry in
                entry.state = .running
                entry.reason = nil
                entry.startedAt = entry.startedAt ?? now
                if entry.runs < .max { entry.runs += 1 }
            }
            actions.append(.begin(next))
        }
        return actions
    }
}
