/// How the jobs of a flow stand.
package struct FlowStanding: Hashable, Sendable {
    package var waiting = 0
    package var running = 0
    /// What some of the waiting jobs need and no worker has: sets of tags.
    package var lacks: Set<Set<String>> = []
    /// A worker is there, or can be started.
    package var hasWorkers = true

    package init() {}

    /// Why jobs wait, where that is more than their turn: half a sentence. Nil where they go on.
    package var reason: String? {
        if let lack = lacks.map({ $0.sorted() }).min(by: { $0.lexicographicallyPrecedes($1) }) {
            let names = lack.map { "‘\($0)’" }.joined(separator: ", ")
            return "no worker has the \(lack.count == 1 ? "tag" : "tags") \(names)"
        }
        guard waiting > 0, running == 0 else { return nil }
        return hasWorkers ? "the workers are busy" : "no worker has come"
    }
}
