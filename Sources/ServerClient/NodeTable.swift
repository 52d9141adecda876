import Farm
import Foundation
import HostCore

/// A node with its slots, or the workers of the server's own machine.
package struct NodeStatus: Codable, Sendable {
    /// nil for the server's own machine.
    package var name: String?
    /// `working`, `idle`, `draining`, `drained` or `lost`.
    package var state: String
    var cores: Int
    package var memory: Int64
    package var tags: [String]
    package var slots: [WorkerStatus]

    private init(_ name: String?, _ slots: [WorkerStatus]) {
        let there = slots.filter { $0.state != .lost }
        (self.name, self.slots) = (name, there.isEmpty ? slots : there)
        (cores, memory) = (slots.first?.cores ?? 0, slots.first?.memory ?? 0)
        tags = slots.first?.tags ?? []
        let works = there.contains { $0.job != nil }
        state =
            there.isEmpty
            ? "lost" : slots[0].isDraining ? (works ? "draining" : "drained") : works ? "working" : "idle"
    }

    /// Returns the nodes in the order of their names, the server's own machine first.
    package static func all(of workers: [WorkerStatus]) -> [NodeStatus] {
        Dictionary(grouping: workers, by: \.node).map { NodeStatus($0.key, $0.value) }.sorted {
            ($0.name ?? "") < ($1.name ?? "")
        }
    }
}

/// Formats nodes as a table with a line for each.
package struct NodeTable {
    private let rows: [[String]]

    package init(_ nodes: [NodeStatus]) {
        rows =
            [["NODE", "STATE", "BUSY", "CORES", "MEMORY", "SINCE", "TAGS", "DOES"]]
            + nodes.map { node in
                let busy = node.slots.filter { $0.job != nil }
                let isLost = node.state == "lost"
                let does = isLost ? [node.slots.first?.reason ?? ""] : busy.compactMap(\.job)
                let seconds = node.slots.map(\.seconds).max() ?? 0
                return [
                    node.name ?? "(server)", node.state, isLost ? "-" : "\(busy.count)/\(node.slots.count)",
                    node.cores > 0 ? "\(node.cores)" : "-", node.memory > 0 ? "\(node.memory >> 20) MiB" : "-",
                    ProgressReporter.clock(seconds), node.tags.isEmpty ? "-" : node.tags.joined(separator: ","),
                    does.joined(separator: " "),
                ]
            }
    }

    package var text: String { alignedText(rows) }
}
