/// The renders of a server: which there are, and which of them run. A value: it is told what people want and what has happened, and answers
/// with what is to be done. It does no I/O and has no clock.
///
/// What it changes it notes in ``changes``. Whoever drives it writes these down whole, at once,
/// before it does anything else about the event or answers it. So what was written down is always a
/// state between two events, and a book that is made from it
/// (``init(_:nextID:limit:running:era:at:)``) goes on from there.
///
/// What holds at all times:
/// - An entry that has ended changes only by ``retry(_:at:)`` and ``purge(_:)``.
/// - At most ``limit`` renders are active.
/// - A submitter's key belongs to one render.
/// - No render runs before those that it comes after are done.
/// - A revision grows with each change; ``changes(since:for:limit:)`` tells what has changed since
///   one.
public struct RenderBook: Sendable {
    public private(set) var entries: RenderEntries
    /// The most renders that may be active at a time.
    public let limit: Int
    public private(set) var nextID: Int64
    /// Tells this book's revisions from those of another.
    public let era: UInt64
    /// The number of renders in each state; states without renders are missing.
    public private(set) var counts: [RenderState: Int] = [:]
    private(set) var history = RenderHistory()
    /// What is to be written down since ``takeChanges()`` was asked last.
    private var pending: [RenderID: Change] = [:]
    /// What ``all(_:)`` takes back where its body throws; nil outside of it.
    private var undo: [Undo]?

    // What entries are found by, each kept by `index`.
    private var keys: [SubmitterKey: RenderID] = [:]
    private var queue = RenderQueue()
    private var active: Set<RenderID> = []
    /// The number of active renders of each submitter.
    private var load: [String: Int] = [:]
    /// The renders that wait for one.
    private var followers: [RenderID: Set<RenderID>] = [:]
    private var holdings: [String: Holdings] = [:]

    /// What a submitter has.
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
    ///   - era: differs from that of any other book whose revisions clients may still know.
    ///   - now: when what was being cancelled has ended.
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

    /// What has changed since this was asked last, by number.
    public mutating func takeChanges() -> [Change] {
        defer { pending = [:] }
        entries.tidy()
        history.tidy()
        return pending.sorted { $0.key < $1.key }.map(\.value)
    }

    /// Runs `body`, and takes back everything that it has changed where it throws.
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

    /// The one place where an entry changes.
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

    /// The number of renders that a submitter has, those that have ended included.
    public func count(of submitter: String) -> Int { holdings[submitter]?.renders ?? 0 }

    /// What a submitter's renders use of the files that were uploaded, by content.
    public func uploads(of submitter: String) -> Set<String> { Set((holdings[submitter]?.uploads ?? [:]).keys) }

    /// Whether a submitter's renders use an uploaded file.
    public func uses(_ upload: String, of submitter: String) -> Bool {
        holdings[submitter]?.uploads[upload] != nil
    }

    /// The submitters that have renders.
    public var submitters: Set<String> { Set(holdings.keys) }

    /// The renders that are active, in ascending order.
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

    /// Removes an entry from what it is found by.
    /// - Parameter new: what comes in its place: nothing but its state and its priority differ.
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

    // MARK: Who goes next

    /// Begins what there is room for: what has the highest priority, of these one of a submitter who has fewest active, of these the earliest.
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
