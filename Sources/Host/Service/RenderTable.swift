import Foundation
import Renders

/// Renders as people read them: a line each.
struct RenderTable {
    private let rows: [[String]]

    init(_ renders: [RenderStatus]) {
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
        guard let done = render.done, let total = render.total, total > 0 else { return "-" }
        return "\(100 * done / total) % \(render.stage ?? "")"
    }

    var text: String {
        let widths = rows[0].indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
        return rows.map { row in
            let line = zip(row, widths).map { $0.padding(toLength: $1, withPad: " ", startingAt: 0) }.joined(
                separator: "  ")
            return String(line.reversed().drop { $0 == " " }.reversed())
        }.joined(separator: "\n")
    }
}
