/// The state of a flow's jobs.
package struct FlowStanding: Hashable, Sendable {
    package var waiting = 0
    package var running = 0
    /// The sets of tags that waiting jobs need and no worker has.
    package var lacks: Set<Set<String>> = []
    /// Whether a worker exists, or can be started.
    package var hasWorkers = true

    package init() {}

    /// The reason why jobs wait beyond their turn, as half a sentence; nil if they proceed.
    package var reason: String? {
        if let lack = lacks.map({ $0.sorted() }).min(by: { $0.lexicographicallyPrecedes($1) }) {
            let names = lack.map { "‘\($0)’" }.joined(separator: ", ")
            return "no worker has the \(lack.count == 1 ? "tag" : "tags") \(names)"
        }
        guard waiting > 0, running == 0 else { return nil }
        return hasWorkers ? "the workers are busy" : "no worker has joined"
    }
}
