import ArgumentParser
import Foundation
import Journal
import Renders

/// A journal as a server leaves it that has rendered very much: real renders of so many would take
/// an hour.
struct Fill: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Writes renders that are done into the journal of a server that does not run.")

    @Option(help: "Renders.") var renders = 100_000
    @Option(help: "Bytes of what was asked of each.") var request = 1024
    @Option(help: "The server's folder.") var state: String

    func run() async throws {
        let journal = try Journal(folder: state)
        let now = Date().timeIntervalSince1970
        var book = RenderBook(limit: 1, at: now)
        let data = Data(count: request)
        for number in 1...max(1, renders) {
            let ticket = RenderTicket(
                name: "/home/ann/cards/card.lua", output: "/home/ann/cards/out/\(number).mp4", submitter: "ann",
                digest: String(repeating: "0123456789abcdef", count: 4), key: "cards/\(number)")
            let id = try book.submit(ticket, at: now).entry.id
            _ = book.ended(id, .done, at: now)
            guard number.isMultiple(of: 5000) || number == renders else { continue }
            let records = book.takeChanges().map { JournalRecord($0) }
            let ids = records.compactMap { record in if case .entry(let entry) = record { entry.id } else { nil } }
            try await journal.write(records + ids.map { .request($0, data) })
        }
        print(#"{"jobs":\#(renders),"failures":0}"#)
    }
}
