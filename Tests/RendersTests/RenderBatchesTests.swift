import Renders
import TestSupport
import Testing

/// Renders that are submitted in chunks.
@Suite struct RenderBatchesTests {
    private typealias Row = Result<(ticket: RenderTicket, bytes: Int), RenderBook.Refusal>

    private static func row(_ key: String? = nil, digest: String = "d", bytes: Int = 10) -> Row {
        .success((RenderTicket(name: "a", output: "/a", submitter: "ann", digest: digest, key: key), bytes))
    }

    private static func id(_ number: UInt64 = 1, of submitter: String = "ann") -> RenderBatches.ID {
        RenderBatches.ID(submitter: submitter, number: number)
    }

    private let book = RenderBook(limit: 1)

    private func limits(_ change: (inout RenderBatches.Limits) -> Void) -> RenderBatches {
        var limits = RenderBatches.Limits()
        change(&limits)
        return RenderBatches(limits)
    }

    @Test func `chunks in order make a batch, once`() throws {
        var batches = RenderBatches()
        for first in [0, 2, 4] {
            #expect(try batches.stage(Self.id(), from: first, [Self.row(), Self.row()], in: book, at: 0) == [])
        }
        #expect(try batches.finish(Self.id(), count: 6).count == 6)
        #expect(throws: RenderBook.Refusal.self) { try batches.finish(Self.id(), count: 6) }
        #expect(batches.count == 0)
    }

    @Test func `a chunk that is missing, or comes twice, drops the batch`() throws {
        for first in [1, 3, -1, .max, .min] {
            var batches = RenderBatches()
            _ = try batches.stage(Self.id(), from: 0, [Self.row(), Self.row()], in: book, at: 0)
            #expect(throws: RenderBook.Refusal.self) {
                try batches.stage(Self.id(), from: first, [Self.row()], in: book, at: 0)
            }
            #expect(batches.count == 0)
            // Another client's batch with the same number is another batch.
            #expect(throws: RenderBook.Refusal.self) { try batches.finish(Self.id(), count: 2) }
        }
        var batches = RenderBatches()
        _ = try batches.stage(Self.id(), from: 0, [Self.row()], in: book, at: 0)
        // The first one starts again.
        _ = try batches.stage(Self.id(), from: 0, [Self.row(), Self.row()], in: book, at: 0)
        for count in [1, 3, 0, -1] {
            var copy = batches
            #expect(throws: RenderBook.Refusal.self) { try copy.finish(Self.id(), count: count) }
            #expect(copy.count == 0)
        }
        #expect(throws: RenderBook.Refusal.self) { try batches.finish(Self.id(of: "bob"), count: 2) }
        #expect(try batches.finish(Self.id(), count: 2).count == 2)
    }

    @Test func `each row that is refused is named, and the batch is not taken in`() throws {
        var book = RenderBook(limit: 1)
        let known = RenderTicket(name: "a", output: "/a", submitter: "ann", digest: "other", key: "old")
        _ = try book.submit(known, at: 0)
        var batches = RenderBatches()
        let chunk = [Self.row("k"), .failure(RenderBook.Refusal("no")), Self.row("old")]
        let problems = try batches.stage(Self.id(), from: 0, chunk, in: book, at: 0)
        #expect(problems.map(\.row) == [1, 2] && problems[0].reason == "no")
        #expect(problems[1].reason.contains("Render 1 has the same key"))
        // The key of a previous row, for the same request and for another one.
        let more = try batches.stage(
            Self.id(), from: 3, [Self.row("k"), Self.row("k", digest: "e"), Self.row()], in: book, at: 0)
        #expect(more.map(\.row) == [4] && more[0].reason.contains("Row 1 has the same key"))
        #expect(throws: RenderBook.Refusal.self) { try batches.finish(Self.id(), count: 6) }
        #expect(batches.count == 0)
    }

    @Test func `a key in two chunks is one render`() throws {
        var (book, batches) = (book, RenderBatches())
        _ = try batches.stage(Self.id(), from: 0, [Self.row("k")], in: book, at: 0)
        _ = try batches.stage(Self.id(), from: 1, [Self.row("k"), Self.row("l")], in: book, at: 0)
        let ids = try batches.finish(Self.id(), count: 3).map { try book.submit($0, at: 0).entry.id }
        #expect(ids == [RenderID(1), RenderID(1), RenderID(2)])
    }

    @Test func `a client that vanishes leaves nothing`() throws {
        var batches = RenderBatches()
        _ = try batches.stage(Self.id(1), from: 0, [Self.row()], in: book, at: 0)
        _ = try batches.stage(Self.id(2), from: 0, [Self.row()], in: book, at: 30)
        #expect(batches.deadline == 60 && batches.expire(at: 59) == [])
        _ = try batches.stage(Self.id(1), from: 1, [Self.row()], in: book, at: 59)
        #expect(batches.expire(at: 90) == [Self.id(2)] && batches.contains(Self.id(1)))
        #expect(batches.expire(at: .nan) == [Self.id(1)] && batches.deadline == nil)
        #expect(throws: RenderBook.Refusal.self) { try batches.finish(Self.id(1), count: 2) }
        _ = try batches.stage(Self.id(3), from: 0, [Self.row()], in: book, at: 0)
        batches.abandon(Self.id(3))
        #expect(batches.count == 0 && batches.rows(of: "ann") == 0)
    }

    @Test func `what chunks may come to is bounded`() throws {
        var few = limits { $0.batchesOfOne = 2 }
        for number in [UInt64(1), 2] { _ = try few.stage(Self.id(number), from: 0, [Self.row()], in: book, at: 0) }
        #expect(throws: RenderBook.Refusal.self) { try few.stage(Self.id(3), from: 0, [Self.row()], in: book, at: 0) }
        // It may continue with the existing ones, and others may start.
        _ = try few.stage(Self.id(1), from: 1, [Self.row()], in: book, at: 0)
        _ = try few.stage(Self.id(1, of: "bob"), from: 0, [Self.row()], in: book, at: 0)

        var rows = limits { ($0.rowsOfOne, $0.rows) = (5, 7) }
        _ = try rows.stage(Self.id(1), from: 0, Array(repeating: Self.row(), count: 3), in: book, at: 0)
        #expect(throws: RenderBook.Refusal.self) {
            try rows.stage(Self.id(2), from: 0, Array(repeating: Self.row(), count: 3), in: book, at: 0)
        }
        #expect(throws: RenderBook.Refusal.self) {
            try rows.stage(Self.id(1, of: "bob"), from: 0, Array(repeating: Self.row(), count: 5), in: book, at: 0)
        }
        #expect(rows.rows(of: "ann") == 3 && rows.rows(of: "bob") == 0)

        var bytes = limits { $0.bytesOfOne = 100 }
        _ = try bytes.stage(Self.id(), from: 0, [Self.row(bytes: 60)], in: book, at: 0)
        #expect(throws: RenderBook.Refusal.self) {
            try bytes.stage(Self.id(), from: 1, [Self.row(bytes: 60)], in: book, at: 0)
        }
        #expect(bytes.count == 0)
    }
}
