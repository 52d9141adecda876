import Foundation
import Renders
import TestSupport
import Testing

@testable import HostCore
@testable import ServerClient

/// Rows of a list on their way from a server to a terminal.
@Suite struct RowPrinterTests {
    private static func status(_ number: Int64, _ output: String, name: String = "a/b.lua", waits: String? = nil) throws
        -> RenderStatus
    {
        var book = RenderBook(nextID: number, limit: 1)
        let ticket = RenderTicket(name: name, output: output, submitter: "ann", digest: "", priority: -5)
        let entry = try book.submit(ticket, at: 0).entry
        return RenderStatus(entry: entry, stage: "rendering", done: 1, total: 3, waits: waits)
    }

    private static func page(_ statuses: [RenderStatus]) -> Data {
        Data(RenderRow.text(statuses).utf8)
    }

    private static func table(_ pages: [Data?]) throws -> String {
        var printer = RowPrinter()
        for page in pages { try printer.add(page) }
        return String(decoding: printer.table(), as: UTF8.self)
    }

    @Test func `columns are as wide as what is in them, on all pages`() throws {
        let pages = [
            Self.page([try Self.status(1, "/out/a.mp4"), try Self.status(2, "/b")]), nil, Data(),
            Self.page([try Self.status(1_234_567, "/out/c.mp4", waits: "no worker has the tag")]),
        ]
        #expect(
            try Self.table(pages) == """
                RENDER   STATE    DONE                          PRIORITY  SUBMITTER  NAME   OUTPUT
                1        running  33 % rendering                -5        ann        b.lua  /out/a.mp4
                2        running  33 % rendering                -5        ann        b.lua  /b
                1234567  running  waits: no worker has the tag  -5        ann        b.lua  /out/c.mp4

                """)
        #expect(try Self.table([]) == "RENDER  STATE  DONE  PRIORITY  SUBMITTER  NAME  OUTPUT\n")
    }

    @Test func `the fast way and the careful way print the same`() throws {
        let cases = Seed.cases(200)
        let seed = Seed.announced(for: "RowPrinter", cases: cases)
        for index in 0..<cases {
            var random = SplitMix64.forCase(index, of: seed)
            let statuses = try (1...Int64.random(in: 1...20, using: &random)).map { number in
                let length = Int.random(in: 1...40, using: &random)
                // Some rows have characters of several bytes, and of several scalars.
                let letters = Array(random.chance(1, in: 3) ? "aé‘’世👩‍🚀e\u{301}" : "abcXYZ019 ~!")
                let name = (0..<length).map { _ in random.pick(letters) }
                return try Self.status(number, "/" + String(name), name: String(name.reversed()) + "x")
            }
            let plain = try Self.table(
                Bool.random(using: &random) ? [Self.page(statuses)] : statuses.map { Self.page([$0]) })
            let rows = [RenderRow.titles] + statuses.map { RenderRow($0).columns }
            // The last column has no padding, so trailing spaces of a name remain only on the fast
            // path.
            func trimmed(_ text: String) -> [String] {
                text.split(separator: "\n").map { line in String(line.reversed().drop { $0 == " " }.reversed()) }
            }
            #expect(trimmed(plain) == trimmed(alignedText(rows)), "seed \(seed), case \(index)")
            #expect(try RenderRow.rows(in: Self.page(statuses)) == statuses.map { RenderRow($0) })
        }
    }

    @Test func `no character reaches the terminal that it would obey`() throws {
        let wild = "/o\u{1B}[2Jut\u{202E}/\u{7F}x.mp4"
        let text = try Self.table([Self.page([try Self.status(1, wild), try Self.status(2, "/größer/é.mp4")])])
        #expect(!text.hasInvisibleCommands(except: "\n") && text.contains("/größer/é.mp4") && text.contains("\\u001b"))
        // A special row does not change the columns of others.
        let places = text.components(separatedBy: "\n").dropFirst().dropLast().map { line in
            line.firstIndex(of: "/").map { line.distance(from: line.startIndex, to: $0) }
        }
        let heading = text.range(of: "OUTPUT").map { text.distance(from: text.startIndex, to: $0.lowerBound) }
        #expect(places == [heading, heading])
        // A cell may begin with a mark that combines with the tab before it.
        let joined = Self.page([try Self.status(4, "\u{301}/a", name: "\u{301}")])
        #expect(try Self.table([joined]).contains("4"))
        #expect(try RenderRow.rows(in: joined).map { $0.columns[6] } == ["\u{301}/a"])
        // Tabs and line breaks in a name do not start cells.
        let odd = Self.page([try Self.status(3, "/a\tb\nc\r\nd")])
        #expect(try RenderRow.rows(in: odd).map { $0.columns[6] } == ["/a b c d"])
    }

    /// A server may send any bytes.
    @Test func `bytes that are not rows are refused`() throws {
        let good = String(decoding: Self.page([try Self.status(1, "/a")]), as: UTF8.self)
        let wrong = [
            "x", "\n", "1\trunning\n", good + "2", String(good.dropLast()), good.replacing("\t", with: " "),
        ]
        for text in wrong {
            #expect(throws: HostError.self, "\(text.debugDescription)") { try Self.table([Data(text.utf8)]) }
        }
        for text in ["x\trunning\t\t\t\t\t\n", "1\tflying\t\t\t\t\t\n", "1\trunning\n"] {
            #expect(throws: HostError.self) { try RenderRow.rows(in: Data(text.utf8)) }
        }
        let cases = Seed.cases(500)
        let seed = Seed.announced(for: "RowPrinter, bytes", cases: cases)
        for index in 0..<cases {
            var random = SplitMix64.forCase(index, of: seed)
            var bytes = Array(good.utf8) + Array(good.utf8)
            for _ in 0..<Int.random(in: 1...5, using: &random) {
                bytes[Int.random(in: 0..<bytes.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
            }
            guard let text = try? Self.table([Data(bytes)]) else { continue }
            #expect(!text.hasInvisibleCommands(except: "\n\t"), "seed \(seed), case \(index)")
        }
    }

    @Test func `what comes anew on a terminal fits it, elsewhere it is what has changed`() throws {
        let rows = try (1...100).map { RenderRow(try Self.status($0, "/\($0)")) }
        let known = Dictionary(uniqueKeysWithValues: rows.map { ($0.id, $0) })
        var terminal = WatchScreen(isTerminal: true, height: 24)
        let first = terminal.text(known, [])
        #expect(first.split(separator: "\n").count == 23 && first.contains("… 79 more; 0 of 100 have ended"))
        #expect(terminal.text(known, []).hasPrefix("\u{1B}[23F\u{1B}[J"))
        var file = WatchScreen(isTerminal: false, height: 24)
        #expect(file.text(known, Set(known.keys)).split(separator: "\n").count == 101)
        #expect(file.text(known, [RenderID(7)]).hasPrefix("7  running"))
        #expect(file.text(known, []) == "")
    }
}

extension String {
    fileprivate func hasInvisibleCommands(except allowed: String) -> Bool {
        filter { !allowed.contains($0) }.hasInvisibleCommands
    }
}
