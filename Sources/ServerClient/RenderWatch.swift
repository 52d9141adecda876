import Foundation
import Glibc
import HostCore
import Renders

/// Looks at a server's renders again and again. Blocks: not for asynchronous code that others wait for.
package struct RenderWatch {
    private let server: ServerAddress
    /// How often a server is asked, in microseconds.
    private static let interval: UInt32 = 500_000

    package init(_ server: ServerAddress) { self.server = server }

    /// Shows a table that is drawn anew, or new lines where nobody looks at a terminal, until all have ended.
    /// - Parameter ids: none: all that there are now.
    package func watch(_ ids: [RenderID]) throws {
        var shown = 0
        try follow(ids) { renders in
            let text = RenderTable(renders).text
            if Console.isTerminal {
                // Up to the table's first line, and everything from there is cleared.
                Console.say((shown > 0 ? "\u{1B}[\(shown)F\u{1B}[J" : "") + text)
                shown = text.split(separator: "\n").count
            } else {
                Console.say(text)
            }
        }
    }

    /// Waits until renders have ended.
    /// - Throws: why the first one that has not ended well has failed.
    package func wait(for ids: [RenderID]) throws {
        var last: [RenderStatus] = []
        try follow(ids) { last = $0 }
        for render in last where render.entry.state != .done {
            throw HostError(
                .software,
                "Render \(render.entry.id) \(render.entry.state.rawValue): \(render.entry.reason ?? "no reason is known")."
            )
        }
    }

    private func follow(_ ids: [RenderID], _ show: ([RenderStatus]) -> Void) throws {
        var door = PatientDoor(server)
        var wanted = ids
        while true {
            guard case .renders(let all) = try door.ask(.list(all: true)) else { return }
            if wanted.isEmpty { wanted = all.filter { !$0.entry.state.hasEnded }.map(\.entry.id) }
            let chosen = all.filter { wanted.contains($0.entry.id) }
            show(chosen)
            if chosen.allSatisfy({ $0.entry.state.hasEnded }) { return }
            usleep(Self.interval)
        }
    }
}
