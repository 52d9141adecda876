import Foundation
import Renders

/// Renders as people read them: a line each.
package struct RenderTable {
    private let rows: [[String]]

    package init(_ renders: [RenderStatus]) {
        rows =
            [["RENDER", "STATE", "DONE", "PRIORITY", "SUBMITTER", "NAME", "OUTPUT"]]
            + renders.map { render in
                let entry = render.entry
                return [
                    "\(entry.id)", entry.state.rawValue, Self.share(render), "\(entry.ticket.priority)",
                    entry.ticket.submitter, (entry.ticket.name as NSString).lastPathComponent, entry.ticket.output,
                ]
            }
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

    package var text: String { alignedText(rows) }
}

/// Rows as lines, in columns that are as wide as what is in them.
/// - Parameter rows: each as long as the first.
func alignedText(_ rows: [[String]]) -> String {
    guard let first = rows.first else { return "" }
    let widths = first.indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
    return rows.map { row in
        let line = zip(row, widths).map { $0.padding(toLength: $1, withPad: " ", startingAt: 0) }.joined(
            separator: "  ")
        return String(line.reversed().drop { $0 == " " }.reversed())
    }.joined(separator: "\n")
}
