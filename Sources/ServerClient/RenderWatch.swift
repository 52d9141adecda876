import Foundation
import Glibc
import HostCore
import Renders

/// Follows a server's renders. The server answers when something has changed, so following costs
/// next to nothing in between. Blocks: do not call from asynchronous code that others wait for.
package struct RenderWatch {
    private let server: ServerAddress
    /// How long the server waits for a change before it answers anyway, in seconds.
    static let hold = 20.0
    /// The time limit for such an answer.
    package static let patience = Duration.seconds(hold) + ServerConnection.patience
    /// The shortest interval between two requests, in microseconds: rapid changes are reported
    /// together.
    private static let interval: UInt32 = 200_000

    package init(_ server: ServerAddress) { self.server = server }

    /// Shows a table that is updated in place, or new lines if the output is not a terminal, until
    /// all renders have ended.
    /// - Parameter ids: empty: all renders that have not ended now.
    /// - Throws: the errors of the renders that failed. A render that was cancelled is no error.
    package func watch(_ ids: [RenderID]) throws {
        var screen = WatchScreen(isTerminal: Console.isTerminal, height: Console.height)
        var last: [RenderID: RenderRow] = [:]
        try follow(ids) { known, changed in
            Console.write(screen.text(known, changed), to: STDOUT_FILENO)
            last = known
        }
        try refuse(last.values.filter { $0.state == .failed }.map(\.id).sorted())
    }

    /// Waits until renders have ended.
    /// - Throws: the errors of the renders that are not done.
    package func wait(for ids: [RenderID]) throws {
        var last: [RenderID: RenderRow] = [:]
        try follow(ids) { known, _ in last = known }
        try refuse(ids.filter { last[$0]?.state != .done })
    }

    /// Throws the reasons why renders are not done.
    private func refuse(_ ids: [RenderID]) throws {
        guard !ids.isEmpty else { return }
        var connection = ReconnectingConnection(server)
        var texts: [String] = []
        for id in ids.prefix(SubmissionBatch.mostNamed) {
            guard case .renders(let found) = try connection.ask(.show(id)), let render = found.first else {
                throw HostError.unfittingAnswer
            }
            let reason = sentence(render.entry.reason ?? "no reason is known")
            texts.append("Render \(id) \(render.entry.state.rawValue): \(reason)")
        }
        let more = ids.count - texts.count
        if more > 0 { texts.append("\(counted(more, "more render", "more renders")) like these; see ‘cutroom jobs’.") }
        throw HostError(.software, texts)
    }

    /// Follows renders.
    /// - Parameter show: receives the chosen renders and the ids of those that have changed, at
    ///   first all.
    private func follow(_ ids: [RenderID], _ show: ([RenderID: RenderRow], Set<RenderID>) -> Void) throws {
        var connection = ReconnectingConnection(server)
        var (known, wanted, cursor): ([RenderID: RenderRow], Set<RenderID>, RenderCursor?) = ([:], Set(ids), nil)
        while true {
            var changed: Set<RenderID> = []
            if let since = cursor {
                let few = wanted.count <= ServerRequest.Watch.most ? wanted.sorted() : nil
                let watch = ServerRequest.Watch(since: since, ids: few, seconds: Self.hold)
                let (say, bytes) = try connection.fetch(.watch(watch), patience: Self.patience)
                switch say {
                case .rows(let page):
                    for row in try RenderRow.rows(in: bytes) where wanted.contains(row.id) && known[row.id] != row {
                        known[row.id] = row
                        changed.insert(row.id)
                    }
                    for id in page.gone where wanted.remove(id) != nil { known[id] = nil }
                    cursor = page.cursor
                case .startOver: cursor = nil
                default: throw HostError.unfittingAnswer
                }
            } else {
                let list = try RenderList(&connection, ids: wanted.isEmpty ? nil : wanted.sorted())
                if wanted.isEmpty { wanted = Set(list.rows.filter { !$0.state.hasEnded }.map(\.id)) }
                known = [:]
                for row in list.rows where wanted.contains(row.id) { known[row.id] = row }
                wanted.formIntersection(known.keys)
                (changed, cursor) = (wanted, list.cursor)
                if wanted.isEmpty, let id = ids.first { throw HostError(.data, "There is no render \(id).") }
            }
            if !changed.isEmpty || wanted.isEmpty { show(known, changed) }
            if known.values.allSatisfy(\.state.hasEnded) { return }
            if cursor != nil { usleep(Self.interval) }
        }
    }
}

/// The rows of a server's list, page by page.
struct RenderList {
    private(set) var rows: [RenderRow] = []
    /// Later changes are not in the rows.
    let cursor: RenderCursor

    /// Requests the list.
    /// - Parameter ids: only these; nil: all except those that ended long ago.
    init(_ connection: inout ReconnectingConnection, ids: [RenderID]?) throws(HostError) {
        var cursor: RenderCursor?
        var listing = ServerRequest.Listing()
        var rest = ids
        repeat {
            if let ids = rest {
                listing.ids = Array(ids.prefix(ServerRequest.Listing.most))
                rest = Array(ids.dropFirst(ServerRequest.Listing.most))
            }
            let (say, bytes) = try connection.fetch(.rows(listing))
            guard case .rows(let page) = say else {
                throw HostError.unfittingAnswer
            }
            rows += try RenderRow.rows(in: bytes)
            // The first watch reports changes that happened between the pages.
            cursor = cursor ?? page.cursor
            guard listing.after.map({ $0 < page.next ?? $0 }) ?? true || rest != nil else { break }
            listing.after = page.next
        } while listing.after != nil || rest?.isEmpty == false
        guard let cursor else { throw HostError.unfittingAnswer }
        self.cursor = cursor
    }
}

/// The output of a watch, for a terminal or a file.
struct WatchScreen {
    let isTerminal: Bool
    /// The height of the terminal in lines.
    package let height: Int
    private var shown = 0
    private var hasTitles = false

    init(isTerminal: Bool, height: Int) { (self.isTerminal, self.height) = (isTerminal, height) }

    /// Returns the text to print. On a terminal that is the updated table in place of the last one:
    /// as many renders as fit, active ones first. Otherwise it is the rows that have changed.
    mutating func text(_ known: [RenderID: RenderRow], _ changed: Set<RenderID>) -> String {
        guard isTerminal else {
            let rows = changed.sorted().compactMap { known[$0]?.columns }
            defer { hasTitles = true }
            let text = alignedText((hasTitles ? [] : [RenderRow.titles]) + rows)
            return text.isEmpty ? "" : text.printable + "\n"
        }
        let open = known.values.filter { !$0.state.hasEnded }
        let room = max(3, height - 3)
        var rows = known.count <= room ? Array(known.values) : open
        if rows.count > room { rows = Array(rows.sorted { $0.id < $1.id }.prefix(room)) }
        var text = alignedText([RenderRow.titles] + rows.sorted { $0.id < $1.id }.map(\.columns)).printable
        if rows.count < known.count {
            text += "\n… \(known.count - rows.count) more; \(known.count - open.count) of \(known.count) have ended"
        }
        // Move to the first line of the table, and clear to the end of the screen.
        let back = shown > 0 ? "\u{1B}[\(shown)F\u{1B}[J" : ""
        shown = text.split(separator: "\n", omittingEmptySubsequences: false).count
        return back + text + "\n"
    }
}
