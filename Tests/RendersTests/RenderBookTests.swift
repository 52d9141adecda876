import Renders
import Testing

/// What people want of renders, and what becomes of them.
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
        // An end that is told twice is none.
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
        // Another one's key is another key.
        #expect(try book.submit(ticket("bob", key: "k"), at: 1).isNew)
        #expect(book.entries.count == 2)
        // What was forgotten may come again.
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
        #expect(book.entries[third.id]?.reason == "Render 2, which it was to come after, failed.")
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

    /// Numbers of a journal that somebody has changed.
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
