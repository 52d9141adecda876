import Renders
import Testing

/// Requests for renders, and their effects.
@Suite struct RenderBookTests {
    private func ticket(
        _ submitter: String = "ann", priority: Int = 0, after: Set<RenderID> = [], key: String? = nil,
        digest: String = "d"
    ) -> RenderTicket {
        RenderTicket(
            name: "cut.lua", output: "/out.mp4", submitter: submitter, digest: digest, priority: priority, after: after,
            key: key)
    }

    private func book(_ count: Int = 0, limit: Int = 1) throws -> RenderBook {
        var book = RenderBook(limit: limit)
        for _ in 0..<count { _ = try book.submit(ticket(), at: 0) }
        return book
    }

    private func state(_ book: RenderBook, _ number: Int64) -> RenderState? { book.entries[RenderID(number)]?.state }

    @Test func `a render begins where there is room, and the next one when it has ended`() throws {
        var book = try book(2)
        #expect(state(book, 1) == .running && state(book, 2) == .queued)
        #expect(book.ended(RenderID(1), .done, at: 5) == [.begin(RenderID(2))])
        #expect(state(book, 1) == .done && book.entries[RenderID(1)]?.endedAt == 5)
        // A repeated end is ignored.
        #expect(book.ended(RenderID(1), .failed(reason: "late"), at: 6) == [])
        #expect(state(book, 1) == .done)
    }

    @Test func `who has most running waits, and a higher priority goes before all`() throws {
        var book = RenderBook(limit: 2)
        for _ in 0..<3 { _ = try book.submit(ticket("ann"), at: 0) }
        let bob = try book.submit(ticket("bob"), at: 0).entry.id
        #expect(book.ended(RenderID(1), .done, at: 1) == [.begin(bob)])
        let urgent = try book.submit(ticket("ann", priority: 5), at: 2).entry.id
        #expect(book.ended(bob, .done, at: 3) == [.begin(urgent)])
        #expect(book.ended(urgent, .done, at: 3) == [.begin(RenderID(3))])
    }

    @Test func `a key is one render`() throws {
        var book = RenderBook(limit: 1)
        let first = try book.submit(ticket(key: "k"), at: 0)
        let again = try book.submit(ticket(key: "k"), at: 9)
        #expect(first.isNew && !again.isNew && again.entry.id == first.entry.id && again.actions == [])
        #expect(throws: RenderBook.Refusal.self) { try book.submit(ticket(key: "k", digest: "other"), at: 1) }
        // The same key of another submitter is another key.
        #expect(try book.submit(ticket("bob", key: "k"), at: 1).isNew)
        #expect(book.entries.count == 2)
        // A purged key may be used again.
        _ = book.ended(first.entry.id, .done, at: 2)
        try book.purge(first.entry.id)
        #expect(try book.submit(ticket(key: "k"), at: 3).entry.id == RenderID(3))
    }

    @Test func `a render waits for those it comes after, and fails with them`() throws {
        var book = try book(1, limit: 4)
        let second = try book.submit(ticket(after: [RenderID(1)]), at: 0).entry
        let third = try book.submit(ticket(after: [RenderID(1), second.id]), at: 0).entry
        #expect(second.state == .waiting && third.state == .waiting)
        #expect(book.ended(RenderID(1), .done, at: 1) == [.begin(second.id)])
        #expect(state(book, 3) == .waiting)
        #expect(book.ended(second.id, .failed(reason: "no"), at: 2) == [])
        #expect(state(book, 3) == .failed)
        #expect(book.entries[third.id]?.reason == "Render 2, which this render waits for, failed.")
        #expect(throws: RenderBook.Refusal.self) { try book.submit(ticket(after: [second.id]), at: 3) }
        #expect(throws: RenderBook.Refusal.self) { try book.submit(ticket(after: [RenderID(99)]), at: 3) }
        // It fails again as long as the other has failed.
        #expect(try book.retry(third.id, at: 4) == [] && state(book, 3) == .failed)
        #expect(try book.retry(second.id, at: 5) == [.begin(second.id)])
        #expect(try book.retry(third.id, at: 6) == [] && state(book, 3) == .waiting)
        #expect(book.ended(second.id, .done, at: 7) == [.begin(third.id)])
    }

    @Test func `pausing and cancelling end what runs, and what was faster is done`() throws {
        var book = try book(1)
        #expect(try book.pause(RenderID(1), at: 1) == [.stop(RenderID(1))])
        #expect(try book.pause(RenderID(1), at: 1) == [])
        #expect(throws: RenderBook.Refusal.self) { try book.resume(RenderID(1), at: 1) }
        #expect(book.ended(RenderID(1), .stopped, at: 2) == [] && state(book, 1) == .paused)
        #expect(try book.resume(RenderID(1), at: 3) == [.begin(RenderID(1))])
        #expect(book.entries[RenderID(1)]?.runs == 2)
        #expect(try book.cancel(RenderID(1), at: 4) == [.stop(RenderID(1))])
        #expect(throws: RenderBook.Refusal.self) { try book.pause(RenderID(1), at: 4) }
        #expect(book.ended(RenderID(1), .done, at: 5) == [] && state(book, 1) == .done)
        #expect(throws: RenderBook.Refusal.self) { try book.cancel(RenderID(1), at: 6) }
        #expect(throws: RenderBook.Refusal.self) { try book.retry(RenderID(1), at: 6) }
    }

    @Test func `what the machine lacks pauses a render with the reason`() throws {
        var book = try book(2)
        #expect(book.ended(RenderID(1), .lacking(reason: "The disk is full."), at: 1) == [.begin(RenderID(2))])
        #expect(state(book, 1) == .paused && book.entries[RenderID(1)]?.reason == "The disk is full.")
        #expect(book.entries[RenderID(1)]?.endedAt == nil)
        _ = book.ended(RenderID(2), .done, at: 2)
        #expect(try book.resume(RenderID(1), at: 3) == [.begin(RenderID(1))])
        #expect(book.entries[RenderID(1)]?.reason == nil)
    }

    @Test func `a book that was written down goes on`() throws {
        var book = try book(5, limit: 3)
        _ = try book.pause(RenderID(1), at: 1)
        _ = try book.cancel(RenderID(2), at: 1)
        var again = RenderBook(Array(book.entries.values), nextID: book.nextID, limit: 3)
        #expect((1...5).map { state(again, $0) } == [.paused, .cancelled, .queued, .queued, .queued])
        #expect(again.takeChanges().count == 3, "what ran is written down as what it is now")
        #expect(again.start(at: 2) == [.begin(RenderID(3)), .begin(RenderID(4)), .begin(RenderID(5))])
        #expect(try again.submit(ticket(), at: 3).entry.id == RenderID(6))
    }

    @Test func `only what has ended is forgotten`() throws {
        var book = try book(2)
        #expect(throws: RenderBook.Refusal.self) { try book.purge(RenderID(2)) }
        #expect(throws: RenderBook.Refusal.self) { try book.purge(RenderID(9)) }
        _ = try book.cancel(RenderID(2), at: 0)
        _ = book.takeChanges()
        try book.purge(RenderID(2))
        #expect(book.takeChanges() == [.remove(RenderID(2))] && book.entries.count == 1)
    }

    @Test func `cursors of other books, of the future and of nonsense begin anew`() throws {
        var book = RenderBook(limit: 1, era: 7)
        let all = RenderInterest()
        _ = try book.submit(ticket(), at: 0)
        let now = book.cursor
        #expect(now == RenderCursor(era: 7, revision: 2))
        for revision in [Int64.min, -1, 3, .max] {
            for interest in [all, RenderInterest([RenderID(1)])] {
                let cursor = RenderCursor(era: 7, revision: revision)
                #expect(book.changes(since: cursor, for: interest) == nil, "\(revision)")
            }
        }
        #expect(book.changes(since: RenderCursor(era: 8, revision: 0), for: all) == nil)
        #expect(book.changes(since: now, for: all)?.isEmpty == true)
        let start = RenderCursor(era: 7, revision: 0)
        #expect(book.changes(since: start, for: all)?.entries.map(\.id) == [RenderID(1)])
        #expect(book.changes(since: start, for: all, limit: .min)?.entries.count == 1)
        #expect(book.changes(since: start, for: RenderInterest(of: "bob"))?.isEmpty == true)
    }

    /// The history is limited, however many changes there are; the changes that it still has are
    /// correct.
    @Test func `a client that is far behind begins anew`() throws {
        var book = RenderBook(limit: 1)
        let id = try book.submit(ticket(), at: 0).entry.id
        let start = book.cursor
        var late = start
        for number in 0..<150_000 {
            try book.prioritise(id, number % 2)
            _ = book.takeChanges()
            if number == 140_000 { late = book.cursor }
        }
        #expect(book.changes(since: start, for: RenderInterest()) == nil)
        let changes = try #require(book.changes(since: late, for: RenderInterest()))
        #expect(changes.entries.count == 1 && changes.cursor == book.cursor)
    }

    @Test func `removed entries are forgotten and others stay in order`() throws {
        var book = RenderBook(limit: 1)
        for _ in 0..<5000 { _ = try book.submit(ticket(key: nil), at: 0) }
        for number in Int64(2)...4000 { _ = try book.cancel(RenderID(number), at: 1) }
        let cursor = book.cursor
        for number in Int64(2)...4000 where number % 7 != 0 {
            try book.purge(RenderID(number))
            if number % 100 == 0 { _ = book.takeChanges() }
        }
        _ = book.takeChanges()
        let expected = (Int64(1)...5000).filter { !(2...4000).contains($0) || $0 % 7 == 0 }
        #expect(book.entries.keys.map(\.number) == expected && book.entries.count == expected.count)
        #expect(book.entries[RenderID(3)] == nil && book.entries[RenderID(7)]?.state == .cancelled)
        #expect(book.changes(since: cursor, for: RenderInterest([RenderID(3)]))?.gone == [RenderID(3)])
        var seen: [Int64] = []
        book.entries.forEach(after: RenderID(4000)) { entry in
            seen.append(entry.id.number)
            return seen.count < 3
        }
        #expect(seen == [4001, 4002, 4003])
        book.entries.forEach(after: RenderID(.max)) { _ in
            Issue.record("nothing comes after the last")
            return true
        }
    }

    @Test func `watchers are bounded, and one whose time is no number is answered`() {
        var watchers = RenderWatchers(.init(all: 4, perClient: 2))
        let all = RenderInterest()
        let first = watchers.add("ann", for: all, until: 10)
        let second = watchers.add("ann", for: all, until: 5)
        #expect(first.crowdedOut == [] && second.crowdedOut == [] && watchers.deadline == 5)
        #expect(watchers.add("ann", for: all, until: 20).crowdedOut == [first.id])
        let third = watchers.add("bob", for: all, until: .nan)
        #expect(watchers.expire(at: -.greatestFiniteMagnitude) == [third.id])
        for name in ["b", "c"] { #expect(watchers.add(name, for: all, until: .infinity).crowdedOut == []) }
        #expect(watchers.add("d", for: all, until: 1).crowdedOut == [second.id] && watchers.count == 4)
        #expect(watchers.wake([:]) == [] && watchers.wake([RenderID(1): "x"]).count == 4 && watchers.count == 0)
    }

    /// Entries of a journal that was modified by hand.
    @Test func `extremes in every field stop nothing`() throws {
        var first = RenderBook(limit: 2)
        for priority in [Int.min, .max, 0] {
            _ = try first.submit(
                RenderTicket(name: "a", output: "/a", submitter: "s", digest: "", priority: priority), at: -.infinity)
        }
        let written = first.entries.values.map { entry -> RenderEntry in
            var entry = entry
            entry.id = RenderID(random(entry.id.number))
            (entry.submittedAt, entry.ticket.after) = (.infinity, [RenderID(.min), RenderID(.max)])
            return entry
        }
        for nextID in [Int64.min, 0, .max] {
            var book = RenderBook(written, nextID: nextID, limit: .max, at: .nan)
            _ = book.start(at: .infinity)
            for id in book.entries.keys.sorted() { _ = try? book.cancel(id, at: .nan) }
            #expect(book.entries.count == 3)
        }
    }

    private func random(_ number: Int64) -> Int64 { [1: Int64.min, 2: 0, 3: .max][number] ?? number }
}
