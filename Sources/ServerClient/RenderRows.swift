import Foundation
import HostCore
import Renders

/// A render as a line of a list has it. A list of a hundred thousand renders goes over a door as
/// text, a line for each render and a tab between columns: JSON takes twenty times as long.
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

    /// A name without its folders.
    private static func lastComponent(_ name: String) -> Substring {
        guard let slash = name.utf8.lastIndex(of: UInt8(ascii: "/")) else { return name[...] }
        let start = name.utf8.index(after: slash)
        return start < name.endIndex ? name[start...] : name[...]
    }

    private static func share(_ render: RenderStatus) -> String {
        if render.entry.state == .done { return "100 %" }
        if let reason = render.waits { return "waits: \(reason)" }
        guard let done = render.done, let total = render.total, total > 0 else { return "-" }
        // A server may say anything.
        let part = min(max(0, done), total)
        let percent = part <= .max / 100 ? 100 * part / total : part / (total / 100)
        return "\(percent) % \(render.stage ?? "")"
    }

    // MARK: On the way

    /// Rows as they go over a door.
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
        // No name is taken in that has a tab or a line end, but an old journal may have some.
        let delimiters = text.utf8.reduce(0) { $0 + ($1 == 9 || $1 == 10 ? 1 : 0) }
        guard delimiters != statuses.count * titles.count else { return text }
        return statuses.map { status in
            columns(of: status).map { String($0.map { $0 == "\t" || $0.isNewline ? " " : $0 }) }.joined(separator: "\t")
        }.map { $0 + "\n" }.joined()
    }

    /// - Returns: nil for a line that is not one of ``text(_:)``.
    private init?(line: Data) {
        // By bytes: a cell may begin with a mark that makes one character of it and the tab.
        columns = line.split(separator: 9, omittingEmptySubsequences: false).map { String(decoding: $0, as: UTF8.self) }
        guard columns.count == Self.titles.count, let number = Int64(columns[0]),
            let state = RenderState(rawValue: columns[1])
        else { return nil }
        (id, self.state) = (RenderID(number), state)
    }

    /// - Throws: for text that is not made of rows.
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
