import Foundation
import HostCore
import Renders

/// A render as a row of a list. A list of 100 000 renders is transferred as text, with a line for
/// each render and a tab between columns: JSON takes twenty times as long.
package struct RenderRow: Equatable, Sendable {
    /// In the order of the list's columns.
    static let titles = ["RENDER", "STATE", "DONE", "PRIORITY", "SUBMITTER", "NAME", "OUTPUT"]

    package var id: RenderID
    package var state: RenderState
    /// In the order of ``titles``.
    var columns: [String]

    package init(_ status: RenderStatus) {
        let entry = status.entry
        (id, state) = (entry.id, entry.state)
        columns = Self.columns(of: status)
    }

    private static func columns(of status: RenderStatus) -> [String] {
        let entry = status.entry
        return [
            String(entry.id.number), entry.state.rawValue, share(status), String(entry.ticket.priority),
            entry.ticket.submitter, String(lastComponent(entry.ticket.name)), entry.ticket.output,
        ]
    }

    /// Returns a name without its folders.
    private static func lastComponent(_ name: String) -> Substring {
        guard let slash = name.utf8.lastIndex(of: UInt8(ascii: "/")) else { return name[...] }
        let start = name.utf8.index(after: slash)
        return start < name.endIndex ? name[start...] : name[...]
    }

    private static func share(_ render: RenderStatus) -> String {
        if render.entry.state == .done { return "100 %" }
        if let reason = render.waits { return "waits: \(reason)" }
        guard let done = render.done, let total = render.total, total > 0 else { return "-" }
        // A server may send any numbers.
        let part = min(max(0, done), total)
        let percent = part <= .max / 100 ? 100 * part / total : part / (total / 100)
        return "\(percent) % \(render.stage ?? "")"
    }

    // MARK: Transfer

    /// Formats rows for the transfer.
    package static func text(_ statuses: [RenderStatus]) -> String {
        var text = ""
        for status in statuses {
            let entry = status.entry
            text += String(entry.id.number)
            text += "\t"
            text += entry.state.rawValue
            text += "\t"
            text += share(status)
            text += "\t"
            text += String(entry.ticket.priority)
            text += "\t"
            text += entry.ticket.submitter
            text += "\t"
            text += lastComponent(entry.ticket.name)
            text += "\t"
            text += entry.ticket.output
            text += "\n"
        }
        // Names with a tab or a line break are rejected, but an old journal may have some.
        let delimiters = text.utf8.reduce(0) { $0 + ($1 == 9 || $1 == 10 ? 1 : 0) }
        guard delimiters != statuses.count * titles.count else { return text }
        return statuses.map { status in
            columns(of: status).map { String($0.map { $0 == "\t" || $0.isNewline ? " " : $0 }) }.joined(separator: "\t")
        }.map { $0 + "\n" }.joined()
    }

    /// Parses a line of ``text(_:)``; nil for other lines.
    private init?(line: Data) {
        // Split bytes: a cell may begin with a combining mark that forms one character with the
        // tab.
        columns = line.split(separator: 9, omittingEmptySubsequences: false).map { String(decoding: $0, as: UTF8.self) }
        guard columns.count == Self.titles.count, let number = Int64(columns[0]),
            let state = RenderState(rawValue: columns[1])
        else { return nil }
        (id, self.state) = (RenderID(number), state)
    }

    /// Parses rows.
    /// - Throws: if the text does not consist of rows.
    package static func rows(in bytes: Data?) throws(HostError) -> [RenderRow] {
        var rows: [RenderRow] = []
        for line in (bytes ?? Data()).split(separator: 10) {
            guard let row = RenderRow(line: line) else { throw unreadable }
            rows.append(row)
        }
        return rows
    }

    package static let unreadable = HostError(.software, "The server's list of renders cannot be read.")
}
