import Composition
import Foundation
import Journal
import Renders
import TestSupport
import Testing

@testable import HostCore
@testable import ServerClient

extension EndToEnd {
    /// A server with very many renders, and large submissions.
    @Suite struct ManyRendersTests {
        private static func submission(_ name: String, key: String? = nil) -> ServerRequest.Submission {
            ServerRequest.Submission(
                request: RenderRequest(name: name, document: "{}", output: "/nowhere/\(name).mp4"), priority: 0,
                tags: [], after: [], key: key)
        }

        private static func connect(_ bench: ServerBench) throws -> ServerConnection {
            try ServerConnection(try ServerPlace(bench.studio.file("state/cutroom")))
        }

        private static func list(_ bench: ServerBench) throws -> [RenderStatus] {
            var connection = try connect(bench)
            guard case .page(let found, _) = try connection.ask(.list(ServerRequest.Listing(all: true))) else {
                return []
            }
            return found
        }

        @Test func `chunks are taken in together, and of a broken submission nothing stays`() throws {
            let bench = try ServerBench()
            let two = [Self.submission("a", key: "k"), Self.submission("b")]
            func stage(_ batch: UInt64, from first: Int, _ rows: [ServerRequest.Submission]) throws -> Int? {
                var connection = try Self.connect(bench)
                guard case .checked(let problems) = try connection.ask(.stage(batch, from: first, rows)) else {
                    return nil
                }
                return problems.count
            }
            func refusal(_ ask: ServerRequest.Operation) throws -> String? {
                var connection = try Self.connect(bench)
                do throws(HostError) { _ = try connection.ask(ask) } catch { return error.message }
                return nil
            }
            // A client that disconnects, one whose chunk is lost, and one that gives up.
            #expect(try stage(1, from: 0, two) == 0 && stage(2, from: 0, two) == 0 && stage(3, from: 0, two) == 0)
            #expect(try refusal(.stage(2, from: 3, two))?.contains("submit again") == true)
            #expect(try refusal(.finish(2, count: 2))?.contains("incomplete") == true)
            #expect(try refusal(.abandon(3)) == nil)
            #expect(try refusal(.finish(3, count: 2)) != nil && Self.list(bench).isEmpty)
            // The server is killed between chunks.
            bench.kill()
            try bench.startAgain()
            #expect(try refusal(.finish(1, count: 2)) != nil && refusal(.stage(1, from: 2, two)) != nil)
            #expect(try Self.list(bench).isEmpty)
            let left = try FileManager.default.contentsOfDirectory(atPath: bench.studio.file("state/cutroom"))
            #expect(left.filter { $0.hasPrefix(".staged") } == [])
            // A submission with a refused row, whose key belongs to another render.
            #expect(try stage(4, from: 0, two) == 0 && stage(4, from: 2, [Self.submission("c", key: "k")]) == 1)
            #expect(try refusal(.finish(4, count: 3)) != nil && Self.list(bench).isEmpty)
            // A valid submission; the same key in two chunks is the same render.
            #expect(try stage(5, from: 0, two) == 0 && stage(5, from: 2, [two[0], Self.submission("d")]) == 0)
            var connection = try Self.connect(bench)
            guard case .submitted(let receipts) = try connection.ask(.finish(5, count: 4)) else {
                Issue.record("it was not taken in")
                return
            }
            #expect(receipts.map(\.id.number) == [1, 2, 1, 3] && receipts.map(\.isNew) == [true, true, false, true])
            #expect(try Self.list(bench).count == 3)
            // The disk contains exactly what was acknowledged.
            bench.kill()
            try bench.startAgain()
            #expect(try Self.list(bench).map(\.entry.ticket.name) == ["a", "b", "d"])
            bench.server.send(SIGTERM)
            #expect(bench.server.wait().succeeded)
        }

        @Test func `who watches is answered when something changes, and nonsense begins anew`() throws {
            let bench = try ServerBench()
            try bench.studio.script("draft:add_clip(\(Footage.pattern.lua), { range = { 0, 1 } })")
            #expect(try bench.ask("submit", "edit.lua", "-o", "a.mp4", "--tag", "none").succeeded)
            #expect(try bench.ask("jobs", "pause", "1").succeeded && bench.wait("1", for: .paused))
            var connection = try Self.connect(bench)
            guard case .page(_, let page) = try connection.ask(.list(ServerRequest.Listing(ids: [RenderID(1)]))) else {
                Issue.record("there is no list")
                return
            }
            let now = page.cursor
            for revision in [Int64.min, -1, now.revision + 1, .max] {
                let watch = ServerRequest.Watch(since: RenderCursor(era: now.era, revision: revision), seconds: 30)
                guard case .startOver = try connection.ask(.watch(watch)) else {
                    Issue.record("\(revision) was taken for a revision")
                    continue
                }
            }
            // Deadlines in the past, and invalid ids.
            for (seconds, ids) in [(-1.0, nil), (0, [RenderID(1)]), (0, [RenderID(.min), RenderID(.max)])] {
                let watch = ServerRequest.Watch(since: now, ids: ids, seconds: seconds)
                guard case .rows(let answer) = try connection.ask(.watch(watch)) else {
                    Issue.record("\(seconds) is not answered")
                    continue
                }
                #expect(answer.cursor == now && answer.gone.isEmpty)
            }
            // It waits until the render changes, and is then answered, whatever its time limit is.
            let number = try connection.post(
                .watch(ServerRequest.Watch(since: now, ids: [RenderID(1)], seconds: .greatestFiniteMagnitude)))
            #expect(try bench.ask("jobs", "cancel", "1").succeeded)
            let (answered, say, bytes) = try connection.next()
            #expect(answered == number)
            if case .rows(let answer) = say { #expect(answer.cursor.revision > now.revision) }
            #expect(try RenderRow.rows(in: bytes).map(\.state) == [.cancelled])
            #expect(try bench.ask("jobs", "purge", "1").succeeded)
            let (gone, _) = try connection.fetch(
                .watch(ServerRequest.Watch(since: now, ids: [RenderID(1)], seconds: 5)))
            if case .rows(let answer) = gone { #expect(answer.gone == [RenderID(1)]) }
            bench.server.send(SIGTERM)
            #expect(bench.server.wait().succeeded)
        }

        @Test func `a list of many pages is whole, in order, and follows what changes`() async throws {
            let bench = try ServerBench()
            bench.kill()
            let count = Int64(ServerRequest.Listing.most) + 700
            do {
                let journal = try Journal(folder: bench.studio.file("state/cutroom"))
                var book = RenderBook(limit: 1)
                let now = Date().timeIntervalSince1970
                for number in 1...count {
                    let ticket = RenderTicket(
                        name: "card.lua", output: "/out/\(number).mp4", submitter: "ann", digest: "")
                    let id = try book.submit(ticket, at: now).entry.id
                    _ = number == 1 ? try book.pause(id, at: now) : try book.cancel(id, at: now)
                }
                try await journal.write(book.takeChanges().map { JournalRecord($0) })
            }
            try bench.startAgain()
            let lines = try bench.ask("jobs", "list").text.split(separator: "\n")
            #expect(lines.count == Int(count) + 1 && lines[0].hasPrefix("RENDER"))
            let numbers = lines.dropFirst().compactMap { $0.split(separator: " ").first.flatMap { Int64($0) } }
            #expect(numbers == Array(1...count))
            let json = try bench.ask("jobs", "list", "--json")
            let found = try JSONSerialization.jsonObject(with: json.stdout) as? [Any]
            #expect(found?.count == Int(count))
            // All that have not ended are one.
            let watch = try bench.studio.start(["jobs", "watch"])
            #expect(Command.until { watch.stdoutSoFar.contains("paused") })
            #expect(try bench.ask("jobs", "cancel", "1").succeeded)
            let end = watch.wait(timeout: 30)
            #expect(end.succeeded && end.text.split(separator: "\n").count == 3, "\(end)")
            bench.server.send(SIGTERM)
            #expect(bench.server.wait().succeeded)
        }
    }
}
